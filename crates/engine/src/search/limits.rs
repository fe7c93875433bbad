//! When a search ends: depth, nodes, a mate, or the clock.

use std::time::Duration;

use shakmaty::Move;

/// What `go` says.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Iterations.
    pub depth: Option<u32>,
    /// Nodes of all threads together; one thread obeys exactly.
    pub nodes: Option<u64>,
    /// Until a mate in so many moves is found.
    pub mate: Option<u32>,
    /// The clock; `None` for no limit in time.
    pub clock: Option<Clock>,
    /// Only these root moves; empty for all.
    pub root_moves: Vec<Move>,
    /// Goes on until told to stop, whatever is found.
    pub infinite: bool,
    /// Begins on the opponent's time.
    pub ponder: bool,
}

/// A clock, as a player sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// A fixed time for this move.
    PerMove(Duration),
    /// What is left for the game.
    Game {
        /// On the own clock.
        left: Duration,
        /// Added after each move.
        increment: Duration,
        /// Moves until more time is added; `None` for the rest of the game.
        moves_to_go: Option<u32>,
    },
}

/// Time that is left alone on a clock with enough of it.
const RESERVE: Duration = Duration::from_millis(250);

/// How long to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// No iteration begins after this, more or less.
    pub soft: Duration,
    /// Nothing goes on after this.
    pub hard: Duration,
}

impl Clock {
    /// The time for a move, if `overhead` is lost between the engine and its clock on each.
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
                // Never more than is really there, whatever the increment promises; and a reserve stays for the moment when the machine
                // does something else.
                let reserve = RESERVE.min(left.mul_f64(0.4));
                let usable = left.saturating_sub(overhead + reserve).max(left / 20);
                let moves = f64::from(moves_to_go.unwrap_or(40).clamp(1, 40));
                let gained = increment.saturating_sub(overhead).mul_f64(0.75);
                let soft = usable.div_f64(if moves_to_go == Some(1) {
                    1.1
                } else {
                    moves * 0.8
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
