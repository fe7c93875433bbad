//! Syzygy endgame tables, read by shakmaty-syzygy.

use std::path::{Path, PathBuf};

use shakmaty::{Chess, Move, Position as _};
use shakmaty_syzygy::{Tablebase, Wdl as SyzygyWdl};

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
/// assert_eq!(tables.probe_wdl(&position), Some(Wdl::Win));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Syzygy {
    tables: Tablebase<Chess>,
    unusable: Vec<SyzygyError>,
}

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
        let mut tables = Tablebase::new();
        let mut unusable = Vec::new();
        for directory in directories {
            let added = tables.add_directory(directory);
            let directory = directory.to_owned();
            match added {
                Ok(0) => unusable.push(SyzygyError::Empty { directory }),
                Ok(_) => {}
                Err(source) => unusable.push(SyzygyError::Unreadable { directory, source }),
            }
        }
        if tables.max_pieces() > 0 {
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
        self.tables.max_pieces()
    }

    fn covers(&self, position: &Position) -> bool {
        position.board().occupied().count() <= self.most_pieces()
            && position.chess().castles().is_empty()
    }

    /// The value right after a capture or pawn move; `None` at other times and where there is no table.
    pub fn probe_wdl(&self, position: &Position) -> Option<Wdl> {
        if position.halfmoves() != 0 || !self.covers(position) {
            return None;
        }
        let wdl = self.tables.probe_wdl_after_zeroing(position.chess()).ok()?;
        Some(match wdl {
            SyzygyWdl::Win => Wdl::Win,
            SyzygyWdl::Loss => Wdl::Loss,
            SyzygyWdl::CursedWin | SyzygyWdl::Draw | SyzygyWdl::BlessedLoss => Wdl::Draw,
        })
    }

    /// The root moves that keep the best result; of winning ones those that come nearest to the next capture or
    /// pawn move, so that the win is carried out; with the score, a win or loss in tables or 0 for a draw. `None` where the tables do not
    /// know the position.
    pub(crate) fn best_root_moves(
        &self,
        root: &Position,
        moves: &[Move],
    ) -> Option<(Score, Vec<Move>)> {
        if !self.covers(root) || moves.is_empty() {
            return None;
        }
        let mut ranked = Vec::new();
        for &m in moves {
            ranked.push((m, self.rank(root, m)?));
        }
        let best = ranked.iter().map(|&(_, rank)| rank).max()?;
        let keep = ranked.into_iter().filter(|&(_, rank)| rank == best);
        Some((best.signum() * TABLE_WIN, keep.map(|(m, _)| m).collect()))
    }

    /// Higher for a better result; among wins for the nearest zeroing move. Draws and losses are left to the search.
    fn rank(&self, root: &Position, m: Move) -> Option<i32> {
        const WIN: i32 = 1000;
        let next = root.play(m);
        if next.chess().is_checkmate() {
            return Some(2 * WIN);
        }
        let dtz = self
            .tables
            .probe_dtz(next.chess())
            .ok()?
            .ignore_rounding()
            .0;
        let used = next.halfmoves() as i32;
        Some(match -dtz {
            n if n > 0 && n + used <= 100 => WIN + 100 - if m.is_zeroing() { 0 } else { n },
            n if n < 0 && -n + used <= 100 => -WIN,
            _ => 0,
        })
    }
}
