//! When a search ends: limits and clocks that are given before it, signals while it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use everymove_kernel::run::Stop;
use shakmaty::Move;

use super::activity::Activity;
use super::constants;

/// The limits of a search; the default is none.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The last iteration.
    pub depth: Option<u32>,
    /// Nodes of all threads together. One thread stops exactly there; several check every 1024
    /// nodes.
    pub nodes: Option<u64>,
    /// No iteration begins after this number of nodes of its thread.
    pub soft_nodes: Option<u64>,
    /// The search ends when a mate in this number of moves, or fewer, is found.
    pub mate: Option<u32>,
    /// The clock; `None` for no limit in time.
    pub clock: Option<Clock>,
    /// Only these root moves; empty for all.
    pub root_moves: Vec<Move>,
    /// The search continues until [`crate::Signals::stop`], whatever is found.
    pub infinite: bool,
    /// The search begins on the opponent's clock; see [`crate::Signals::ponder_hit`].
    pub ponder: bool,
}

impl Limits {
    /// Whether the result must not depend on time.
    pub(crate) fn are_of_work(&self) -> bool {
        self.clock.is_none() && !self.infinite && !self.ponder
    }
}

/// The clock of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// A fixed time for this move.
    PerMove(Duration),
    /// A clock for the game.
    Game {
        /// Time left.
        left: Duration,
        /// Increment after each move.
        increment: Duration,
        /// Moves until more time is added; `None` for the rest of the game.
        moves_to_go: Option<u32>,
    },
}

/// Time that stays unused on the clock, if there is more of it.
const RESERVE: Duration = Duration::from_millis(250);

/// The time for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// No iteration begins after this time, scaled by how stable the search is.
    pub soft: Duration,
    /// The search is stopped at this time.
    pub hard: Duration,
}

impl Clock {
    /// The time for a move, where `overhead` is lost between the engine and its clock on each move.
    ///
    /// ```
    /// use std::time::Duration;
    /// use everymove_engine::Clock;
    ///
    /// let second = Duration::from_secs(1);
    /// let clock = Clock::Game { left: second, increment: Duration::ZERO, moves_to_go: None };
    /// assert!(clock.budget(second / 100).hard < second / 2);
    /// ```
    pub fn budget(self, overhead: Duration) -> Budget {
        const LEAST: Duration = Duration::from_millis(1);
        match self {
            Self::PerMove(time) => {
                let time = time.saturating_sub(overhead.min(time / 2)).max(LEAST);
                Budget {
                    soft: time,
                    hard: time,
                }
            }
            Self::Game {
                left,
                increment,
                moves_to_go,
            } => {
                // Never more than the clock has, whatever the increment; a reserve remains for
                // delays of the machine.
                let reserve = RESERVE.min(left.mul_f64(0.4));
                let usable = left.saturating_sub(overhead + reserve).max(left / 20);
                let moves = f64::from(moves_to_go.unwrap_or(40).clamp(1, 40));
                let percent = |constant: i32| f64::from(constant) / 100.0;
                let gained = increment
                    .saturating_sub(overhead)
                    .mul_f64(percent(constants::ClockIncrement()));
                let soft = usable.div_f64(if moves_to_go == Some(1) {
                    1.1
                } else {
                    moves * percent(constants::ClockMoves())
                }) + gained;
                let most = usable.mul_f64(if moves_to_go == Some(1) { 0.9 } else { 0.4 });
                let hard = soft.mul_f64(4.0).min(most).max(LEAST);
                Budget {
                    soft: soft.min(hard).max(LEAST),
                    hard,
                }
            }
        }
    }
}

/// Stop, ponder hit and start time of one search. Every access is relaxed: the flags carry no data.
///
/// The time for a move is no part of it: [`crate::Engine::search`] derives it from
/// [`crate::Limits::clock`].
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

    /// The same; the search also ends, within about a thousand nodes of each thread, once `outer`
    /// is raised.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_clock_is_overdrawn(
            left in 1u64..10_000_000, increment in 0u64..100_000, moves in proptest::option::of(0u32..100), overhead in 0u64..5000,
        ) {
            let ms = Duration::from_millis;
            let clock = Clock::Game { left: ms(left), increment: ms(increment), moves_to_go: moves };
            let budget = clock.budget(ms(overhead));
            prop_assert!(budget.soft <= budget.hard);
            let room = ms(left).saturating_sub(ms(overhead)).max(ms(left) / 20).max(ms(1));
            prop_assert!(budget.hard <= room, "{budget:?}");
        }
    }
}
