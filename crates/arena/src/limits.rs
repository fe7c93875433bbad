//! What limits the search for a move: clocks, times, nodes, depths.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{LimitsError, TimeControlError};

/// A chess clock: a time for a number of moves or for the whole game, and an increment for each
/// move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeControl {
    /// The number of moves after which `base` is added again; `None` if `base` is for the whole
    /// game.
    pub moves: Option<u32>,
    /// The time on the clock at the start.
    pub base: Duration,
    /// Added after each move.
    pub increment: Duration,
}

/// What limits the search for a move. At least one limit is set; several may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// A clock.
    pub clock: Option<TimeControl>,
    /// A fixed time for each move.
    pub move_time: Option<Duration>,
    /// A number of nodes.
    pub nodes: Option<u64>,
    /// A depth in plies.
    pub depth: Option<u32>,
}

impl Limits {
    /// Returns the same limits if there is one and none contradicts another.
    ///
    /// # Errors
    /// [`LimitsError`].
    pub fn checked(self) -> Result<Self, LimitsError> {
        if self == Self::default() {
            return Err(LimitsError::None);
        }
        if self.clock.is_some() && self.move_time.is_some() {
            return Err(LimitsError::TwoTimes);
        }
        if self.nodes == Some(0) {
            return Err(LimitsError::Zero("nodes"));
        }
        if self.depth == Some(0) {
            return Err(LimitsError::Zero("plies"));
        }
        if self.move_time == Some(Duration::ZERO) {
            return Err(LimitsError::Zero("seconds"));
        }
        Ok(self)
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.clock.map(|c| c.to_string()),
            self.move_time
                .map(|t| format!("{} s a move", t.as_secs_f64())),
            self.nodes.map(|n| format!("{n} nodes")),
            self.depth.map(|d| format!("depth {d}")),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        let bad = || TimeControlError(text.to_owned());
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => {
                let moves = moves.parse().ok().filter(|&m| m > 0).ok_or_else(bad)?;
                (Some(moves), rest)
            }
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let base = match base.split_once(':') {
            None => seconds(base),
            Some((minutes, rest)) => {
                let minutes = minutes.parse::<u32>().ok();
                minutes
                    .zip(seconds(rest))
                    .map(|(m, s)| Duration::from_secs(60 * u64::from(m)) + s)
            }
        };
        let base = base.filter(|b| !b.is_zero()).ok_or_else(bad)?;
        let increment = seconds(increment).ok_or_else(bad)?;
        Ok(Self {
            moves,
            base,
            increment,
        })
    }
}

fn seconds(text: &str) -> Option<Duration> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let value: f64 = text.parse().ok().filter(|_| plain)?;
    (value <= 1e7).then(|| Duration::from_secs_f64(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_read_as_people_write_them() {
        for (text, shown) in [
            ("1+0.01", "1+0.01"),
            ("40/120", "40/120"),
            ("40/1:30+1", "40/90+1"),
            ("0.5", "0.5"),
            ("2:00+1.5", "120+1.5"),
        ] {
            let control: TimeControl = text.parse().unwrap();
            assert_eq!(control.to_string(), shown);
            assert_eq!(shown.parse::<TimeControl>().unwrap(), control);
        }
        for text in [
            "", "0", "x", "1+", "0/10", "40/", "-1", "1e5", "inf", "nan", "1+1+1", "1+-1",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn limits_must_limit() {
        assert_eq!(Limits::default().checked(), Err(LimitsError::None));
        let nodes = |n| Limits {
            nodes: Some(n),
            ..Limits::default()
        };
        assert_eq!(nodes(0).checked(), Err(LimitsError::Zero("nodes")));
        assert_eq!(nodes(7).checked().unwrap().to_string(), "7 nodes");
    }
}
