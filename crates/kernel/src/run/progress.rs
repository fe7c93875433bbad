//! How far a computation is.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where a computation stands; written by workers in batches, read by displays.
#[derive(Debug, Default)]
pub struct Progress {
    phase: Mutex<String>,
    done: AtomicU64,
    total: AtomicU64,
    work: AtomicU64,
}

/// One look at a [`Progress`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// What is being done, in words.
    pub phase: String,
    /// Parts of the phase that are done: jobs, layers, blocks.
    pub done: u64,
    /// Parts of the phase in all; 0 while unknown.
    pub total: u64,
    /// Units of work so far: nodes, states, transitions.
    pub work: u64,
}

impl Progress {
    /// Starts a phase of `total` parts (0 if unknown).
    pub fn start(&self, phase: impl Into<String>, total: u64) {
        *self.phase.lock().unwrap_or_else(|e| e.into_inner()) = phase.into();
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Says the phase in other words; its parts stay counted.
    pub fn rename(&self, phase: impl Into<String>) {
        *self.phase.lock().unwrap_or_else(|e| e.into_inner()) = phase.into();
    }

    /// Counts `parts` of the phase as done.
    pub fn advance(&self, parts: u64) {
        self.done.fetch_add(parts, Ordering::Relaxed);
    }

    /// Counts units of work; call it in batches, not per node.
    pub fn worked(&self, units: u64) {
        self.work.fetch_add(units, Ordering::Relaxed);
    }

    /// One look at everything.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            phase: self.phase.lock().unwrap_or_else(|e| e.into_inner()).clone(),
            done: self.done.load(Ordering::Relaxed),
            total: self.total.load(Ordering::Relaxed),
            work: self.work.load(Ordering::Relaxed),
        }
    }
}
