//! ABDADA: which moves are marked, and which are deferred.

use shakmaty::Move;

use super::node::Node;
use super::strategies::busy_table::Mark;
use super::strategy::Strategy;
use super::thread::Thread;
use crate::position::{Position, ShortMove};

/// A move at a shallower node is searched faster than it is looked up.
const LEAST_DEPTH: i32 = 3;

/// The mark of a move of a position, searched at a node of a depth; never 0.
fn key(position: &Position, m: Move, depth: i32) -> u64 {
    let move_and_depth = u64::from(ShortMove::of(m).bits()) << 8 | depth as u64 & 255;
    let mixed = move_and_depth.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (position.keys().all ^ mixed ^ mixed >> 29) | 1
}

impl<'a> Thread<'a, '_> {
    fn uses_marks(&self, node: &Node) -> bool {
        self.shared.strategy == Strategy::Abdada
            && self.shared.threads > 1
            && node.depth >= LEAST_DEPTH
    }

    /// Whether another thread is searching this move to this depth now.
    pub(crate) fn is_busy(&self, position: &Position, node: &Node, m: Move) -> bool {
        self.uses_marks(node) && self.shared.busy.contains(key(position, m, node.depth))
    }

    /// Marks a move other than the first of its node for as long as it is searched.
    pub(crate) fn mark_busy(
        &self,
        position: &Position,
        node: &Node,
        m: Move,
        count: u32,
    ) -> Option<Mark<'a>> {
        if count <= 1 || !self.uses_marks(node) {
            return None;
        }
        self.shared.busy.mark(key(position, m, node.depth))
    }
}
