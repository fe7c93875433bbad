//! Distances and their encoding.
//!
//! Within a half, a distance is stored as an *encoded distance*, called `code` in the source: a small number, 0 for
//! "not forced". A win of the attacker to move and a loss of the defender to move have codes; a loss of code c has
//! predecessors that are wins of code c, which have predecessors that are losses of code c + `stride`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The event that a distance is counted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// Plies to mate.
    Mate,
    /// Plies to the next capture or pawn move, or to mate, under the fifty-move rule: beyond 100 plies the game is
    /// drawn.
    Zeroing,
    /// Plies to mate under the fifty-move rule, which makes a game a draw at 100 plies without a capture or pawn move unless the last of
    /// them mates. The distance depends on the half-move clock.
    MateFifty,
}

/// A text that is no metric.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "'{0}' is not a metric: expected dtm (plies to mate), dtz (plies to a zeroing move) or dtm50 (plies to mate under the fifty-move rule)"
)]
pub struct NotAMetric(String);

/// The code of illegal positions.
pub(crate) const ILLEGAL: u8 = 255;

impl Metric {
    /// The extension of the file names.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Mate => "dtm",
            Self::Zeroing => "dtz",
            Self::MateFifty => "dtm50",
        }
    }

    /// Whether a distance depends on the half-move clock, so that a table holds more than the distances for a clock of 0.
    pub(crate) fn depends_on_clock(self) -> bool {
        self == Self::MateFifty
    }

    /// Number of sections of a half in a table file.
    pub(crate) fn sections_of_half(self) -> usize {
        if self.depends_on_clock() { 6 } else { 2 }
    }

    /// Returns the difference between the codes of a loss and of the losses two plies before it.
    pub(crate) fn stride(self) -> u16 {
        match self {
            Self::Mate | Self::MateFifty => 1,
            Self::Zeroing => 2,
        }
    }

    /// Returns the plies of a win; `code` is at least 1.
    pub(crate) fn win_plies(self, code: u16) -> u16 {
        match self {
            Self::Mate | Self::MateFifty => 2 * code - 1,
            Self::Zeroing => code,
        }
    }

    /// Returns the plies of a loss; `code` is at least 1.
    pub(crate) fn loss_plies(self, code: u16) -> u16 {
        match self {
            Self::Mate | Self::MateFifty => 2 * code - 2,
            Self::Zeroing => code - 1,
        }
    }

    /// Returns the code of a win by a conversion to a loss; 0 stays 0.
    pub(crate) fn win_by_conversion(self, loss: u8) -> u8 {
        match (self, loss) {
            (_, 0) => 0,
            (Self::Mate | Self::MateFifty, code) => code,
            (Self::Zeroing, 1..=101) => 1,
            (Self::Zeroing, _) => 101,
        }
    }

    /// Returns the code of a loss by a conversion to a win; 0 stays 0.
    pub(crate) fn loss_by_conversion(self, win: u8) -> u8 {
        match (self, win) {
            (_, 0) => 0,
            (Self::Mate | Self::MateFifty, code) => code + 1,
            (Self::Zeroing, 1..=100) => 2,
            (Self::Zeroing, _) => 102,
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}

impl FromStr for Metric {
    type Err = NotAMetric;

    fn from_str(text: &str) -> Result<Self, NotAMetric> {
        match text {
            "dtm" => Ok(Self::Mate),
            "dtz" => Ok(Self::Zeroing),
            "dtm50" => Ok(Self::MateFifty),
            _ => Err(NotAMetric(text.to_owned())),
        }
    }
}
