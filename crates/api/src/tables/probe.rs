//! `tables probe`: the value of a position and of its moves.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use everymove_kernel::run::Run;
use everymove_tables::clock::ClockValue;
use everymove_tables::probe::{material_of, read_position};
use everymove_tables::syzygy::{Rounding, SyzygyFolder};
use everymove_tables::{AnyTables, Tables, Value, Wanted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Color, Position};

use super::source::{Metric, SourceRequest, cache_bytes};
use crate::error::Error;
use crate::request::{Answer, Request, Updates};
use crate::site::Site;

/// Longer lines are cut off: no ending of six pieces has one.
const LONGEST_LINE: usize = 2000;

/// The value of a position, and of each of its moves.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct ProbeRequest {
    /// The position in Forsyth-Edwards notation, in quotes
    #[arg(skip)]
    pub fen: String,
    /// Where the tables are.
    #[command(flatten)]
    #[serde(flatten)]
    pub source: SourceRequest,
    /// Read Syzygy files, even where there is a table of our own [default: only where there is none]
    #[arg(long)]
    #[serde(default)]
    pub syzygy: bool,
    /// Count the half-move clock of the position, under the fifty-move rule; prefers tables of dtm50, then of dtz
    #[arg(long)]
    #[serde(default)]
    pub clock: bool,
    /// Show the best play of both sides to the end
    #[arg(long)]
    #[serde(default)]
    pub line: bool,
}

/// The checked request.
#[derive(Clone, Debug)]
pub struct ProbePlan {
    position: Chess,
    material: String,
    folder: PathBuf,
    wanted: Wanted,
    clock: bool,
    line: bool,
}

/// A kind of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TablesKind {
    /// Own tables of plies to mate.
    Dtm,
    /// Own tables of plies to a zeroing move.
    Dtz,
    /// Own tables of plies to mate under the fifty-move rule.
    Dtm50,
    /// Own tables of plies to a capture, a promotion or mate.
    Dtc,
    /// Syzygy files, whose distances may be a ply too short.
    Syzygy,
}

/// The value of a position or move for the side that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum ValueName {
    /// It wins.
    #[serde(rename = "win")]
    Win,
    /// It would win, but the fifty-move rule makes it a draw.
    #[serde(rename = "cursed win")]
    CursedWin,
    /// Neither side wins.
    #[serde(rename = "draw")]
    Draw,
    /// It would lose, but the fifty-move rule makes it a draw.
    #[serde(rename = "blessed loss")]
    BlessedLoss,
    /// It loses.
    #[serde(rename = "loss")]
    Loss,
}

/// The value of a position and of its moves.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProbeAnswer {
    /// The ending.
    pub material: String,
    /// What the distances count.
    pub metric: Metric,
    /// The kind of tables that was read.
    pub tables: TablesKind,
    /// The value for the side to move.
    pub value: ValueName,
    /// Plies to mate, null for a draw; only if that is the metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtm: Option<Option<u16>>,
    /// Plies to a capture, a pawn move or mate, null for a draw; only if that is the metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtz: Option<Option<u16>>,
    /// Plies to mate under the fifty-move rule, null for a draw; only if that is the metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtm50: Option<Option<u16>>,
    /// Plies to a capture, a promotion or mate, null for a draw; only if that is the metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtc: Option<Option<u16>>,
    /// The value with the half-move clock of the position, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_clock: Option<AtClock>,
    /// All moves, the best first.
    pub moves: Vec<MoveValue>,
    /// The side to move: `white` or `black`.
    pub side_to_move: &'static str,
    /// The best play of both sides, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<String>>,
    /// The same in UCI notation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_uci: Option<Vec<String>>,
    /// The plies of the value, null for a draw.
    #[serde(skip)]
    #[schemars(skip)]
    pub plies: Option<u16>,
}

/// The value of a position with its half-move clock, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AtClock {
    /// Plies since the last capture or pawn move.
    pub clock: u32,
    /// The value under the fifty-move rule: `win`, `win or draw`, `draw`, `loss or draw` or `loss`. `win or draw` and `loss or draw`: the
    /// table does not determine it.
    pub value: &'static str,
    /// Plies to mate under the fifty-move rule with this clock, null for a draw; only for dtm50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtm50: Option<Option<u16>>,
}

impl AtClock {
    /// The value that tables have for a position with its clock.
    pub(super) fn of(tables: &AnyTables, position: &Chess) -> Result<Self, Error> {
        let clock = position.halfmoves();
        let found = tables.at_clock(position, clock)?;
        Ok(Self {
            clock,
            value: found.value.word(),
            dtm50: found.distance.map(Value::plies),
        })
    }

    /// The value of a position that no side can win.
    pub(super) fn draw(position: &Chess) -> Self {
        Self {
            clock: position.halfmoves(),
            value: ClockValue::Draw.word(),
            dtm50: None,
        }
    }
}

/// A move and its value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MoveValue {
    /// The move in UCI notation.
    pub uci: String,
    /// The move in standard algebraic notation.
    pub san: String,
    /// The value for the side that makes the move.
    pub value: ValueName,
    /// Plies, null for a draw.
    pub distance: Option<u16>,
    /// The value with the half-move clock of the position, if it was asked for; as in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_clock: Option<&'static str>,
    /// Plies to mate with that clock, null for a draw; only for dtm50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_at_clock: Option<Option<u16>>,
}

impl ValueName {
    pub(super) fn new(value: Value, metric: everymove_tables::Metric) -> Self {
        let cursed = metric == everymove_tables::Metric::Zeroing
            && value.plies() > Some(everymove_tables::stats::FIFTY_MOVES);
        match (value, cursed) {
            (Value::Win(_), false) => Self::Win,
            (Value::Win(_), true) => Self::CursedWin,
            (Value::Draw, _) => Self::Draw,
            (Value::Loss(_), true) => Self::BlessedLoss,
            (Value::Loss(_), false) => Self::Loss,
        }
    }
}

impl Request for ProbeRequest {
    const COMMAND: &'static str = "tables probe";
    const IS_SERVED: bool = true;
    type Plan = ProbePlan;
    type Answer = ProbeAnswer;

    fn restrict(&mut self, site: &Site) -> Result<(), Error> {
        self.source.restrict(site)?;
        if self.syzygy && site.syzygy.is_some() {
            self.source.tables.clone_from(&site.syzygy);
        }
        Ok(())
    }

    /// An ending that has no table of our own is looked up in the Syzygy folder.
    fn run_for(
        plan: &ProbePlan,
        site: &Site,
        run: &Run,
        _: &mut Updates<'_>,
    ) -> Result<ProbeAnswer, Error> {
        plan.run_with(&site.kept.tables, site.syzygy.as_deref(), run)
    }

    fn plan(&self) -> Result<ProbePlan, Error> {
        let position = read_position(&self.fen).map_err(Error::field("fen"))?;
        let material = match position.board().occupied().count() {
            2 => "KvK".to_owned(),
            _ => material_of(&position)
                .map_err(Error::field("fen"))?
                .to_string(),
        };
        let wanted = wanted(&self.source, self.syzygy, self.clock)?;
        Ok(ProbePlan {
            position,
            material,
            folder: self.source.folder(),
            wanted,
            clock: self.clock,
            line: self.line,
        })
    }

    fn run(plan: &ProbePlan, run: &Run) -> Result<ProbeAnswer, Error> {
        let tables = AnyTables::for_position(&plan.folder, &plan.position, plan.wanted)?;
        plan.answer(&tables.with_cache(cache_bytes(run)))
    }
}

/// Which tables a request is for.
///
/// # Errors
/// If Syzygy files are wanted and a metric that they do not have.
pub(super) fn wanted(source: &SourceRequest, syzygy: bool, clock: bool) -> Result<Wanted, Error> {
    match (syzygy, source.metric) {
        (true, Some(Metric::Dtm | Metric::Dtm50 | Metric::Dtc)) => Err(Error::message(
            Some("metric"),
            "Syzygy files hold plies to a zeroing move: expected dtz",
        )),
        (true, _) => Ok(Wanted::Syzygy),
        (false, None) if clock => Ok(Wanted::FiftyMoves),
        (false, _) => Ok(source.wanted()),
    }
}

impl ProbePlan {
    /// As [`Request::run`], with tables whose files stay open. Where the folder has no table of the ending, those of
    /// another folder are used.
    pub(crate) fn run_with(
        &self,
        kept: &KeptTables,
        other: Option<&Path>,
        run: &Run,
    ) -> Result<ProbeAnswer, Error> {
        let find = |folder: &Path| kept.of(folder, self, run);
        let answer = self.answer(&*find(&self.folder)?);
        match (answer, other) {
            (Err(_), Some(other)) if !self.has_table() => self.answer(&*find(other)?),
            (answer, _) => answer,
        }
    }

    /// Whether the folder has a table of the ending.
    fn has_table(&self) -> bool {
        let material = self.material.parse();
        material.is_ok_and(|material| {
            let own = |&metric: &_| Tables::new(&self.folder, metric).has(&material);
            everymove_tables::Metric::ALL.iter().any(own)
                || SyzygyFolder::new(&self.folder).has(&material)
        })
    }

    /// The values of the moves with the half-move clock, by the moves in UCI notation, where it is asked for and tables hold plies to mate for
    /// each clock.
    fn moves_at_clock(&self, tables: &AnyTables) -> Result<HashMap<String, Value>, Error> {
        match tables {
            AnyTables::Own(tables)
                if self.clock && tables.metric() == everymove_tables::Metric::MateFifty =>
            {
                let clock = self.position.halfmoves();
                let moves = tables.probe_with_clock(&self.position, clock)?.moves;
                Ok(moves
                    .into_iter()
                    .map(|choice| (choice.uci, choice.value))
                    .collect())
            }
            _ => Ok(HashMap::new()),
        }
    }

    fn answer(&self, tables: &AnyTables) -> Result<ProbeAnswer, Error> {
        let plan = self;
        let metric = tables.metric();
        let probed = tables.probe(&plan.position)?;
        let plies = probed.value.plies();
        let (line, line_uci) = match plan.line {
            true => {
                let line = match (tables, plan.clock) {
                    (AnyTables::Own(tables), true) => {
                        let clock = plan.position.halfmoves();
                        tables.line_with_clock(&plan.position, clock, LONGEST_LINE)?
                    }
                    _ => tables.line(&plan.position, LONGEST_LINE)?,
                };
                let (san, uci) = line.into_iter().map(|c| (c.san, c.uci)).unzip();
                (Some(san), Some(uci))
            }
            false => (None, None),
        };
        let kind = TablesKind::of(tables);
        let at_clock = match plan.clock {
            true => Some(AtClock::of(tables, &plan.position)?),
            false => None,
        };
        let clocked = plan.moves_at_clock(tables)?;
        let clock = plan.position.halfmoves();
        let moves = probed.moves.into_iter().map(|choice| {
            let distance = clocked.get(&choice.uci).copied();
            let at_clock = (plan.clock).then(|| match distance {
                Some(value) => ClockValue::from(value),
                None => {
                    let rounding = rounding_of(kind, choice.value);
                    ClockValue::new(choice.value, metric, rounding, clock)
                }
            });
            MoveValue {
                at_clock: at_clock.map(ClockValue::word),
                distance_at_clock: distance.map(Value::plies),
                uci: choice.uci,
                san: choice.san,
                value: ValueName::new(choice.value, metric),
                distance: choice.value.plies(),
            }
        });
        Ok(ProbeAnswer {
            material: plan.material.clone(),
            metric: metric.into(),
            tables: kind,
            value: ValueName::new(probed.value, metric),
            dtm: (metric == everymove_tables::Metric::Mate).then_some(plies),
            dtz: (metric == everymove_tables::Metric::Zeroing).then_some(plies),
            dtm50: (metric == everymove_tables::Metric::MateFifty).then_some(plies),
            dtc: (metric == everymove_tables::Metric::Conversion).then_some(plies),
            at_clock,
            moves: moves.collect(),
            side_to_move: match plan.position.turn() {
                Color::White => "white",
                Color::Black => "black",
            },
            line,
            line_uci,
            plies,
        })
    }
}

impl Answer for ProbeAnswer {}

/// Whether the distance of a move is exact: Syzygy files round all but that of a zeroing move.
fn rounding_of(kind: TablesKind, value: Value) -> Rounding {
    match (kind, value.plies()) {
        (TablesKind::Syzygy, Some(2..)) => Rounding::Rounded,
        _ => Rounding::Exact,
    }
}

impl TablesKind {
    pub(super) fn of(tables: &AnyTables) -> Self {
        match (tables, tables.metric()) {
            (AnyTables::Syzygy(_), _) => Self::Syzygy,
            (_, everymove_tables::Metric::Mate) => Self::Dtm,
            (_, everymove_tables::Metric::Zeroing) => Self::Dtz,
            (_, everymove_tables::Metric::MateFifty) => Self::Dtm50,
            (_, everymove_tables::Metric::Conversion) => Self::Dtc,
        }
    }
}

/// Tables whose files stay open.
#[derive(Debug, Default)]
pub(crate) struct KeptTables(Mutex<HashMap<PathBuf, FolderTables>>);

/// The tables of a folder.
#[derive(Debug, Default)]
struct FolderTables {
    /// By metric and format.
    open: Vec<Arc<AnyTables>>,
    /// Endings whose table of first choice was found, by what was wanted. Second choices are looked for again, since the
    /// first may have been built meanwhile.
    found: HashMap<(String, Wanted), Arc<AnyTables>>,
}

impl KeptTables {
    fn of(&self, folder: &Path, plan: &ProbePlan, run: &Run) -> Result<Arc<AnyTables>, Error> {
        let key = (plan.material.clone(), plan.wanted);
        let mut folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = folders.get(folder).and_then(|kept| kept.found.get(&key));
        if let Some(tables) = known {
            return Ok(tables.clone());
        }
        let new = AnyTables::for_position(folder, &plan.position, plan.wanted)?;
        let kept = folders.entry(folder.to_owned()).or_default();
        let tables = kept.open_once(new.with_cache(cache_bytes(run)));
        let material = plan.material.parse();
        if tables.are_first_choice(plan.wanted) && material.is_ok_and(|m| tables.has(&m)) {
            kept.found.insert(key, tables.clone());
        }
        Ok(tables)
    }
}

impl FolderTables {
    /// The tables of this metric and format that are open already, or these.
    fn open_once(&mut self, new: AnyTables) -> Arc<AnyTables> {
        let kind = |tables: &AnyTables| (tables.metric(), matches!(tables, AnyTables::Own(_)));
        let open = self.open.iter().find(|open| kind(open) == kind(&new));
        open.cloned().unwrap_or_else(|| {
            let new = Arc::new(new);
            self.open.push(new.clone());
            new
        })
    }
}

#[cfg(test)]
mod tests {
    use everymove_tables::{Plan, build};

    use super::*;

    #[test]
    fn a_table_of_first_choice_is_used_as_soon_as_it_is_built() {
        let folder = tempfile::tempdir().unwrap();
        let make = |metric| {
            let plan = Plan::new("KQvK".parse().unwrap(), metric);
            build(&plan, &Tables::new(folder.path(), metric), &Run::serial()).unwrap();
        };
        let request = ProbeRequest {
            fen: "8/8/8/8/8/2k5/7Q/K7 w - - 0 1".to_owned(),
            source: SourceRequest {
                tables: Some(folder.path().to_owned()),
                metric: None,
            },
            syzygy: false,
            clock: false,
            line: false,
        };
        let plan = request.plan().unwrap();
        let kept = KeptTables::default();
        let ask = || plan.run_with(&kept, None, &Run::serial());
        assert!(ask().is_err());
        make(everymove_tables::Metric::Zeroing);
        assert_eq!(ask().unwrap().tables, TablesKind::Dtz);
        make(everymove_tables::Metric::Mate);
        for _ in 0..2 {
            let answer = ask().unwrap();
            assert_eq!((answer.tables, answer.plies), (TablesKind::Dtm, Some(11)));
        }
    }
}
