//! Peg solitaire by backtracking, with a set of states that are known to fail, in parallel over
//! the first moves.
//!
//! After Tau Merand and Vincent Varkevisser, "COMS3008: Parallel Computing Assignment" (2017);
//! `backtrack`, `legal_moves` and the infeasible set have their names. Try another order of the moves,
//! states turned and reflected to one of eight images before they go into the set, 16 locks.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::infeasible::{InfeasibleSet, State};
use crate::schedule::{Interval, Schedule, for_each};

/// A board: its moves, in the order in which they are tried.
#[derive(Clone, Debug)]
pub struct Board {
    /// Each move as three bits: the peg that jumps, the peg that is removed, the hole it jumps into.
    pub moves: Vec<[State; 3]>,
    /// The state that wins.
    pub winning: State,
    /// The state at the beginning.
    pub initial: State,
}

impl Board {
    /// A board from its rows: `o` a peg, `.` an empty hole, a blank where there is no hole. The
    /// last peg has to be in hole `last`, counted along the rows from 0.
    pub fn new(rows: &str, last: usize) -> Self {
        let holes: Vec<(i32, i32, char)> = (0..)
            .zip(rows.split('/'))
            .flat_map(|(row, text)| (0..).zip(text.chars()).map(move |(col, c)| (row, col, c)))
            .filter(|hole| hole.2 != ' ')
            .collect();
        let bit = |row, col| {
            let at = holes.iter().position(|&(r, c, _)| (r, c) == (row, col))?;
            Some(1 << at)
        };
        let mut moves = Vec::new();
        for &(row, col, _) in &holes {
            for (down, right) in [(-1, 0), (0, -1), (0, 1), (1, 0)] {
                let squares = [0, 1, 2].map(|n| bit(row + n * down, col + n * right));
                if let [Some(from), Some(over), Some(to)] = squares {
                    moves.push([from, over, to]);
                }
            }
        }
        let pegs = (0..).zip(&holes).filter(|(_, hole)| hole.2 == 'o');
        Self {
            moves,
            winning: 1 << last,
            initial: pegs.map(|(i, _)| 1 << i).sum(),
        }
    }

    /// The legal moves of a state by number, each with the state after it.
    fn legal_moves(&self, state: State) -> impl Iterator<Item = (usize, State)> {
        let is_legal =
            move |[from, over, to]: [State; 3]| state & (from | over | to) == from | over;
        let numbered = self.moves.iter().copied().enumerate();
        numbered
            .filter(move |&(_, m)| is_legal(m))
            .map(move |(i, [a, b, c])| (i, state ^ a ^ b ^ c))
    }
}

/// How a search is done in parallel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parallel {
    /// Threads of each parallel loop.
    pub threads: usize,
    /// The schedule of each parallel loop.
    pub schedule: Schedule,
    /// Loops up to this many moves from the start are parallel: 0 none, 1 that over the first
    /// moves, 2 and more nested ones, each with threads of its own.
    pub depth: usize,
}

/// What a search found, and its work.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The numbers of the moves to the winning state; `None` if it cannot be reached.
    pub moves: Option<Vec<usize>>,
    /// Calls of `backtrack`, of all threads.
    pub steps: u64,
    /// Who did which of the first moves when; empty if the loop over them is not parallel.
    pub log: Vec<Interval>,
}

struct Search<'a> {
    board: &'a Board,
    infeasible: &'a InfeasibleSet,
    how: Parallel,
    is_solved: AtomicBool,
}

impl Search<'_> {
    /// Moves from `state`, `depth` moves from the start, to the winning state.
    fn backtrack(&self, state: State, depth: usize, steps: &mut u64) -> Option<Vec<usize>> {
        *steps += 1;
        let moves: Vec<_> = self.board.legal_moves(state).collect();
        if depth < self.how.depth {
            let (result, log) = self.parallel(&moves, depth);
            *steps += log.iter().map(|done| done.work).sum::<u64>();
            return result;
        }
        moves
            .into_iter()
            .find_map(|(number, child)| self.try_move(number, child, depth, steps))
    }

    /// The loop over the moves of a state, shared among threads.
    fn parallel(
        &self,
        moves: &[(usize, State)],
        depth: usize,
    ) -> (Option<Vec<usize>>, Vec<Interval>) {
        let result = Mutex::new(None);
        let log = for_each(self.how.schedule, self.how.threads, moves.len(), |item| {
            let (number, child) = moves[item];
            let mut steps = 0;
            if let Some(found) = self.try_move(number, child, depth, &mut steps) {
                *result.lock().unwrap() = Some(found);
            }
            steps
        });
        (result.into_inner().unwrap(), log)
    }

    /// The body of the loop: the moves to the winning state that begin with this one.
    fn try_move(
        &self,
        number: usize,
        child: State,
        depth: usize,
        steps: &mut u64,
    ) -> Option<Vec<usize>> {
        // A thread that has found a solution stops the others here.
        if self.is_solved.load(Ordering::Relaxed) || self.infeasible.contains(child) {
            return None;
        }
        if child == self.board.winning {
            self.is_solved.store(true, Ordering::Relaxed);
            return Some(vec![number]);
        }
        match self.backtrack(child, depth + 1, steps) {
            Some(rest) => Some([vec![number], rest].concat()),
            None => {
                // Not if the search of `child` was stopped: then nothing is known of it.
                if !self.is_solved.load(Ordering::Relaxed) {
                    self.infeasible.add(child);
                }
                None
            }
        }
    }
}

/// Searches from the board's initial state.
pub fn solve(board: &Board, infeasible: &InfeasibleSet, how: Parallel) -> Outcome {
    let search = Search {
        board,
        infeasible,
        how,
        is_solved: AtomicBool::new(false),
    };
    if how.depth == 0 {
        let mut steps = 0;
        let moves = search.backtrack(board.initial, 0, &mut steps);
        return Outcome {
            moves,
            steps,
            log: Vec::new(),
        };
    }
    let first_moves: Vec<_> = board.legal_moves(board.initial).collect();
    let (moves, log) = search.parallel(&first_moves, 0);
    let steps = 1 + log.iter().map(|done| done.work).sum::<u64>();
    Outcome { moves, steps, log }
}
