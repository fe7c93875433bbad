//! Endgame tables with distances to mate, made by `everymove tables build`. A root in a table needs no search; in the tree they are
//! probed after captures and pawn moves.

use std::collections::HashSet;
use std::path::Path;

use everymove_tables::metric::Metric;
use everymove_tables::probe::{Value, material_of};
use everymove_tables::{Material, TableError, Tables};
use shakmaty::{Move, Position as _};

use crate::error::DtmTablesError;
use crate::position::Position;
use crate::score::{MATE, Score};

/// A folder of tables of distances to mate.
#[derive(Debug)]
pub(crate) struct DtmTables {
    tables: Tables,
    /// The endings whose tables were there when the folder was opened.
    available: HashSet<Material>,
    most_men: usize,
}

/// What the tables store of a root.
#[derive(Clone, Debug)]
pub(crate) enum RootProbe {
    /// The position is won or lost: its score, and a line of best play to the mate.
    Decided { score: Score, pv: Vec<Move> },
    /// The position is drawn, and these moves keep the draw: the search chooses among them.
    Drawn(Vec<Move>),
}

impl DtmTables {
    pub(crate) fn open(folder: &Path) -> Result<Self, DtmTablesError> {
        if !folder.is_dir() {
            let folder = folder.to_owned();
            return Err(DtmTablesError { folder });
        }
        let tables = Tables::new(folder, Metric::Mate);
        let entries = folder.read_dir().into_iter().flatten().flatten();
        let available: HashSet<Material> = entries
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
            most_men: available
                .iter()
                .map(Material::piece_count)
                .max()
                .unwrap_or(0),
            tables,
            available,
        })
    }

    /// The largest number of pieces of a table; 0 if there is none.
    pub(crate) fn most_men(&self) -> usize {
        self.most_men
    }

    /// The score of a position right after a capture or pawn move, `ply` plies from the root; `None` for other positions, where there
    /// is no table, and where the fifty-move rule may come before the mate.
    pub(crate) fn score(&self, position: &Position, ply: usize) -> Option<Score> {
        let chess = position.chess();
        if position.halfmoves() != 0 || chess.board().occupied().count() > self.most_men {
            return None;
        }
        let material = material_of(chess).ok()?;
        if !self.available.contains(&material) {
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

    /// What the tables store of the root; `None` where there is no table, or where the fifty-move rule may come before the mate.
    pub(crate) fn probe_root(&self, root: &Position) -> Option<RootProbe> {
        self.try_probe_root(root).ok().flatten()
    }

    fn try_probe_root(&self, root: &Position) -> Result<Option<RootProbe>, TableError> {
        let chess = root.chess();
        let probed = self.tables.probe(chess)?;
        let Some(plies) = probed.value.plies().map(u32::from) else {
            let drawing = probed.moves.iter().filter(|m| m.value == Value::Draw);
            return Ok(Some(RootProbe::Drawn(drawing.map(|m| m.play).collect())));
        };
        // Pawn moves and captures on the way only restart the count of fifty moves.
        if plies == 0 || root.halfmoves() + plies > 100 {
            return Ok(None);
        }
        let line = self.tables.line(chess, plies as usize)?;
        let distance = MATE - plies as Score;
        let won = matches!(probed.value, Value::Win(_));
        Ok(Some(RootProbe::Decided {
            score: if won { distance } else { -distance },
            pv: line.into_iter().map(|choice| choice.play).collect(),
        }))
    }
}
