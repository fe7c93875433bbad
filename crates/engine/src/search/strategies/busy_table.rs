//! The table of moves that are being searched now: ABDADA's marks.

use crate::sync::{AtomicU64, Ordering};

const SLOTS: usize = 1 << 14;
const WAYS: usize = 4;

/// A small table of marks. A mark that finds its set full is dropped: that costs time, and never changes a result.
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
