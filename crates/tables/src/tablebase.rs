//! The tables of some folders, of this crate's own format and Syzygy files, through which positions
//! are looked up.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use everymove_kernel::system::split_paths;
use rustc_hash::FxHashMap;
use shakmaty::{Chess, Position};

use crate::clock::{AtClock, ClockValue};
use crate::error::{TableError, covered};
use crate::metric::Metric;
use crate::position::material::Material;
use crate::probe::{Choice, Probed, Value, material_of};
use crate::stats::FIFTY_MOVES;
use crate::store::Tables;
use crate::store::block_cache::BlockCache;
use crate::store::directory::tables_in;
use crate::store::locate::{material_key, piece_key};
use crate::syzygy::{Faults, Patience, Rounding, SyzygyFolder, Wdl};

/// Tables of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Tables of this crate's own format.
    Own(Metric),
    /// Syzygy files, whose plies to a zeroing move are exact to one ply.
    Syzygy,
}

impl Source {
    /// What the distances count.
    pub fn metric(self) -> Metric {
        match self {
            Self::Own(metric) => metric,
            Self::Syzygy => Metric::Zeroing,
        }
    }
}

/// Which kind of tables is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// Own tables of plies to mate, or of plies to a zeroing move, Syzygy files, own tables of
    /// plies to mate under the fifty-move rule, or of plies to conversion: the first that
    /// exist.
    #[default]
    Any,
    /// Tables of one kind.
    Only(Source),
    /// The tables that determine most of what the fifty-move rule leaves of a win: own tables of
    /// plies to mate under that rule, of plies to a zeroing move, Syzygy files, or own tables
    /// of plies to mate or to conversion, the first that exist.
    FiftyMoves,
}

/// The tables that some folders have when it is opened. Files are opened on first use and stay
/// open; all threads may look positions up.
///
/// Where several folders have a table, that of the first is used. A table of our own and those that
/// its captures en passant lead to must be in one folder.
///
/// ```no_run
/// use everymove_tables::syzygy::Wdl;
/// use everymove_tables::{Tablebase, probe};
///
/// let (tables, _) = Tablebase::open(&["/tables/own"], &["/tables/3-4-5", "/tables/6"]);
/// let position = probe::read_position("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")?;
/// assert_eq!(tables.wdl(&position, None)?, Some(Wdl::Win));
/// # Ok::<(), everymove_tables::TableError>(())
/// ```
#[derive(Debug)]
pub struct Tablebase {
    own: OwnTables,
    syzygy: SyzygyFolder,
    /// The folders, and when each had changed last; none if that was just before.
    seen: Vec<(PathBuf, Option<SystemTime>)>,
}

/// The tables of our own.
#[derive(Debug, Default)]
struct OwnTables {
    /// By folder and metric.
    folders: Vec<[Tables; 4]>,
    /// By the pieces of a board and metric: the folder that has a table.
    endings: FxHashMap<u64, [Option<usize>; 4]>,
    most_pieces: usize,
}

/// How long after its last change the contents of a folder may change without another time of
/// change.
const SETTLED: Duration = Duration::from_secs(2);

impl Default for Tablebase {
    fn default() -> Self {
        Self::open::<&Path>(&[], &[]).0
    }
}

impl Tablebase {
    /// The tables of our own of some folders, and the Syzygy files of some, which may be the same;
    /// with the errors of folders that cannot be listed, first those of our own tables, then of
    /// Syzygy files, also of folders that have none of these.
    pub fn open<P: AsRef<Path>>(own: &[P], syzygy: &[P]) -> (Self, [Vec<TableError>; 2]) {
        let now = SystemTime::now();
        let seen = own.iter().chain(syzygy).map(|folder| {
            let settled = |&time: &SystemTime| now.duration_since(time).is_ok_and(|d| d > SETTLED);
            let folder = folder.as_ref().to_owned();
            let time = changed(&folder).filter(settled);
            (folder, time)
        });
        let seen = seen.collect();
        let (own, errors) = OwnTables::open(own);
        let (syzygy, unusable) = SyzygyFolder::open(syzygy);
        let opened = Self { own, syzygy, seen };
        (opened, [errors, unusable])
    }

    /// Sets the bytes of the cache of blocks of tables of our own: 64 MiB for each kind unless set.
    /// Syzygy files are mapped instead.
    #[must_use]
    pub fn with_cache(mut self, bytes: u64) -> Self {
        let cache = Arc::new(BlockCache::new(bytes));
        for tables in self.own.folders.iter_mut().flatten() {
            tables.share_cache(cache.clone());
        }
        self
    }

    /// Whether the folders have the files that they had when they were opened; not if they changed
    /// just before.
    pub fn is_current(&self) -> bool {
        let mut seen = self.seen.iter();
        seen.all(|(folder, time)| time.is_some() && changed(folder) == *time)
    }

    /// The most pieces, kings included, of an ending with a table of our own or a Syzygy file of
    /// win, draw or loss; 0 if there is none.
    #[inline]
    pub fn most_pieces(&self) -> usize {
        self.own.most_pieces.max(self.syzygy.most_pieces())
    }

    /// The same for tables of our own.
    pub fn most_own_pieces(&self) -> usize {
        self.own.most_pieces
    }

    /// The Syzygy files.
    pub fn syzygy(&self) -> &SyzygyFolder {
        &self.syzygy
    }

    /// What is wrong with files that a search needed.
    pub fn faults(&self) -> &Faults {
        self.syzygy.faults()
    }

    /// What was found; an error is kept in [`Self::faults`].
    pub fn noted<T>(&self, found: Result<Option<T>, TableError>) -> Option<T> {
        found.unwrap_or_else(|error| {
            self.faults().note(&error);
            None
        })
    }

    /// The value of a position under the fifty-move rule, the half-move clock being 0; `None` where
    /// no table determines it. A table of plies to mate alone does not determine wins of more
    /// than 100 plies.
    ///
    /// A search passes its `patience`: a Syzygy file that is missing, damaged or, once the patience
    /// is over, still being checked is not used then. What is wrong with it is kept in
    /// [`Self::faults`]. Without patience the lookup waits.
    ///
    /// # Errors
    /// [`TableError`] if a table is damaged; a missing table is no error.
    #[inline]
    pub fn wdl(
        &self,
        position: &Chess,
        patience: Option<Patience<'_>>,
    ) -> Result<Option<Wdl>, TableError> {
        if position.is_insufficient_material() {
            return Ok(Some(Wdl::Draw));
        }
        if let Some(wdl) = self.syzygy.known_wdl(position, patience)? {
            return Ok(Some(wdl));
        }
        if let Some(value) = self.own.value(Metric::Zeroing, position)? {
            return Ok(Some(match value {
                Value::Win(n) if n > FIFTY_MOVES => Wdl::CursedWin,
                Value::Win(_) => Wdl::Win,
                Value::Draw => Wdl::Draw,
                Value::Loss(n) if n > FIFTY_MOVES => Wdl::BlessedLoss,
                Value::Loss(_) => Wdl::Loss,
            }));
        }
        Ok(match self.own.value(Metric::Mate, position)? {
            Some(Value::Win(n)) if n <= FIFTY_MOVES => Some(Wdl::Win),
            Some(Value::Loss(n)) if n <= FIFTY_MOVES => Some(Wdl::Loss),
            Some(Value::Draw) => Some(Wdl::Draw),
            _ => None,
        })
    }

    /// The value of a position with its plies to a capture, a pawn move or mate, beyond 100 where
    /// the fifty-move rule makes it a draw, and whether they are exact; `None` where no table
    /// has them. Checkmate is a loss in 0 plies. `patience` as for [`Self::wdl`].
    ///
    /// # Errors
    /// As [`Self::wdl`].
    pub fn dtz(
        &self,
        position: &Chess,
        patience: Option<Patience<'_>>,
    ) -> Result<Option<(Value, Rounding)>, TableError> {
        if position.is_insufficient_material() {
            return Ok(Some((Value::Draw, Rounding::Exact)));
        }
        if let Some(value) = self.own.value(Metric::Zeroing, position)? {
            return Ok(Some((value, Rounding::Exact)));
        }
        let found = self.syzygy.known_dtz(position, patience)?;
        Ok(found.map(|(plies, rounding)| match Value::of_dtz(plies) {
            // Syzygy files count checkmate as a loss in one ply.
            Value::Loss(1) if position.is_checkmate() => (Value::Loss(0), Rounding::Exact),
            value => (value, rounding),
        }))
    }

    /// The value of a position in tables of our own, with the half-move clock of the position for
    /// [`Metric::MateFifty`]; `None` where no table has it.
    ///
    /// # Errors
    /// As [`Self::wdl`].
    #[inline]
    pub fn own(&self, metric: Metric, position: &Chess) -> Result<Option<Value>, TableError> {
        match position.is_insufficient_material() {
            true => Ok(Some(Value::Draw)),
            false => self.own.value(metric, position),
        }
    }

    /// The tables that have an ending. Own tables come first, since they are exact to the ply; if
    /// there are none at all, the missing one is that of plies to mate.
    pub fn source_of(&self, material: &Material, wanted: Wanted) -> Source {
        use Metric::{Conversion, Mate, MateFifty, Zeroing};
        let order = match wanted {
            Wanted::Only(source) => return source,
            Wanted::Any => [
                Source::Own(Mate),
                Source::Own(Zeroing),
                Source::Syzygy,
                Source::Own(MateFifty),
                Source::Own(Conversion),
            ],
            Wanted::FiftyMoves => [
                Source::Own(MateFifty),
                Source::Own(Zeroing),
                Source::Syzygy,
                Source::Own(Mate),
                Source::Own(Conversion),
            ],
        };
        let has = |source: &Source| self.has(*source, material);
        order.into_iter().find(has).unwrap_or(Source::Own(Mate))
    }

    /// The tables that have the ending of a position. Two bare kings need none: they are a draw.
    ///
    /// # Errors
    /// [`TableError::Position`] if there are castling rights or too many pieces.
    pub fn source(&self, position: &Chess, wanted: Wanted) -> Result<Source, TableError> {
        if position.board().occupied().count() > 2 {
            return Ok(self.source_of(&material_of(position)?, wanted));
        }
        Ok(Source::Own(match wanted {
            Wanted::Any => Metric::Mate,
            Wanted::Only(source) => source.metric(),
            Wanted::FiftyMoves => Metric::Zeroing,
        }))
    }

    /// Whether there is a table of an ending; of Syzygy files, at least one of the two: where the
    /// other is missing, the error names it.
    fn has(&self, source: Source, material: &Material) -> bool {
        use crate::syzygy::Contents::{Dtz, Wdl};
        match source {
            Source::Own(metric) => {
                let key = material_key(material.white(), material.black());
                let endings = self.own.endings.get(&key);
                endings.is_some_and(|folders| folders[metric as usize].is_some())
            }
            Source::Syzygy => [Wdl, Dtz].iter().any(|&c| self.syzygy.has(material, c)),
        }
    }

    /// The value of a position with a half-move clock of 0 in tables of one kind, and whether its
    /// distance is exact.
    ///
    /// # Errors
    /// As [`Tables::value`].
    pub fn value(&self, source: Source, position: &Chess) -> Result<(Value, Rounding), TableError> {
        match source {
            Source::Own(metric) => {
                let value = self.own.tables(metric, position)?.value(position)?;
                Ok((value, Rounding::Exact))
            }
            Source::Syzygy if position.is_checkmate() => Ok((Value::Loss(0), Rounding::Exact)),
            Source::Syzygy => {
                let (plies, rounding) = self.syzygy.dtz_and_rounding(position)?;
                Ok((Value::of_dtz(plies), rounding))
            }
        }
    }

    /// The value of a position with its half-move clock. With a clock of 100 or more the game is
    /// drawn unless it is checkmate.
    ///
    /// # Errors
    /// As [`Tables::value`].
    pub fn at_clock(&self, source: Source, position: &Chess) -> Result<AtClock, TableError> {
        let clock = position.halfmoves();
        if let Source::Own(metric @ Metric::MateFifty) = source {
            let tables = self.own.tables(metric, position)?;
            let value = tables.value_with_clock(position, clock)?;
            return Ok(AtClock {
                value: value.into(),
                distance: Some(value),
            });
        }
        let (value, rounding) = self.value(source, position)?;
        Ok(AtClock {
            value: ClockValue::new(value, source.metric(), rounding, clock),
            distance: None,
        })
    }

    /// The value of a position and of all its moves, the best first, after `clock` plies without a
    /// capture or pawn move, as for [`Tables::value_with_clock`].
    ///
    /// # Errors
    /// As [`Tables::value`].
    pub fn probe(
        &self,
        source: Source,
        position: &Chess,
        clock: u32,
    ) -> Result<Probed, TableError> {
        match source {
            Source::Own(metric) => self.own.tables(metric, position)?.probe(position, clock),
            Source::Syzygy => self.syzygy.probe(position),
        }
    }

    /// The best play of both sides from a position, until mate, a draw or `limit` plies, after
    /// `clock` plies without a capture or pawn move, as for [`Tables::value_with_clock`].
    ///
    /// # Errors
    /// As [`Tables::value`].
    pub fn line(
        &self,
        source: Source,
        position: &Chess,
        clock: u32,
        limit: usize,
    ) -> Result<Vec<Choice>, TableError> {
        match source {
            Source::Own(metric) => {
                let tables = self.own.tables(metric, position)?;
                tables.line(position, clock, limit)
            }
            Source::Syzygy => self.syzygy.line(position, limit),
        }
    }
}

impl OwnTables {
    fn open<P: AsRef<Path>>(folders: &[P]) -> (Self, Vec<TableError>) {
        let (mut opened, mut errors) = (Self::default(), Vec::new());
        for (number, folder) in folders.iter().enumerate() {
            let folder = folder.as_ref();
            let tables = Metric::ALL.map(|metric| Tables::new(folder, metric));
            opened.folders.push(tables);
            let found = tables_in(folder, Metric::of_extension);
            let found = found.map_err(|error| errors.push(error));
            for (material, metric) in found.unwrap_or_default() {
                opened.most_pieces = opened.most_pieces.max(material.piece_count());
                let (white, black) = (material.white(), material.black());
                for key in [material_key(white, black), material_key(black, white)] {
                    let folders = opened.endings.entry(key).or_default();
                    folders[metric as usize].get_or_insert(number);
                }
            }
        }
        (opened, errors)
    }

    /// The tables that have a position; those of the first folder if none has it.
    fn tables(&self, metric: Metric, position: &Chess) -> Result<&Tables, TableError> {
        let found = self.endings.get(&piece_key(position));
        let folder = found.and_then(|folders| folders[metric as usize]);
        let folder = self.folders.get(folder.unwrap_or(0));
        let tables = folder.map(|tables| &tables[metric as usize]);
        tables.ok_or_else(|| TableError::Position("there are no folders of tables".to_owned()))
    }

    fn value(&self, metric: Metric, position: &Chess) -> Result<Option<Value>, TableError> {
        if self.endings.is_empty() {
            return Ok(None);
        }
        let found = self.endings.get(&piece_key(position));
        let Some(folder) = found.and_then(|folders| folders[metric as usize]) else {
            return Ok(None);
        };
        let tables = &self.folders[folder][metric as usize];
        covered(tables.value_with_clock(position, position.halfmoves()))
    }
}

/// The folders of a search path, separated as in the variable PATH of the system: by `:`, on
/// Windows by `;`.
pub fn search_path(path: impl AsRef<OsStr>) -> Vec<PathBuf> {
    split_paths(path.as_ref())
        .into_iter()
        .filter(|folder| !folder.as_os_str().is_empty())
        .collect()
}

/// When the names in a folder changed last.
fn changed(folder: &Path) -> Option<SystemTime> {
    folder.metadata().and_then(|found| found.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::read_position;

    #[test]
    fn two_kings_are_a_draw_without_any_table() {
        let position = read_position("8/8/8/8/8/2k5/8/K7 w - - 0 1").unwrap();
        let folder = ["there is no such directory"];
        let (tables, errors) = Tablebase::open(&folder, &folder);
        assert!(errors.iter().all(|errors| errors.len() == 1));
        for wanted in [
            Wanted::Any,
            Wanted::Only(Source::Syzygy),
            Wanted::FiftyMoves,
        ] {
            let source = tables.source(&position, wanted).unwrap();
            let probed = tables.probe(source, &position, 0).unwrap();
            assert_eq!(probed.value, Value::Draw);
            assert!(!probed.moves.is_empty());
            assert!(probed.moves.iter().all(|m| m.value == Value::Draw));
        }
    }
}
