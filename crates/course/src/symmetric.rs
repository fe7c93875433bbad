//! Four turned paths at once on boards with an odd side, and the tours that they make with the
//! centre.
//!
//! After Cameron Carter, "PCSE Final Project" (2016), sections 2.2 and 2.3. A step of the path
//! takes a square and the three that quarter turns about the centre make of it. Try changing the
//! starts to all squares (what do the counts become?), or end the recursion as soon as the squares
//! beside the centre are used up.

use std::ops::AddAssign;
use std::sync::Mutex;
use std::thread;

use crate::schedule::{Interval, Schedule, for_each};

/// Paths from one start of each four that turns exchange, and the calls of `step` that found them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Paths that visit one of each four squares and not the centre.
    pub paths: u64,
    /// Those that end beside the centre and beside the start of the next path: four in a row, then
    /// the centre.
    pub type_a: u64,
    /// Those that end beside the centre and beside the start of the opposite path: two in a row,
    /// the centre, and the other two backwards.
    pub type_b: u64,
    /// Calls of `step`.
    pub steps: u64,
}

impl AddAssign for Found {
    fn add_assign(&mut self, other: Self) {
        self.paths += other.paths;
        self.type_a += other.type_a;
        self.type_b += other.type_b;
        self.steps += other.steps;
    }
}

/// How a step finds the three turned squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turning {
    /// One after the other.
    Plain,
    /// As three tasks of a new parallel region, as the author tried it.
    Tasks,
}

/// A row and a column, counted from the centre.
type Square = (i32, i32);

const JUMPS: [Square; 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

/// The square after one, two and three quarter turns.
const TURNS: [fn(Square) -> Square; 3] = [|(r, c)| (-c, r), |(r, c)| (-r, -c), |(r, c)| (c, -r)];

fn are_a_move_apart(a: Square, b: Square) -> bool {
    JUMPS.contains(&(b.0 - a.0, b.1 - a.1))
}

/// A search: half of the board's side (`n_mid` of the author), and the squares that are visited.
struct Search {
    mid: i32,
    turning: Turning,
    visited: Vec<bool>,
    found: Found,
}

impl Search {
    fn new(side: i32, turning: Turning) -> Self {
        let mid = side / 2;
        let visited = vec![false; (side * side) as usize];
        let mut search = Self {
            mid,
            turning,
            visited,
            found: Found::default(),
        };
        search.mark((0, 0), true);
        search
    }

    fn id(&self, (row, col): Square) -> usize {
        ((row + self.mid) * (2 * self.mid + 1) + col + self.mid) as usize
    }

    /// The squares that are a move from `square` and not visited.
    fn free(&self, (row, col): Square) -> impl Iterator<Item = Square> + use<> {
        let mut free = [None; 8];
        for (slot, (down, right)) in free.iter_mut().zip(JUMPS) {
            let (r, c) = (row + down, col + right);
            if r.abs() <= self.mid && c.abs() <= self.mid && !self.visited[self.id((r, c))] {
                *slot = Some((r, c));
            }
        }
        free.into_iter().flatten()
    }

    fn turned(&self, square: Square) -> [Square; 3] {
        match self.turning {
            Turning::Plain => TURNS.map(|turn| turn(square)),
            Turning::Tasks => thread::scope(|region| {
                let tasks = TURNS.map(|turn| region.spawn(move || turn(square)));
                tasks.map(|task| task.join().unwrap())
            }),
        }
    }

    fn mark(&mut self, square: Square, is_visited: bool) {
        let [a, b, c] = self.turned(square);
        for square in [square, a, b, c] {
            let id = self.id(square);
            self.visited[id] = is_visited;
        }
    }

    /// Continues from `square`, after which `left` squares are missing, on a path that began at
    /// `start`.
    fn step(&mut self, square: Square, start: Square, left: i32) {
        self.found.steps += 1;
        if left == 0 {
            self.found.paths += 1;
            if are_a_move_apart(square, (0, 0)) {
                let [next, opposite, previous] = self.turned(start);
                let beside = |other| are_a_move_apart(square, other);
                self.found.type_a += u64::from(beside(next) || beside(previous));
                self.found.type_b += u64::from(beside(opposite));
            }
            return;
        }
        self.mark(square, true);
        for next in self.free(square) {
            self.step(next, start, left - 1);
        }
        self.mark(square, false);
    }
}

/// The beginnings of `moves` moves of all paths: the items of the parallel loop.
pub fn items(side: i32, moves: usize) -> Vec<Vec<(i32, i32)>> {
    // One square of each four: the rows below the centre, from the middle column to the right.
    let starts = (1..=side / 2).flat_map(|row| (0..=side / 2).map(move |col| vec![(row, col)]));
    let mut paths: Vec<Vec<Square>> = starts.collect();
    for _ in 0..moves {
        let longer = paths.iter().flat_map(|path| {
            let mut search = Search::new(side, Turning::Plain);
            path.iter().for_each(|&square| search.mark(square, true));
            search
                .free(path[path.len() - 1])
                .map(|square| [&path[..], &[square]].concat())
        });
        paths = longer.collect();
    }
    paths
}

/// All paths that begin with `path` on the board of an odd side.
pub fn begin_with(side: i32, turning: Turning, path: &[(i32, i32)]) -> Found {
    let (last, before) = (path[path.len() - 1], &path[..path.len() - 1]);
    let mut search = Search::new(side, turning);
    before.iter().for_each(|&square| search.mark(square, true));
    search.step(last, path[0], (side * side - 1) / 4 - path.len() as i32);
    search.found
}

/// All paths of the board, in parallel over the first `moves` moves, with what each thread did.
pub fn parallel(
    side: i32,
    moves: usize,
    threads: usize,
    schedule: Schedule,
) -> (Found, Vec<Interval>) {
    let items = items(side, moves);
    let all = Mutex::new(Found::default());
    let log = for_each(schedule, threads, items.len(), |item| {
        let found = begin_with(side, Turning::Plain, &items[item]);
        *all.lock().unwrap() += found;
        found.steps
    });
    (all.into_inner().unwrap(), log)
}
