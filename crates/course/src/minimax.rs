//! A chess search: alpha-beta, the moves of the root shared among threads, moves ordered by the
//! evaluation, a beam, iterative deepening, and a hash table.
//!
//! After Mohammed Henni and Yacine Gaci, "Parallelizing a chess engine". Try another share of
//! the beam, ordering only near the root, and the moves of the second level as items of the loop.

use std::sync::Mutex;

use shakmaty::{Chess, Move, Position, Role};

use crate::hash_table::HashTable;
use crate::schedule::{Interval, Schedule, for_each};

/// A version of the search: what the authors added one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Threads that share the moves of the root.
    pub threads: usize,
    /// Tries moves in the order of the evaluation after them.
    pub reorders: bool,
    /// Percent of the moves of a node that are searched, the best by evaluation; the authors took
    /// 50.
    pub beam: usize,
    /// Searches depth 1, 2, ..., each with the moves of the root in the order of the last depth.
    pub deepens: bool,
    /// Keeps results in a hash table, which the authors left to others.
    pub has_table: bool,
}

/// What a search found, and its work.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// A best move; none where the game is over.
    pub best: Option<Move>,
    /// Its value for the side to move, in hundredths of a pawn.
    pub score: i32,
    /// Positions that were searched, those at the leaves included.
    pub nodes: u64,
    /// Who searched which move of the root when, at the last depth.
    pub log: Vec<Interval>,
}

const MATE: i32 = 1_000_000;
struct Search {
    version: Version,
    table: Option<HashTable>,
}

/// Material, and a piece is worth more near the centre, for the side to move.
pub fn evaluate(position: &Chess) -> i32 {
    let board = position.board();
    let mut score = 0;
    for (square, piece) in board.iter() {
        let value = match piece.role {
            Role::Pawn => 100,
            Role::Knight => 320,
            Role::Bishop => 330,
            Role::Rook => 500,
            Role::Queen => 900,
            Role::King => 0,
        };
        let (file, rank) = (square.file() as i32, square.rank() as i32);
        let centre = file.min(7 - file) + rank.min(7 - rank);
        let sign = if piece.color == position.turn() {
            1
        } else {
            -1
        };
        score += sign
            * (value
                + if piece.role == Role::King {
                    -centre
                } else {
                    3 * centre
                });
    }
    score
}

fn after(position: &Chess, chosen: Move) -> Chess {
    let mut child = position.clone();
    child.play_unchecked(chosen);
    child
}

impl Search {
    /// The moves that are searched, each with the position after it.
    fn children(&self, position: &Chess) -> Vec<(Move, Chess)> {
        let moves = position.legal_moves().into_iter();
        let mut children: Vec<_> = moves.map(|m| (m, after(position, m))).collect();
        if self.version.reorders {
            children.sort_by_cached_key(|(_, child)| evaluate(child));
        }
        children.truncate((children.len() * self.version.beam).div_ceil(100));
        children
    }

    /// The value of a position for the side to move if it is between `alpha` and `beta`, else a
    /// bound of it on the same side of both.
    fn alpha_beta(
        &self,
        position: &Chess,
        depth: u32,
        alpha: i32,
        beta: i32,
        nodes: &mut u64,
    ) -> i32 {
        *nodes += 1;
        if depth == 0 {
            return evaluate(position);
        }
        let known = self
            .table
            .as_ref()
            .and_then(|table| table.look_up(position, depth));
        if let Some((low, high)) = known {
            if low >= beta || low == high {
                return low;
            }
            if high <= alpha {
                return high;
            }
        }
        let children = self.children(position);
        if children.is_empty() {
            return if position.is_check() {
                -MATE - depth as i32
            } else {
                0
            };
        }
        let mut best = -2 * MATE;
        for (_, child) in &children {
            let value = -self.alpha_beta(child, depth - 1, -beta, -alpha.max(best), nodes);
            best = best.max(value);
            if best >= beta {
                break;
            }
        }
        if let Some(table) = &self.table {
            // A value outside of `alpha` to `beta` is a bound on one side only.
            let low = if best > alpha { best } else { -2 * MATE };
            let high = if best < beta { best } else { 2 * MATE };
            table.store(position, depth, (low, high));
        }
        best
    }

    /// Root splitting: the loop over the moves of the root is parallel.
    fn root(&self, schedule: Schedule, moves: &mut [(i32, Move, Chess)], depth: u32) -> Outcome {
        let best = Mutex::new((-2 * MATE, usize::MAX));
        let values: Vec<Mutex<i32>> = moves.iter().map(|_| Mutex::new(0)).collect();
        let log = for_each(schedule, self.version.threads, moves.len(), |item| {
            let mut nodes = 0;
            let alpha = best.lock().unwrap().0;
            let value = -self.alpha_beta(&moves[item].2, depth - 1, -2 * MATE, -alpha, &mut nodes);
            *values[item].lock().unwrap() = value;
            // `#pragma omp critical`: one thread at a time compares and changes the best move.
            let mut best = best.lock().unwrap();
            if value > best.0 {
                *best = (value, item);
            }
            nodes
        });
        let (score, item) = best.into_inner().unwrap();
        let found = moves.get(item).map(|(_, m, _)| *m);
        for (entry, value) in moves.iter_mut().zip(values) {
            entry.0 = -value.into_inner().unwrap();
        }
        Outcome {
            best: found,
            score,
            nodes: log.iter().map(|i| i.work).sum(),
            log,
        }
    }
}

/// Searches a position to a depth of 1 or more.
pub fn search(position: &Chess, depth: u32, version: Version, schedule: Schedule) -> Outcome {
    let table = version.has_table.then(HashTable::new);
    let search = Search { version, table };
    let children = search.children(position).into_iter();
    let mut moves: Vec<_> = children.map(|(m, child)| (0, m, child)).collect();
    let mut nodes = 0;
    for depth in if version.deepens { 1 } else { depth }..depth {
        nodes += search.root(schedule, &mut moves, depth).nodes;
        moves.sort_by_key(|&(value, ..)| value);
    }
    let mut outcome = search.root(schedule, &mut moves, depth);
    outcome.nodes += nodes;
    outcome
}
