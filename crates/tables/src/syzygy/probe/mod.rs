//! Looks positions up in Syzygy files.
//!
//! `files`: folders of files; `pieces`: a position and its moves as sets of squares; `search`: what
//! a probe reads and in which order.

mod files;
mod pieces;
mod search;

use shakmaty::{Chess, Position};

use crate::error::{TableError, covered};
use crate::probe::{Choice, Probed, Value, best_line, choices};
use crate::syzygy::file::parse::{LOSS_PLIES, SubTable, WIN_PLIES};

pub use files::{Faults, Patience, SyzygyFolder};
use search::{Interrupted, Searched};

/// The value of a position for the side to move, under the fifty-move rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
    /// Mated, or mated in time.
    Loss,
    /// Lost but for the fifty-move rule.
    BlessedLoss,
    /// Neither side can force mate.
    Draw,
    /// Won but for the fifty-move rule.
    CursedWin,
    /// Mates in time.
    Win,
}

/// Whether a distance is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// It is.
    Exact,
    /// The file stores moves: the distance may be a ply too few.
    Rounded,
}

impl Wdl {
    const ALL: [Self; 5] = [
        Self::Loss,
        Self::BlessedLoss,
        Self::Draw,
        Self::CursedWin,
        Self::Win,
    ];

    fn from_value(value: u16) -> Option<Self> {
        Self::ALL.get(usize::from(value)).copied()
    }

    /// The next better value; that of [`Wdl::Win`] is itself.
    fn next_better(self) -> Self {
        Self::ALL[(self as usize + 1).min(4)]
    }

    /// The value for the other side.
    pub fn negated(self) -> Self {
        Self::ALL[4 - self as usize]
    }

    /// The signed distance of a position whose next move is zeroing: 1 ply, or 101 if the
    /// fifty-move rule makes it a draw.
    fn zeroing_distance(self) -> i32 {
        [-1, -101, 0, 101, 1][self as usize]
    }
}

impl Value {
    /// From signed plies: positive for wins, negative for losses.
    pub(crate) fn of_dtz(plies: i32) -> Self {
        let distance = plies.unsigned_abs() as u16;
        match plies.signum() {
            1 => Self::Win(distance),
            -1 => Self::Loss(distance),
            _ => Self::Draw,
        }
    }
}

impl SyzygyFolder {
    /// The value of a position, captures en passant included.
    ///
    /// # Errors
    /// [`TableError`] if the position has castling rights or too many pieces, or a file is missing
    /// or damaged.
    pub fn wdl(&self, position: &Chess) -> Result<Wdl, TableError> {
        let found = self.search(position, None, |search, pieces| {
            search.wdl(pieces, Wdl::Loss, Wdl::Win)
        });
        found.map_err(|interrupted| self.error(interrupted))
    }

    /// Plies to the next zeroing move with best play: positive for wins, negative for losses, 0 for
    /// draws; 101 and more where the fifty-move rule makes it a draw. A file that stores moves
    /// gives one ply too few for some positions, never for one won in 100 plies.
    ///
    /// # Errors
    /// As [`SyzygyFolder::wdl`].
    pub fn dtz(&self, position: &Chess) -> Result<i32, TableError> {
        Ok(self.dtz_and_rounding(position)?.0)
    }

    /// The same, and whether it may be a ply too few.
    ///
    /// # Errors
    /// As [`SyzygyFolder::wdl`].
    pub fn dtz_and_rounding(&self, position: &Chess) -> Result<(i32, Rounding), TableError> {
        let found = self.search(position, None, |search, pieces| search.dtz(pieces));
        found.map_err(|interrupted| self.error(interrupted))
    }

    /// The value of a position; `None` where files do not have it. With patience, also where a file
    /// cannot be used, which is noted in [`SyzygyFolder::faults`], or is still being checked.
    #[inline]
    pub(crate) fn known_wdl(
        &self,
        position: &Chess,
        patience: Option<Patience<'_>>,
    ) -> Result<Option<Wdl>, TableError> {
        let found = self.search(position, patience, |search, pieces| {
            search.wdl(pieces, Wdl::Loss, Wdl::Win)
        });
        self.known(found, patience)
    }

    /// The same for plies to the next zeroing move.
    pub(crate) fn known_dtz(
        &self,
        position: &Chess,
        patience: Option<Patience<'_>>,
    ) -> Result<Option<(i32, Rounding)>, TableError> {
        let found = self.search(position, patience, |search, pieces| search.dtz(pieces));
        self.known(found, patience)
    }

    #[inline]
    fn known<T>(
        &self,
        found: Searched<T>,
        patience: Option<Patience<'_>>,
    ) -> Result<Option<T>, TableError> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(Interrupted::BeingChecked) => Ok(None),
            Err(Interrupted::Unusable { .. }) if patience.is_some() => Ok(None),
            Err(interrupted) => covered(Err(self.error(interrupted))),
        }
    }

    /// The value of a position and of all its moves, the best first, with plies as of
    /// [`SyzygyFolder::dtz`].
    ///
    /// # Errors
    /// As [`SyzygyFolder::wdl`].
    pub fn probe(&self, position: &Chess) -> Result<Probed, TableError> {
        let value = if position.is_checkmate() {
            Value::Loss(0)
        } else {
            Value::of_dtz(self.dtz(position)?)
        };
        let moves = choices(position, |play, next| {
            Ok(if play.is_zeroing() {
                Value::of_dtz(self.wdl(next)?.negated().zeroing_distance())
            } else {
                Value::of_dtz(self.dtz(next)?).before()
            })
        })?;
        Ok(Probed { value, moves })
    }

    /// The best play of both sides from a position, until mate, a draw or `limit` plies.
    ///
    /// # Errors
    /// As [`SyzygyFolder::wdl`].
    pub fn line(&self, position: &Chess, limit: usize) -> Result<Vec<Choice>, TableError> {
        best_line(position, limit, |position, _| self.probe(position))
    }
}

/// The plies beyond the shortest distance of a class (1 or 101) that a stored value stands for, and
/// whether they are exact; `None` if the value has no meaning.
pub(crate) fn distance(sub: &SubTable, wdl: Wdl, value: u16) -> Option<(u16, Rounding)> {
    let (class, exact) = match wdl {
        Wdl::Win => (0, sub.flags & WIN_PLIES != 0),
        Wdl::Loss => (1, sub.flags & LOSS_PLIES != 0),
        Wdl::CursedWin => (2, false),
        Wdl::BlessedLoss => (3, false),
        Wdl::Draw => return None,
    };
    let distance = match &sub.maps {
        None => value,
        Some(maps) => *maps[class].get(usize::from(value))?,
    };
    Some(match exact {
        true => (distance, Rounding::Exact),
        false => (2 * distance, Rounding::Rounded),
    })
}
