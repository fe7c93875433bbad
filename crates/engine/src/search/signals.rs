//! How a running search is reached from outside: stop, ponder hit, and when it began.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use everymove_kernel::run::Stop;

use super::activity::Activity;
use super::limits::Limits;

/// Stop, ponder hit and start time of one search. Every access is relaxed: the flags carry no data.
///
/// The time for a move is no part of it: [`crate::Engine::search`] derives it from [`crate::Limits::clock`].
#[derive(Debug)]
pub struct Signals {
    stopped: AtomicBool,
    ponder_hit: AtomicBool,
    begin: Instant,
    /// Nanoseconds after `begin` at which the own clock started to run.
    clock_start: AtomicU64,
    /// A stop flag of the caller that ends the search, too.
    outer: Stop,
    /// Counters of the threads, for a display.
    activity: Option<Arc<Activity>>,
}

impl Default for Signals {
    fn default() -> Self {
        Self::new()
    }
}

impl Signals {
    /// Signals of a search whose time counts from now.
    pub fn new() -> Self {
        Self::with_stop(Stop::default())
    }

    /// The same; the search also ends, within about a thousand nodes of each thread, once `outer` is raised.
    pub fn with_stop(outer: Stop) -> Self {
        Self {
            stopped: AtomicBool::new(false),
            ponder_hit: AtomicBool::new(false),
            begin: Instant::now(),
            clock_start: AtomicU64::new(0),
            outer,
            activity: None,
        }
    }

    /// The same; what each thread does is counted in `activity`.
    #[must_use]
    pub fn counting(self, activity: Arc<Activity>) -> Self {
        Self {
            activity: Some(activity),
            ..self
        }
    }

    /// The counters of the threads, if there are any.
    pub(crate) fn activity(&self) -> Option<&Activity> {
        self.activity.as_deref()
    }

    /// Ends the search: every thread reads this flag at every node.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the search must end.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// The move pondered on was played: the own clock runs from now on.
    pub fn ponder_hit(&self) {
        let now = self.begin.elapsed().as_nanos() as u64;
        self.clock_start.store(now, Ordering::Relaxed);
        self.ponder_hit.store(true, Ordering::Relaxed);
    }

    /// Whether [`Self::ponder_hit`] was called.
    pub(crate) fn is_ponder_hit(&self) -> bool {
        self.ponder_hit.load(Ordering::Relaxed)
    }

    /// Whether the stop flag of the caller is raised.
    pub(crate) fn is_stopped_from_outside(&self) -> bool {
        self.outer.is_raised()
    }

    /// Whether a search waits for endgame tables that are being checked.
    pub(crate) fn allow_waiting(&self, limits: &Limits) -> bool {
        limits.are_of_work() && !self.is_stopped() && !self.is_stopped_from_outside()
    }

    /// Since the search began.
    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Time used on the own clock.
    pub(crate) fn spent(&self) -> Duration {
        let start = Duration::from_nanos(self.clock_start.load(Ordering::Relaxed));
        self.begin.elapsed().saturating_sub(start)
    }
}
