//! Every knight's tour from every square: recursion over eight moves with a board of visited
//! squares.
//!
//! After Cameron Carter, "PCSE Final Project" (2016), section 2.1. The names `find_tours`, `vis`,
//! `hist` and `moves` are those of that program. Try changing the order of the moves (do the steps
//! change?), the condition under which the recursion ends (how much is saved by giving up when an
//! unvisited square has no unvisited neighbour?), and `Split` to the first four moves.

use std::ops::AddAssign;
use std::sync::Mutex;

use crate::schedule::{Interval, Schedule, for_each};

/// A board; its squares are numbered from 0 along the rows.
#[derive(Clone, Debug)]
pub struct Board {
    /// The squares that a knight on a square can move to, by square.
    moves: Vec<Vec<usize>>,
}

/// What a search found and the work that it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Tours: paths that visit every square once. A tour and its reverse are two.
    pub tours: u64,
    /// Calls of `find_tours`.
    pub steps: u64,
}

impl AddAssign for Found {
    fn add_assign(&mut self, other: Self) {
        self.tours += other.tours;
        self.steps += other.steps;
    }
}

/// The items of the parallel loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// One for each start square.
    Squares,
    /// One for each start square with the first two moves.
    TwoMoves,
}

impl Board {
    /// A board without visited squares.
    pub fn new(rows: usize, cols: usize) -> Self {
        let jumps = [
            (1, 2),
            (2, 1),
            (2, -1),
            (1, -2),
            (-1, -2),
            (-2, -1),
            (-2, 1),
            (-1, 2),
        ];
        let moves_from = |id: usize| {
            let targets = jumps.iter().filter_map(|&(down, right)| {
                let row = (id / cols)
                    .checked_add_signed(down)
                    .filter(|&row| row < rows)?;
                let col = (id % cols)
                    .checked_add_signed(right)
                    .filter(|&col| col < cols)?;
                Some(row * cols + col)
            });
            targets.collect()
        };
        Self {
            moves: (0..rows * cols).map(moves_from).collect(),
        }
    }

    /// The paths with which the items of a loop begin: of one square, or of three.
    pub fn items(&self, split: Split) -> Vec<Vec<usize>> {
        let mut paths: Vec<Vec<usize>> = (0..self.moves.len()).map(|id| vec![id]).collect();
        let moves = match split {
            Split::Squares => 0,
            Split::TwoMoves => 2,
        };
        for _ in 0..moves {
            let longer = paths.iter().flat_map(|path| {
                let next = self.moves[path[path.len() - 1]]
                    .iter()
                    .filter(|id| !path.contains(id));
                next.map(|&id| [&path[..], &[id]].concat())
            });
            paths = longer.collect();
        }
        paths
    }
}

/// Counts the tours that go on from square `id`, which is number `vis` of its path; `hist` says
/// which squares are visited.
fn find_tours(id: usize, board: &Board, vis: usize, hist: &mut [bool], found: &mut Found) {
    found.steps += 1;
    if vis == hist.len() {
        found.tours += 1;
        return;
    }
    hist[id] = true;
    for &next in &board.moves[id] {
        if !hist[next] {
            find_tours(next, board, vis + 1, hist, found);
        }
    }
    hist[id] = false;
}

/// Counts the tours that begin with `path`.
pub fn begin_with(path: &[usize], board: &Board) -> Found {
    let (last, before) = (path[path.len() - 1], &path[..path.len() - 1]);
    let mut hist = vec![false; board.moves.len()];
    for &id in before {
        hist[id] = true;
    }
    let mut found = Found::default();
    find_tours(last, board, path.len(), &mut hist, &mut found);
    found
}

/// All tours, one start square after the other.
pub fn serial(board: &Board) -> Found {
    let mut all = Found::default();
    for path in board.items(Split::Squares) {
        all += begin_with(&path, board);
    }
    all
}

/// All tours on several threads. The author's way is `Split::Squares`, as many threads as squares,
/// `Schedule::Static`.
pub fn parallel(board: &Board, split: Split, threads: usize, schedule: Schedule) -> Found {
    timeline(board, split, threads, schedule).0
}

/// As [`parallel`], with what each thread did.
pub fn timeline(
    board: &Board,
    split: Split,
    threads: usize,
    schedule: Schedule,
) -> (Found, Vec<Interval>) {
    let items = board.items(split);
    // `reduction(+: all)` of OpenMP: each item's result is added under a lock, once for each item.
    let all = Mutex::new(Found::default());
    let log = for_each(schedule, threads, items.len(), |item| {
        let found = begin_with(&items[item], board);
        *all.lock().unwrap() += found;
        found.steps
    });
    (all.into_inner().unwrap(), log)
}
