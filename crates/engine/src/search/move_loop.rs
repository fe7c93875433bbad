//! The loop over a node's moves: what changes while they are searched.

use std::collections::VecDeque;

use shakmaty::Move;

use super::move_picker::{MoveBuffer, MovePicker, is_noisy};
use super::node::{Node, set_line};
use super::root_move::RootMove;
use crate::score::{INFINITE, Score};

/// Memory of a move loop, reused from node to node so that nothing is allocated.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) list: MoveBuffer,
    pub(crate) lines: LineBuffers,
}

/// Memory for the line and the lists of searched moves.
#[derive(Debug, Default)]
pub(crate) struct LineBuffers {
    pv: Vec<Move>,
    quiets: Vec<Move>,
    captures: Vec<Move>,
}

/// The state of the loop over a node's moves. Where several threads search them, it is behind the lock of the split point.
#[derive(Debug, Default)]
pub(crate) struct MoveLoop {
    pub(super) picker: MovePicker,
    /// Moves that other threads were searching when their turn came, with their numbers.
    pub(super) deferred: VecDeque<(Move, u32)>,
    /// Number of moves taken from the picker.
    pub(super) count: u32,
    /// Number of moves searched.
    pub(super) searched: u32,
    /// Whether the remaining quiet moves are pruned.
    pub(super) skip_quiets: bool,
    pub(crate) alpha: Score,
    pub(crate) best: Score,
    pub(crate) best_move: Option<Move>,
    pub(crate) pv: Vec<Move>,
    /// Quiet moves that were searched and are not the best.
    pub(super) quiets: Vec<Move>,
    /// Captures that were searched and are not the best.
    pub(super) captures: Vec<Move>,
    /// At the root: the root moves, and the index of the first one that is searched.
    pub(crate) root: Option<Vec<RootMove>>,
    first: usize,
}

impl MoveLoop {
    pub(crate) fn new(picker: MovePicker, alpha: Score, buffers: LineBuffers) -> Self {
        let LineBuffers {
            mut pv,
            mut quiets,
            mut captures,
        } = buffers;
        pv.clear();
        quiets.clear();
        captures.clear();
        Self {
            picker,
            alpha,
            best: -INFINITE,
            pv,
            quiets,
            captures,
            ..Self::default()
        }
    }

    /// The loop over the root moves from `first` on.
    pub(crate) fn of_root(
        picker: MovePicker,
        alpha: Score,
        buffers: LineBuffers,
        moves: Vec<RootMove>,
        first: usize,
    ) -> Self {
        Self {
            root: Some(moves),
            first,
            ..Self::new(picker, alpha, buffers)
        }
    }

    /// Gives the memory back.
    pub(crate) fn into_buffers(self) -> Buffers {
        Buffers {
            list: self.picker.into_list(),
            lines: LineBuffers {
                pv: self.pv,
                quiets: self.quiets,
                captures: self.captures,
            },
        }
    }

    pub(crate) fn nothing_searched(&self) -> bool {
        self.searched == 0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count as usize >= self.picker.len() && self.deferred.is_empty()
    }

    /// Whether the first move (the eldest brother) is done.
    pub(crate) fn first_move_is_done(&self) -> bool {
        self.searched > 0
    }

    /// Records the score of a move; true for a beta cutoff. `rest` is the line after the move, `nodes` the nodes of its subtree.
    pub(crate) fn accept(
        &mut self,
        node: &Node,
        m: Move,
        score: Score,
        rest: &[Move],
        nodes: u64,
        sel_depth: usize,
    ) -> bool {
        self.searched += 1;
        if let Some(root) = &mut self.root {
            let record = root[self.first..].iter_mut().find(|r| r.m == m);
            if let Some(record) = record {
                record.nodes += nodes;
                if self.searched == 1 || score > self.alpha {
                    record.score = score;
                    record.sel_depth = sel_depth;
                    // A move that fails low has no line: the previous one is kept.
                    if score > self.alpha || record.pv.len() < 2 {
                        set_line(&mut record.pv, m, rest);
                    }
                } else {
                    record.score = -INFINITE;
                }
            }
        }
        if score > self.best {
            self.best = score;
            if score > self.alpha {
                self.best_move = Some(m);
                if node.pv {
                    set_line(&mut self.pv, m, rest);
                }
                if score >= node.beta {
                    return true;
                }
                self.alpha = score;
            }
        }
        if self.best_move != Some(m) {
            if is_noisy(m) {
                self.captures.push(m);
            } else {
                self.quiets.push(m);
            }
        }
        false
    }
}
