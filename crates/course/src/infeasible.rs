//! The set of states from which a game of pegs cannot be won, shared by all threads of `pegs.rs`.
//!
//! After Tau Merand and Vincent Varkevisser, "COMS3008: Parallel Computing Assignment" (2017), who
//! put a critical region around the addition of a state. Try 2, 4, 8 locks, and a table that is too
//! small.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A state of the board: bit i is set if there is a peg in hole i.
pub type State = u64;

/// The set of states from which the game cannot be won, shared by all threads.
#[derive(Debug)]
pub enum InfeasibleSet {
    /// No set: plain backtracking.
    None,
    /// Sets behind locks, a state in that of its hash. With one lock, this is the critical region
    /// of the authors.
    Locked(Vec<Mutex<HashSet<State>>>),
    /// A table of atomic words without locks; a state is in one of eight neighbouring slots, or is
    /// forgotten.
    LockFree(Vec<AtomicU64>),
}

fn hash(state: State, size: usize) -> usize {
    (state.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % size
}

impl InfeasibleSet {
    /// An empty set behind some locks.
    pub fn behind(locks: usize) -> Self {
        Self::Locked((0..locks).map(|_| Mutex::default()).collect())
    }

    /// An empty table for some states.
    pub fn lock_free(slots: usize) -> Self {
        Self::LockFree((0..slots).map(|_| AtomicU64::new(0)).collect())
    }

    pub(crate) fn contains(&self, state: State) -> bool {
        match self {
            Self::None => false,
            Self::Locked(sets) => sets[hash(state, sets.len())]
                .lock()
                .unwrap()
                .contains(&state),
            Self::LockFree(slots) => (0..8).any(|i| {
                slots[(hash(state, slots.len()) + i) % slots.len()].load(Ordering::Relaxed) == state
            }),
        }
    }

    pub(crate) fn add(&self, state: State) {
        match self {
            Self::None => {}
            Self::Locked(sets) => {
                sets[hash(state, sets.len())].lock().unwrap().insert(state);
            }
            Self::LockFree(slots) => {
                // Writes the state into the first empty slot, unless another thread was faster.
                let mut near = (0..8).map(|i| &slots[(hash(state, slots.len()) + i) % slots.len()]);
                near.any(|slot| {
                    slot.compare_exchange(0, state, Ordering::Relaxed, Ordering::Relaxed)
                        .is_ok()
                });
            }
        }
    }
}
