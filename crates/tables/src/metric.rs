//! What the distances count.
//!
//! Within a half, distances are *codes*: small numbers, 0 for "not forced". The attacker to move wins with code c; the
//! defender to move loses with code c; and a loss of code c has parents that are wins of code c, which have parents that
//! are losses of code c + `stride`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// What a distance is the distance to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// Plies to mate.
    Mate,
    /// Plies to the next capture or pawn move, or to mate, under the fifty-move rule; beyond 100 the rule makes it a draw.
    Zeroing,
}

/// A text that names no metric.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a metric: expected dtm (plies to mate) or dtz (plies to a zeroing move)")]
pub struct NotAMetric(String);

/// A code for positions that cannot occur.
pub(crate) const ILLEGAL: u8 = 255;

impl Metric {
    /// The ending of the file names.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Mate => "dtm",
            Self::Zeroing => "dtz",
        }
    }

    /// From a loss's code to that of the losses two plies above it.
    pub(crate) fn stride(self) -> u16 {
        match self {
            Self::Mate => 1,
            Self::Zeroing => 2,
        }
    }

    /// Plies of a win with a code of at least 1.
    pub(crate) fn win_plies(self, code: u16) -> u16 {
        match self {
            Self::Mate => 2 * code - 1,
            Self::Zeroing => code,
        }
    }

    /// Plies of a loss with a code of at least 1.
    pub(crate) fn loss_plies(self, code: u16) -> u16 {
        match self {
            Self::Mate => 2 * code - 2,
            Self::Zeroing => code - 1,
        }
    }

    /// The win's code of a conversion to a loss with a code; 0 stays 0.
    pub(crate) fn win_by_conversion(self, loss: u8) -> u8 {
        match (self, loss) {
            (_, 0) => 0,
            (Self::Mate, code) => code,
            (Self::Zeroing, 1..=101) => 1,
            (Self::Zeroing, _) => 101,
        }
    }

    /// The loss's code of a conversion to a win with a code; 0 stays 0.
    pub(crate) fn loss_by_conversion(self, win: u8) -> u8 {
        match (self, win) {
            (_, 0) => 0,
            (Self::Mate, code) => code + 1,
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
            _ => Err(NotAMetric(text.to_owned())),
        }
    }
}
