//! Endgame tables made by `everymove tables build`, with distances to mate or to the next capture or pawn move. A root in a table of
//! distances to mate needs no search; in the tree tables are probed after captures and pawn moves.

use std::collections::HashSet;
use std::path::Path;

use everymove_tables::metric::Metric;
use everymove_tables::probe::{Value, material_of};
use everymove_tables::syzygy::Faults;
use everymove_tables::{Material, TableError, Tables};
use shakmaty::Move;

use crate::error::DtmTablesError;
use crate::position::Position;
use crate::score::{MATE, Score, TABLE_WIN};
use crate::transposition_table::Bound;

/// A folder of tables. Where an ending has tables of both kinds, the distance to mate is used.
#[derive(Debug)]
pub(crate) struct DtmTables {
    mate: Kind,
    zeroing: Kind,
    most_men: usize,
    faults: Faults,
}

/// The tables of one metric.
#[derive(Debug)]
struct Kind {
    tables: Tables,
    /// The endings whose tables were there when the folder was opened.
    available: HashSet<Material>,
}

impl Kind {
    fn open(folder: &Path, metric: Metric) -> Self {
        let tables = Tables::new(folder, metric);
        let entries = folder.read_dir().into_iter().flatten().flatten();
        let available = entries
            .filter_map(|entry| {
                Path::new(&entry.file_name())
                    .file_stem()?
                    .to_str()?
                    .parse()
                    .ok()
            })
            .filter(|material| tables.has(material))
            .collect();
        Self { tables, available }
    }

    /// The value of a position, `None` where there is no table, or a damaged one.
    fn value(&self, position: &Position, faults: &Faults) -> Option<Value> {
        let material = material_of(position.chess()).ok()?;
        if !self.available.contains(&material) {
            return None;
        }
        noted(self.tables.value(position.chess()), faults)
    }
}

/// What was found; errors are kept in `faults`.
fn noted<T>(found: Result<T, TableError>, faults: &Faults) -> Option<T> {
    found.inspect_err(|error| faults.note(error)).ok()
}

/// What the tables store of a root.
#[derive(Clone, Debug)]
pub(crate) enum RootProbe {
    /// The position is won or lost: its score, and a line of best play to the mate.
    Decided { score: Score, pv: Vec<Move> },
    /// These moves keep the result, and of wins lead nearest to the next capture or pawn move: the search chooses among them. With the
    /// score: a win or loss in tables, or 0 for a draw.
    Best { score: Score, moves: Vec<Move> },
}

impl DtmTables {
    pub(crate) fn open(folder: &Path) -> Result<Self, DtmTablesError> {
        if !folder.is_dir() {
            let folder = folder.to_owned();
            return Err(DtmTablesError { folder });
        }
        let mate = Kind::open(folder, Metric::Mate);
        let zeroing = Kind::open(folder, Metric::Zeroing);
        let endings = mate.available.iter().chain(&zeroing.available);
        Ok(Self {
            most_men: endings.map(Material::piece_count).max().unwrap_or(0),
            mate,
            zeroing,
            faults: Faults::default(),
        })
    }

    /// What is wrong with tables that were needed; these were not used.
    pub(crate) fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The largest number of pieces of a table; 0 if there is none.
    pub(crate) fn most_men(&self) -> usize {
        self.most_men
    }

    /// The score of a position right after a capture or pawn move, `ply` plies from the root, and what it bounds; `None` for other
    /// positions, where there is no table, and where the fifty-move rule may come before the mate.
    pub(crate) fn score(&self, position: &Position, ply: usize) -> Option<(Score, Bound)> {
        let men = position.board().occupied().count();
        if position.halfmoves() != 0 || men > self.most_men {
            return None;
        }
        let distance = |plies: u16| MATE - (ply + usize::from(plies)) as Score;
        match self.mate.value(position, &self.faults) {
            Some(Value::Draw) => return Some((0, Bound::Exact)),
            Some(Value::Win(n)) if n <= 100 => return Some((distance(n), Bound::Exact)),
            Some(Value::Loss(n)) if n <= 100 => return Some((-distance(n), Bound::Exact)),
            _ => {}
        }
        let win = TABLE_WIN - ply as Score;
        Some(match self.zeroing.value(position, &self.faults)? {
            Value::Win(n) if n <= 100 => (win, Bound::Lower),
            Value::Loss(n) if n <= 100 => (-win, Bound::Upper),
            // The fifty-move rule comes first, or nobody wins.
            _ => (0, Bound::Exact),
        })
    }

    /// What the tables store of the root; `None` where there is no table, or where the fifty-move rule may come before the mate.
    pub(crate) fn probe_root(&self, root: &Position) -> Option<RootProbe> {
        let exact = noted(self.probe_mate(root), &self.faults).flatten();
        exact.or_else(|| noted(self.probe_zeroing(root), &self.faults))
    }

    fn probe_mate(&self, root: &Position) -> Result<Option<RootProbe>, TableError> {
        let chess = root.chess();
        let tables = &self.mate.tables;
        let probed = tables.probe(chess)?;
        let Some(plies) = probed.value.plies().map(u32::from) else {
            let drawing = probed.moves.iter().filter(|m| m.value == Value::Draw);
            let moves: Vec<Move> = drawing.map(|m| m.play).collect();
            return Ok((!moves.is_empty()).then_some(RootProbe::Best { score: 0, moves }));
        };
        // Pawn moves and captures on the way only restart the count of fifty moves.
        if plies == 0 || root.halfmoves() + plies > 100 {
            return Ok(None);
        }
        let line = tables.line(chess, plies as usize)?;
        let distance = MATE - plies as Score;
        let won = matches!(probed.value, Value::Win(_));
        Ok(Some(RootProbe::Decided {
            score: if won { distance } else { -distance },
            pv: line.into_iter().map(|choice| choice.play).collect(),
        }))
    }

    fn probe_zeroing(&self, root: &Position) -> Result<RootProbe, TableError> {
        let used = root.halfmoves();
        // Higher for a better result; among wins for the nearest capture or pawn move.
        let rank = |value: Value| match value {
            Value::Win(n) if used + u32::from(n) <= 100 || n == 1 => 1000 - i32::from(n),
            Value::Loss(n) if used + u32::from(n) <= 100 => -1,
            _ => 0,
        };
        let probed = self.zeroing.tables.probe(root.chess())?;
        let best = probed.moves.iter().map(|m| rank(m.value)).max();
        let best = best.unwrap_or(0);
        let kept = probed.moves.iter().filter(|m| rank(m.value) == best);
        Ok(RootProbe::Best {
            score: best.signum() * TABLE_WIN,
            moves: kept.map(|m| m.play).collect(),
        })
    }
}
