//! Looks up positions in whatever tables a directory has: those of this crate, or Syzygy files.

use std::path::Path;

use shakmaty::{Chess, Position};

use crate::error::TableError;
use crate::metric::Metric;
use crate::position::material::Material;
use crate::probe::{Choice, Probed, material_of};
use crate::store::Tables;
use crate::syzygy::SyzygyFolder;

/// Tables of either kind.
#[derive(Debug)]
pub enum AnyTables {
    /// Tables of this crate's own format.
    Own(Tables),
    /// Syzygy files, whose plies to a zeroing move are exact to one ply.
    Syzygy(SyzygyFolder),
}

/// Which kind of tables is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// Own tables of plies to mate, or of plies to a zeroing move, Syzygy files, own tables of plies to mate under the fifty-move rule, or of
    /// plies to conversion: the first that exist.
    #[default]
    Any,
    /// Own tables of a metric.
    Metric(Metric),
    /// Syzygy files.
    Syzygy,
    /// The tables that determine most of what the fifty-move rule leaves of a win: own tables of plies to mate under that rule, of plies to a
    /// zeroing move, Syzygy files, or own tables of plies to mate or to conversion, the first that exist.
    FiftyMoves,
}

impl AnyTables {
    /// Returns the tables of a directory that have an ending. Own tables come first, since they are exact to the ply;
    /// if there are none at all, the missing one is that of plies to mate.
    pub fn of(folder: &Path, material: &Material, wanted: Wanted) -> Self {
        let own = |metric| Self::Own(Tables::new(folder, metric));
        match wanted {
            Wanted::Metric(metric) => own(metric),
            Wanted::Syzygy => Self::Syzygy(SyzygyFolder::new(folder)),
            Wanted::Any | Wanted::FiftyMoves => {
                let has = |metric| Tables::new(folder, metric).has(material);
                let syzygy = SyzygyFolder::new(folder);
                if wanted == Wanted::Any && has(Metric::Mate) {
                    own(Metric::Mate)
                } else if wanted == Wanted::FiftyMoves && has(Metric::MateFifty) {
                    own(Metric::MateFifty)
                } else if has(Metric::Zeroing) {
                    own(Metric::Zeroing)
                } else if syzygy.has_any(material) {
                    // Where one of the two files is missing, the error names it.
                    Self::Syzygy(syzygy)
                } else if has(Metric::MateFifty) {
                    own(Metric::MateFifty)
                } else if !has(Metric::Mate) && has(Metric::Conversion) {
                    own(Metric::Conversion)
                } else {
                    own(Metric::Mate)
                }
            }
        }
    }

    /// Sets the bytes of the cache of blocks of tables of our own: 64 MiB unless set. Syzygy files are mapped instead.
    #[must_use]
    pub fn with_cache(self, bytes: u64) -> Self {
        match self {
            Self::Own(tables) => Self::Own(tables.with_cache(bytes)),
            syzygy @ Self::Syzygy(_) => syzygy,
        }
    }

    /// Returns the tables that have the ending of a position. Two bare kings need none: they are a draw.
    ///
    /// # Errors
    /// [`TableError::Position`] if there are castling rights or too many pieces.
    pub fn for_position(
        folder: &Path,
        position: &Chess,
        wanted: Wanted,
    ) -> Result<Self, TableError> {
        if position.board().occupied().count() == 2 {
            let metric = match wanted {
                Wanted::Any => Metric::Mate,
                Wanted::Metric(metric) => metric,
                Wanted::Syzygy | Wanted::FiftyMoves => Metric::Zeroing,
            };
            return Ok(Self::Own(Tables::new(folder, metric)));
        }
        Ok(Self::of(folder, &material_of(position)?, wanted))
    }

    /// Whether no other kind of tables comes before this one where `wanted` is looked for.
    pub fn are_first_choice(&self, wanted: Wanted) -> bool {
        match (wanted, self) {
            (Wanted::Syzygy, Self::Syzygy(_)) => true,
            (Wanted::Any, Self::Own(tables)) => tables.metric() == Metric::Mate,
            (Wanted::FiftyMoves, Self::Own(tables)) => tables.metric() == Metric::MateFifty,
            (Wanted::Metric(metric), Self::Own(tables)) => tables.metric() == metric,
            _ => false,
        }
    }

    /// Whether there is a table of an ending.
    pub fn has(&self, material: &Material) -> bool {
        match self {
            Self::Own(tables) => tables.has(material),
            Self::Syzygy(folder) => folder.has(material),
        }
    }

    /// What the distances count.
    pub fn metric(&self) -> Metric {
        match self {
            Self::Own(tables) => tables.metric(),
            Self::Syzygy(_) => Metric::Zeroing,
        }
    }

    /// As [`Tables::probe`].
    ///
    /// # Errors
    /// As [`Tables::value`].
    pub fn probe(&self, position: &Chess) -> Result<Probed, TableError> {
        match self {
            Self::Own(tables) => tables.probe(position),
            Self::Syzygy(folder) => folder.probe(position),
        }
    }

    /// As [`Tables::line`].
    ///
    /// # Errors
    /// As [`Tables::value`].
    pub fn line(&self, position: &Chess, limit: usize) -> Result<Vec<Choice>, TableError> {
        match self {
            Self::Own(tables) => tables.line(position, limit),
            Self::Syzygy(folder) => folder.line(position, limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::{Value, read_position};

    #[test]
    fn two_kings_are_a_draw_without_any_table() {
        let position = read_position("8/8/8/8/8/2k5/8/K7 w - - 0 1").unwrap();
        let folder = Path::new("there is no such directory");
        for wanted in [Wanted::Any, Wanted::Syzygy, Wanted::FiftyMoves] {
            let tables = AnyTables::for_position(folder, &position, wanted).unwrap();
            let probed = tables.probe(&position).unwrap();
            assert_eq!(probed.value, Value::Draw);
            assert!(!probed.moves.is_empty());
            assert!(probed.moves.iter().all(|m| m.value == Value::Draw));
        }
    }
}
