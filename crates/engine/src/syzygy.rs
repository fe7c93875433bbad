//! Syzygy endgame tables under the fifty-move rule.

use std::path::{Path, PathBuf};

use everymove_tables::syzygy::{self, Faults, Patience, Rounding, SearchTables};
use shakmaty::{Move, Position as _};

use crate::error::SyzygyError;
use crate::position::Position;
use crate::score::{Score, TABLE_WIN};

/// Open tables.
///
/// ```no_run
/// use everymove_engine::{Position, Syzygy, Wdl};
/// use shakmaty::CastlingMode;
///
/// let tables = Syzygy::open_path("/tables/3-4-5:/tables/6")?;
/// let position = Position::from_fen("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", CastlingMode::Standard)?;
/// assert_eq!(tables.probe_wdl(&position, &|| true), Some(Wdl::Win));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Syzygy {
    tables: SearchTables,
    unusable: Vec<SyzygyError>,
}

/// The rank of a move that wins, or is drawn by the fifty-move rule: the distance, which is rounded, does not say which.
const MAYBE_WIN: i32 = 1;
/// The same for losses.
const MAYBE_LOSS: i32 = -1;

/// The value of a position under the fifty-move rule, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wdl {
    /// The side to move wins.
    Win,
    /// A draw, also where the fifty-move rule prevents a win.
    Draw,
    /// The side to move loses.
    Loss,
}

impl Syzygy {
    /// Opens the tables of some directories, separated as in a search path. Directories that cannot be read or hold no
    /// tables are left out, and reported by [`Self::unusable`].
    ///
    /// # Errors
    /// [`SyzygyError`] of the first directory if none can be used.
    pub fn open_path(path: &str) -> Result<Self, SyzygyError> {
        let separator = if cfg!(windows) { ';' } else { ':' };
        let named = path.split(separator).filter(|name| !name.is_empty());
        Self::open(named.map(Path::new))
    }

    fn open<'a>(directories: impl Iterator<Item = &'a Path>) -> Result<Self, SyzygyError> {
        let mut most_pieces = 0;
        let mut folders: Vec<PathBuf> = Vec::new();
        let mut unusable = Vec::new();
        for directory in directories {
            let found = syzygy::most_pieces_in(directory);
            let directory = directory.to_owned();
            match found {
                Ok(0) => unusable.push(SyzygyError::Empty { directory }),
                Ok(pieces) => {
                    most_pieces = most_pieces.max(pieces);
                    folders.push(directory);
                }
                Err(source) => unusable.push(SyzygyError::Unreadable { directory, source }),
            }
        }
        if let Some(tables) = SearchTables::new(folders, most_pieces) {
            return Ok(Self { tables, unusable });
        }
        let directory = PathBuf::new();
        let nameless = SyzygyError::Empty { directory };
        Err(unusable.into_iter().next().unwrap_or(nameless))
    }

    /// Why some of the directories are not used.
    pub fn unusable(&self) -> &[SyzygyError] {
        &self.unusable
    }

    /// The largest number of pieces, kings included.
    pub fn most_pieces(&self) -> usize {
        self.tables.most_pieces()
    }

    /// What is wrong with files that were needed; these were not used.
    pub fn faults(&self) -> &Faults {
        self.tables.faults()
    }

    fn covers(&self, position: &Position) -> bool {
        position.board().occupied().count() <= self.most_pieces()
            && position.chess().castles().is_empty()
    }

    /// The value right after a capture or pawn move; `None` at other times, where there is no table, and where its file is still being
    /// checked, for which the probe waits as long as `patience`.
    pub fn probe_wdl(&self, position: &Position, patience: Patience<'_>) -> Option<Wdl> {
        if position.halfmoves() != 0 || !self.covers(position) {
            return None;
        }
        Some(match self.tables.wdl(position.chess(), patience)? {
            syzygy::Wdl::Win => Wdl::Win,
            syzygy::Wdl::Loss => Wdl::Loss,
            _ => Wdl::Draw,
        })
    }

    /// The root moves that keep the best result; of winning ones those that come nearest to the next capture or
    /// pawn move, so that the win is carried out; with the score, a win or loss in tables or 0 for a draw. `None` where the tables do not
    /// know the position.
    pub(crate) fn best_root_moves(
        &self,
        root: &Position,
        moves: &[Move],
        patience: Patience<'_>,
    ) -> Option<(Score, Vec<Move>)> {
        if !self.covers(root) || moves.is_empty() {
            return None;
        }
        let mut ranked = Vec::new();
        for &m in moves {
            ranked.push((m, self.rank(root, m, patience)?));
        }
        let best = ranked.iter().map(|&(_, rank)| rank).max()?;
        let keep = ranked.into_iter().filter(|&(_, rank)| rank == best);
        // A distance that is rounded may leave open which side of the fifty-move rule it is on.
        let score = match best {
            MAYBE_LOSS..=MAYBE_WIN => 0,
            _ => best.signum() * TABLE_WIN,
        };
        Some((score, keep.map(|(m, _)| m).collect()))
    }

    /// Higher for a better result; among wins for the nearest zeroing move. Draws and losses are left to the search.
    fn rank(&self, root: &Position, m: Move, patience: Patience<'_>) -> Option<i32> {
        const WIN: i32 = 1000;
        let next = root.play(m);
        if next.chess().is_checkmate() {
            return Some(2 * WIN);
        }
        let (dtz, rounding) = self.tables.dtz(next.chess(), patience)?;
        // The clock at the next capture or pawn move; if the distance is rounded it may be one more, but not to become more than 100 from 0.
        let clock = dtz.abs() + next.halfmoves() as i32;
        let exact = rounding == Rounding::Exact || next.halfmoves() == 0;
        let in_time = clock < 100 || clock == 100 && exact;
        let distance = if m.is_zeroing() { 0 } else { -dtz };
        Some(match (-dtz).signum() {
            1 if in_time => WIN + 100 - distance,
            -1 if in_time => -WIN,
            won if clock <= 100 => won * MAYBE_WIN,
            _ => 0,
        })
    }
}
