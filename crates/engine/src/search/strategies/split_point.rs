//! The shared record of a split point.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::pool::Job;
use crate::position::Position;
use crate::search::frame::Frame;
use crate::search::move_loop::MoveLoop;
use crate::search::node::Node;
use crate::sync::AtomicUsize;

/// A node that its owner shares with helpers. The fixed part is read without a lock; the changing part is in `move_loop`.
#[derive(Debug)]
pub(crate) struct SplitPoint {
    pub(in crate::search) position: Position,
    pub(in crate::search) node: Node,
    /// The frames from `BEFORE` plies before the node to the one after it.
    pub(in crate::search) frames: Vec<Frame>,
    pub(in crate::search) path: Vec<u64>,
    pub(in crate::search) root_depth: i32,
    pub(in crate::search) parent: Option<Arc<SplitPoint>>,
    pub(in crate::search) cut: AtomicBool,
    /// Whether every move has been taken. Read without the lock of the moves, which another thread may hold while moves are left.
    pub(in crate::search) exhausted: AtomicBool,
    pub(in crate::search) helpers: AtomicUsize,
    pub(in crate::search) move_loop: Mutex<MoveLoop>,
}

impl SplitPoint {
    /// Whether its result is not needed any more: after a cutoff here or at a split point above.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|p| p.is_cut())
    }
}

impl Job for SplitPoint {
    fn wants_help(&self) -> bool {
        !self.exhausted.load(Ordering::Relaxed) && !self.is_cut()
    }

    fn descends_from(&self, other: &Self) -> bool {
        let parent = self.parent.as_ref();
        parent.is_some_and(|p| std::ptr::eq(&**p, other) || p.descends_from(other))
    }

    fn size(&self) -> i32 {
        self.node.depth
    }

    fn helpers(&self) -> &AtomicUsize {
        &self.helpers
    }
}
