//! Peg solitaire by backtracking, with a set of states that are known to fail.
//!
//! After Tau Merand and Vincent Varkevisser, "COMS3008: Parallel Computing Assignment" (2017), with
//! their names. The parallel loop is in `parallel`, its schedules in `schedule.rs`, the locks in
//! `infeasible.rs`. Try another order of the moves in `Board::new`, or put into the set the least
//! of the eight images of a state under turns and reflections.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::infeasible::{InfeasibleSet, State};
use crate::schedule::{Interval, Schedule, for_each};

/// A board. A state is a word in which bit i is 1 if there is a peg in hole i.
#[derive(Clone, Debug)]
pub struct Board {
    /// Each move as three bits: the peg that jumps, the one that is removed, where it lands.
    pub moves: Vec<[State; 3]>,
    /// The state that wins.
    pub winning: State,
    /// The state at the beginning.
    pub initial: State,
}

impl Board {
    /// A board from its rows, separated by `/`: `o` a peg, `.` an empty hole, blank no hole. The
    /// last peg has to be in hole `last`, counted along the rows from 0.
    pub fn new(rows: &str, last: usize) -> Self {
        let mut holes = Vec::new(); // the row and column of each
        let mut initial = 0;
        for (row, text) in rows.split('/').enumerate() {
            for (col, c) in text.chars().enumerate().filter(|&(_, c)| c != ' ') {
                if c == 'o' {
                    initial |= 1 << holes.len();
                }
                holes.push((row as i32, col as i32));
            }
        }
        // The bit of a hole; `None` if there is no hole.
        let bit = |place| holes.iter().position(|&hole| hole == place).map(|i| 1 << i);
        let mut moves = Vec::new();
        for &(row, col) in &holes {
            for (down, right) in [(-1, 0), (0, -1), (0, 1), (1, 0)] {
                let over = bit((row + down, col + right));
                let to = bit((row + 2 * down, col + 2 * right));
                if let (Some(from), Some(over), Some(to)) = (bit((row, col)), over, to) {
                    moves.push([from, over, to]);
                }
            }
        }
        let winning = 1 << last;
        Self {
            moves,
            winning,
            initial,
        }
    }

    /// The legal moves of a state by number, each with the state after it.
    pub fn legal_moves(&self, state: State) -> Vec<(usize, State)> {
        let mut legal = Vec::new();
        for (number, &[from, over, to]) in self.moves.iter().enumerate() {
            if state & (from | over | to) == from | over {
                legal.push((number, state ^ from ^ over ^ to));
            }
        }
        legal
    }
}

/// How a search is done in parallel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parallel {
    /// Threads of each parallel loop.
    pub threads: usize,
    /// The schedule of each parallel loop.
    pub schedule: Schedule,
    /// How many levels of loops are parallel: 0 none, 1 the loop over the first moves, 2 also the
    /// loops inside of it (nested, each with threads of its own), and so on.
    pub depth: usize,
}

/// What a search found, and its work.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The numbers of the moves to the winning state; `None` if it cannot be reached.
    pub moves: Option<Vec<usize>>,
    /// Calls of `backtrack`, of all threads.
    pub steps: u64,
    /// Who did which of the first moves when; empty if the loop over them is not parallel.
    pub log: Vec<Interval>,
}

/// What all threads of a search see. They may change only what is made for it: the set, which
/// locks itself, and the flag, which is atomic.
struct Search<'a> {
    board: &'a Board,
    infeasible: &'a InfeasibleSet,
    how: Parallel,
    is_solved: AtomicBool,
}

impl Search<'_> {
    /// Tries all moves of `state`, which is `depth` moves from the start. The moves to the winning
    /// state, if it is reached, and the calls that it took.
    fn backtrack(&self, state: State, depth: usize) -> Outcome {
        let moves = self.board.legal_moves(state);
        if depth < self.how.depth {
            return self.parallel(&moves, depth);
        }
        let mut outcome = Outcome {
            steps: 1,
            ..Outcome::default()
        };
        for (number, child) in moves {
            outcome.moves = self.try_move(number, child, depth, &mut outcome.steps);
            if outcome.moves.is_some() {
                break;
            }
        }
        outcome
    }

    /// The same loop, shared among threads: `#pragma omp parallel for schedule(...)`.
    fn parallel(&self, moves: &[(usize, State)], depth: usize) -> Outcome {
        let result = Mutex::new(None);
        // `item` is the number of a move: which thread gets it when is the matter of the schedule.
        let log = for_each(self.how.schedule, self.how.threads, moves.len(), |item| {
            let (number, child) = moves[item];
            let mut steps = 0; // of this item: each thread has its own
            let found = self.try_move(number, child, depth, &mut steps);
            if found.is_some() {
                *result.lock().unwrap() = found; // a critical region of one statement
            }
            steps
        });
        let moves = result.into_inner().unwrap();
        let steps = 1 + log.iter().map(|done| done.work).sum::<u64>();
        Outcome { moves, steps, log }
    }

    /// The body of both loops: the moves to the winning state that begin with this one.
    fn try_move(
        &self,
        number: usize,
        child: State,
        depth: usize,
        steps: &mut u64,
    ) -> Option<Vec<usize>> {
        // A parallel loop has no `break`: the flag ends the work of the other threads.
        if self.is_solved.load(Ordering::Relaxed) || self.infeasible.contains(child) {
            return None;
        }
        if child == self.board.winning {
            self.is_solved.store(true, Ordering::Relaxed);
            return Some(vec![number]);
        }
        let below = self.backtrack(child, depth + 1);
        *steps += below.steps;
        if let Some(mut moves) = below.moves {
            moves.insert(0, number);
            return Some(moves);
        }
        // If the flag ended the search of `child`, nothing is known of it.
        if !self.is_solved.load(Ordering::Relaxed) {
            self.infeasible.add(child);
        }
        None
    }
}

/// Searches from the board's initial state.
pub fn solve(board: &Board, infeasible: &InfeasibleSet, how: Parallel) -> Outcome {
    let is_solved = AtomicBool::new(false);
    let search = Search {
        board,
        infeasible,
        how,
        is_solved,
    };
    search.backtrack(board.initial, 0)
}
