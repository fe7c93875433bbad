//! ABDADA: the table of moves that are being searched now, which moves are marked, and which are
//! deferred.

use shakmaty::Move;

use super::Strategy;
use crate::position::{Position, ShortMove};
use crate::search::alpha_beta::Node;
use crate::search::thread::Thread;
use crate::sync::{AtomicU64, Ordering};

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

const SLOTS: usize = 1 << 14;
const WAYS: usize = 4;

/// A small table of marks. A mark that finds its set full is dropped: that costs time, and never
/// changes a result.
#[derive(Debug)]
pub(crate) struct BusyTable(Box<[AtomicU64]>);

impl Default for BusyTable {
    fn default() -> Self {
        Self((0..SLOTS * WAYS).map(|_| AtomicU64::new(0)).collect())
    }
}

/// A mark, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Mark<'a> {
    slot: &'a AtomicU64,
    key: u64,
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        // Not if another mark is in the slot by now.
        let _ = (self.slot).compare_exchange(self.key, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl BusyTable {
    /// A table without memory, for strategies that set no marks.
    pub(crate) fn none() -> Self {
        Self(Box::new([]))
    }

    fn ways(&self, key: u64) -> &[AtomicU64] {
        let slot = key as usize % SLOTS;
        &self.0[slot * WAYS..][..WAYS]
    }

    pub(in crate::search) fn contains(&self, key: u64) -> bool {
        let here = |way: &AtomicU64| way.load(Ordering::Relaxed) == key;
        self.ways(key).iter().any(here)
    }

    pub(in crate::search) fn mark(&self, key: u64) -> Option<Mark<'_>> {
        let free = |way: &&AtomicU64| {
            let claim = way.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed);
            claim.is_ok()
        };
        let slot = self.ways(key).iter().find(free)?;
        Some(Mark { slot, key })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn marks_come_and_go() {
        let busy = BusyTable::default();
        assert!(!busy.contains(7));
        let mark = busy.mark(7);
        assert!(mark.is_some() && busy.contains(7));
        drop(mark);
        assert!(!busy.contains(7));
    }

    #[test]
    fn a_full_set_takes_no_more() {
        let busy = BusyTable::default();
        let key = |i: usize| (1 + i * SLOTS) as u64;
        let marks: Vec<_> = (0..WAYS).map(|i| busy.mark(key(i))).collect();
        assert!(marks.iter().all(Option::is_some));
        assert!(busy.mark(key(WAYS)).is_none());
    }
}
