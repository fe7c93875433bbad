//! What a running computation obeys and what it reports.
//!
//! A caller builds one [`Run`] and hands it down: the number of threads, the memory budget, the
//! stop flag, and the progress that a display reads from another thread while the work goes on.
//! What the work cost is returned with the result, as [`Work`].

mod bytes;
mod progress;
mod ram;
mod work;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use thiserror::Error;

pub use bytes::{Bytes, NotASize};
pub use progress::{Progress, Snapshot};
pub use ram::{OverBudget, Ram, Reservation};
pub use work::Work;

/// The frame of one computation. Clones share the stop flag, the budget and the progress.
#[derive(Clone, Debug)]
pub struct Run {
    /// How many threads may work.
    pub threads: NonZeroUsize,
    /// How much memory may be in use.
    pub ram: Ram,
    /// Raised to end the computation early.
    pub stop: Stop,
    /// Read by displays while the computation goes on.
    pub progress: Arc<Progress>,
}

impl Run {
    /// A run with the given number of threads (0 counts as 1) and memory budget.
    pub fn new(threads: usize, ram: Ram) -> Self {
        Self {
            threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
            ram,
            stop: Stop::default(),
            progress: Arc::default(),
        }
    }

    /// One thread, no limit on memory: what tests and examples want.
    pub fn serial() -> Self {
        Self::new(1, Ram::unlimited())
    }

    /// What is read while a request is checked: one thread, no limit on memory, stopped with the
    /// [process](Stop::of_process).
    pub fn checking() -> Self {
        Self {
            stop: Stop::of_process(),
            ..Self::serial()
        }
    }

    /// The same run (stop, budget, progress) with another number of threads.
    pub fn with_threads(&self, threads: usize) -> Self {
        Self {
            threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
            ..self.clone()
        }
    }

    /// The same run (stop, budget, threads) with a progress of its own that no display reads: for
    /// parts of a computation that are counted as a whole.
    pub fn unseen(&self) -> Self {
        Self {
            progress: Arc::default(),
            ..self.clone()
        }
    }
}

/// A flag that one thread raises and the workers look at now and then.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

/// The computation was stopped before it had its answer.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("stopped before the answer was complete")]
pub struct Stopped;

impl Stop {
    /// The flag of the whole process, the same at every call: for what is read before a run begins.
    /// A program that listens for interrupts raises it.
    pub fn of_process() -> Self {
        static PROCESS: LazyLock<Stop> = LazyLock::new(Stop::default);
        PROCESS.clone()
    }

    /// Asks every worker to end.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is up. One relaxed load: cheap enough for every few hundred nodes.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// `Err(Stopped)` once the flag is up.
    ///
    /// # Errors
    /// [`Stopped`] if the flag is up.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_raised() {
            Err(Stopped)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_is_shared_by_clones() {
        let run = Run::serial();
        let other = run.with_threads(4);
        assert_eq!(other.stop.check(), Ok(()));
        run.stop.raise();
        assert_eq!(other.stop.check(), Err(Stopped));
    }
}
