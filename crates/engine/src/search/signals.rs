//! How a running search is reached from outside, and how it knows the time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use everymove_kernel::run::Stop;

use super::limits::Budget;

/// Stop, ponder and clock of one search. Every access is relaxed: the flags carry no data.
#[derive(Debug)]
pub struct Signals {
    stopped: AtomicBool,
    pondering: AtomicBool,
    begin: Instant,
    /// Nanoseconds after `begin` at which the own clock started to run.
    start: AtomicU64,
    budget: Option<Budget>,
    /// Ends the search, too.
    outer: Stop,
}

impl Signals {
    /// Signals of a search that begins now.
    pub fn new(budget: Option<Budget>, pondering: bool) -> Self {
        Self {
            stopped: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            begin: Instant::now(),
            start: AtomicU64::new(0),
            budget,
            outer: Stop::default(),
        }
    }

    /// The same, but a raised flag of a greater work ends the search within a few thousand nodes.
    #[must_use]
    pub fn under(self, outer: Stop) -> Self {
        Self { outer, ..self }
    }

    /// Ends the search as soon as it looks.
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
        self.start.store(now, Ordering::Relaxed);
        self.pondering.store(false, Ordering::Relaxed);
    }

    /// Whether the opponent's clock runs.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }

    /// Since the search began.
    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// The time for the move, `None` without a clock.
    pub(crate) fn budget(&self) -> Option<Budget> {
        self.budget
    }

    /// Of the own clock.
    pub(crate) fn spent(&self) -> Duration {
        let start = Duration::from_nanos(self.start.load(Ordering::Relaxed));
        self.begin.elapsed().saturating_sub(start)
    }

    /// Whether the search may not go on at all.
    pub(crate) fn is_over(&self) -> bool {
        let over = |budget: &Budget| self.spent() >= budget.hard;
        let out_of_time = !self.is_pondering() && self.budget.as_ref().is_some_and(over);
        out_of_time || self.outer.is_raised()
    }

    /// Whether another iteration is not worth beginning; `share` stretches or shrinks the budget.
    pub(crate) fn enough(&self, share: f64) -> bool {
        let over =
            |budget: &Budget| self.spent() >= budget.hard.min(budget.soft.mul_f64(share.max(0.0)));
        !self.is_pondering() && self.budget.as_ref().is_some_and(over)
    }
}
