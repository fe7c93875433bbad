//! Which moves are being searched right now, and where: ABDADA's marks.

use shakmaty::Move;

use super::Strategy;
use crate::Position;
use crate::position::ShortMove;
use crate::search::node::Node;
use crate::search::thread::Thread;
use crate::sync::{AtomicU64, Ordering};

/// A shallower move is searched faster than it is looked up.
const LEAST_DEPTH: i32 = 3;

const SLOTS: usize = 1 << 14;
const WAYS: usize = 4;

/// A small table of marks. A mark that finds no room, or is overwritten, costs time and never truth.
#[derive(Debug)]
pub(crate) struct Busy(Box<[AtomicU64]>);

impl Default for Busy {
    fn default() -> Self {
        Self((0..SLOTS * WAYS).map(|_| AtomicU64::new(0)).collect())
    }
}

/// A mark that is taken away when it is dropped.
#[derive(Debug)]
pub(crate) struct Mark<'a> {
    slot: &'a AtomicU64,
    key: u64,
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        // Not if another mark stands there by now.
        let _ = (self.slot).compare_exchange(self.key, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Busy {
    /// No marks, no memory: for strategies that need none.
    pub(crate) fn none() -> Self {
        Self(Box::new([]))
    }

    fn ways(&self, key: u64) -> &[AtomicU64] {
        let slot = key as usize % SLOTS;
        &self.0[slot * WAYS..][..WAYS]
    }

    fn contains(&self, key: u64) -> bool {
        let here = |way: &AtomicU64| way.load(Ordering::Relaxed) == key;
        self.ways(key).iter().any(here)
    }

    fn mark(&self, key: u64) -> Option<Mark<'_>> {
        let free = |way: &&AtomicU64| {
            let claim = way.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed);
            claim.is_ok()
        };
        let slot = self.ways(key).iter().find(free)?;
        Some(Mark { slot, key })
    }
}

fn key(position: &Position, m: Move, depth: i32) -> u64 {
    let move_and_depth = u64::from(ShortMove::of(m).bits()) << 8 | depth as u64 & 255;
    let mixed = move_and_depth.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (position.keys().all ^ mixed ^ mixed >> 29) | 1
}

impl<'a> Thread<'a, '_> {
    fn marks(&self, node: &Node) -> bool {
        self.shared.strategy == Strategy::Abdada
            && self.shared.threads > 1
            && node.depth >= LEAST_DEPTH
    }

    /// Whether another thread is at this move, to this depth, now.
    pub(crate) fn is_busy(&self, position: &Position, node: &Node, m: Move) -> bool {
        self.marks(node) && self.shared.busy.contains(key(position, m, node.depth))
    }

    /// Marks a young brother for as long as it is searched.
    pub(crate) fn mark_busy(
        &self,
        position: &Position,
        node: &Node,
        m: Move,
        count: u32,
    ) -> Option<Mark<'a>> {
        if count <= 1 || !self.marks(node) {
            return None;
        }
        self.shared.busy.mark(key(position, m, node.depth))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn marks_come_and_go() {
        let busy = Busy::default();
        assert!(!busy.contains(7));
        let mark = busy.mark(7);
        assert!(mark.is_some() && busy.contains(7));
        drop(mark);
        assert!(!busy.contains(7));
    }

    #[test]
    fn a_full_set_takes_no_more() {
        let busy = Busy::default();
        let key = |i: usize| (1 + i * SLOTS) as u64;
        let marks: Vec<_> = (0..WAYS).map(|i| busy.mark(key(i))).collect();
        assert!(marks.iter().all(Option::is_some));
        assert!(busy.mark(key(WAYS)).is_none());
    }
}
