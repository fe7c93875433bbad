//! What each thread of a search has done, read by a display while the search runs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;

/// What each thread of one search has done. Every access is relaxed: the counters carry no data.
#[derive(Debug)]
pub struct Activity {
    begin: Instant,
    threads: Vec<CachePadded<Counters>>,
}

/// What one thread has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadActivity {
    /// Nodes searched.
    pub nodes: u64,
    /// Split points opened: nodes offered to other threads.
    pub opened: u64,
    /// Split points of other threads joined.
    pub joined: u64,
    /// Time without work.
    pub idle: Duration,
    /// Whether it has no work now.
    pub is_idle: bool,
}

#[derive(Debug, Default)]
struct Counters {
    nodes: AtomicU64,
    opened: AtomicU64,
    joined: AtomicU64,
    /// Nanoseconds without work, up to the end of the last wait.
    idle: AtomicU64,
    waits: AtomicBool,
    /// When the current wait began, in nanoseconds after `begin`.
    wait_begin: AtomicU64,
}

impl Activity {
    /// Counters for a number of threads, all zero.
    pub fn new(threads: usize) -> Self {
        Self {
            begin: Instant::now(),
            threads: (0..threads).map(|_| CachePadded::default()).collect(),
        }
    }

    /// What every thread has done so far.
    pub fn threads(&self) -> Vec<ThreadActivity> {
        let now = self.nanoseconds();
        let read = |counters: &CachePadded<Counters>| {
            let load = |n: &AtomicU64| n.load(Ordering::Relaxed);
            let is_idle = counters.waits.load(Ordering::Relaxed);
            let current = match is_idle {
                true => now.saturating_sub(load(&counters.wait_begin)),
                false => 0,
            };
            ThreadActivity {
                nodes: load(&counters.nodes),
                opened: load(&counters.opened),
                joined: load(&counters.joined),
                idle: Duration::from_nanos(load(&counters.idle) + current),
                is_idle,
            }
        };
        self.threads.iter().map(read).collect()
    }

    fn nanoseconds(&self) -> u64 {
        self.begin.elapsed().as_nanos() as u64
    }

    fn counters(&self, thread: usize) -> Option<&Counters> {
        self.threads.get(thread).map(|counters| &**counters)
    }

    pub(crate) fn set_nodes(&self, thread: usize, nodes: u64) {
        if let Some(counters) = self.counters(thread) {
            counters.nodes.store(nodes, Ordering::Relaxed);
        }
    }

    pub(crate) fn opens(&self, thread: usize) {
        if let Some(counters) = self.counters(thread) {
            counters.opened.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn joins(&self, thread: usize) {
        if let Some(counters) = self.counters(thread) {
            counters.joined.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The thread has no work from now on.
    pub(crate) fn begins_to_wait(&self, thread: usize) {
        if let Some(counters) = self.counters(thread) {
            (counters.wait_begin).store(self.nanoseconds(), Ordering::Relaxed);
            counters.waits.store(true, Ordering::Relaxed);
        }
    }

    /// The thread has work again, or the search is over.
    pub(crate) fn ends_to_wait(&self, thread: usize) {
        if let Some(counters) = self.counters(thread)
            && counters.waits.swap(false, Ordering::Relaxed)
        {
            let begin = counters.wait_begin.load(Ordering::Relaxed);
            let waited = self.nanoseconds().saturating_sub(begin);
            counters.idle.fetch_add(waited, Ordering::Relaxed);
        }
    }
}
