//! Endings that our own tables know to the ply: at the root nothing is left to search, and after a capture or pawn move that
//! leads to one its value is known.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use everymove_tables::metric::Metric;
use everymove_tables::probe::{Value, material_of};
use everymove_tables::{Material, TableError, Tables};
use shakmaty::{Move, Position as _};
use thiserror::Error;

use crate::Position;
use crate::score::{MATE, Score};

/// A folder of tables with distances to mate, as `everymove tables build` makes them.
#[derive(Debug)]
pub(crate) struct Endings {
    tables: Tables,
    /// Those that were there when the folder was opened, and the most men of one.
    there: HashSet<Material>,
    most_men: usize,
}

/// A folder that cannot be used.
#[derive(Debug, Error)]
#[error("'{}' is not a directory: expected one with tables of `everymove tables build`", folder.display())]
pub struct EndingsError {
    folder: PathBuf,
}

/// What the tables say of a root.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// A mate, for the side to move or against it, with the best play of both.
    Decided { score: Score, pv: Vec<Move> },
    /// Nobody wins if one of these is played: all of them are left to the search.
    Drawn(Vec<Move>),
}

impl Endings {
    pub(crate) fn open(folder: &Path) -> Result<Self, EndingsError> {
        if !folder.is_dir() {
            let folder = folder.to_owned();
            return Err(EndingsError { folder });
        }
        let tables = Tables::new(folder, Metric::Mate);
        let entries = folder.read_dir().into_iter().flatten().flatten();
        let there: HashSet<Material> = entries
            .filter_map(|entry| {
                Path::new(&entry.file_name())
                    .file_stem()?
                    .to_str()?
                    .parse()
                    .ok()
            })
            .filter(|material| tables.has(material))
            .collect();
        Ok(Self {
            most_men: there.iter().map(Material::piece_count).max().unwrap_or(0),
            tables,
            there,
        })
    }

    /// The most men of an ending that there is a table of; 0 if there is none.
    pub(crate) fn most_men(&self) -> usize {
        self.most_men
    }

    /// The score right after a capture or pawn move, for a position so many plies from the root; `None` at other times,
    /// where there is no table, and where the fifty-move rule may come before the mate.
    pub(crate) fn score(&self, position: &Position, ply: usize) -> Option<Score> {
        let chess = position.chess();
        if position.halfmoves() != 0 || chess.board().occupied().count() > self.most_men {
            return None;
        }
        let material = material_of(chess).ok()?;
        if !self.there.contains(&material) {
            return None;
        }
        let distance = |plies: u16| MATE - (ply + usize::from(plies)) as Score;
        match self.tables.value(chess).ok()? {
            Value::Draw => Some(0),
            Value::Win(plies) if plies <= 100 => Some(distance(plies)),
            Value::Loss(plies) if plies <= 100 => Some(-distance(plies)),
            _ => None,
        }
    }

    /// `None` where there is no table, or where the fifty-move rule may come before the mate.
    pub(crate) fn look_up(&self, root: &Position) -> Option<Known> {
        self.ask(root).ok().flatten()
    }

    fn ask(&self, root: &Position) -> Result<Option<Known>, TableError> {
        let chess = root.chess();
        let probed = self.tables.probe(chess)?;
        let Some(plies) = probed.value.plies().map(u32::from) else {
            let drawing = probed.moves.iter().filter(|m| m.value == Value::Draw);
            return Ok(Some(Known::Drawn(drawing.map(|m| m.play).collect())));
        };
        // Moves of pawns and captures on the way only make more room.
        if plies == 0 || root.halfmoves() + plies > 100 {
            return Ok(None);
        }
        let line = self.tables.line(chess, plies as usize)?;
        let distance = MATE - plies as Score;
        let won = matches!(probed.value, Value::Win(_));
        Ok(Some(Known::Decided {
            score: if won { distance } else { -distance },
            pv: line.into_iter().map(|choice| choice.play).collect(),
        }))
    }
}
