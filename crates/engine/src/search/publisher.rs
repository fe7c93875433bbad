//! Collects the results of the threads, and reports each depth once.

use std::sync::{Mutex, MutexGuard};

use super::result::SearchReport;
use super::root_move::RootMove;

/// The last iteration of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) depth: u32,
    pub(crate) lines: Vec<RootMove>,
}

/// The results of all threads, and the caller's listener.
pub(crate) struct Publisher<'a> {
    state: Mutex<State<'a>>,
}

struct State<'a> {
    /// The deepest iteration that was reported.
    depth: u32,
    threads: Vec<Option<Finished>>,
    listener: &'a mut (dyn FnMut(&SearchReport) + Send),
}

impl<'a> Publisher<'a> {
    pub(crate) fn new(threads: usize, listener: &'a mut (dyn FnMut(&SearchReport) + Send)) -> Self {
        let state = State {
            depth: 0,
            threads: vec![None; threads],
            listener,
        };
        Self {
            state: Mutex::new(state),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Stores the last iteration of a thread.
    pub(crate) fn record(&self, thread: usize, finished: Finished) {
        self.lock().threads[thread] = Some(finished);
    }

    /// Reports an iteration, unless one as deep was reported before.
    pub(crate) fn report(&self, depth: u32, report: impl FnOnce() -> SearchReport) {
        let mut state = self.lock();
        if depth > state.depth {
            state.depth = depth;
            (state.listener)(&report());
        }
    }

    /// The last iteration of each thread that has finished one, in the order of the threads.
    pub(crate) fn finished(&self) -> Vec<Finished> {
        self.lock().threads.iter().flatten().cloned().collect()
    }
}
