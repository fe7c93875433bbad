//! `tables probe`: the value of a position and of its moves.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use everymove_kernel::input::{Input, Lines};
use everymove_kernel::run::Run;
use everymove_tables::clock::ClockValue;
use everymove_tables::probe::{material_of, read_position};
use everymove_tables::syzygy::Rounding;
use everymove_tables::{Source as Stored, Tablebase, Value, Wanted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::fen::Fen;
use shakmaty::{Chess, Color, EnPassantMode, Position};

use super::counts::goal;
use super::error::advise;
use super::fairy::{FairyProbe, FairyRequest};
use super::positions::Positions;
use super::source::{Distance, KeptTables, Metric, SourceRequest, open};
use crate::chess::notation::FenArgs;
use crate::error::Error;
use crate::picture::ImageFormat;
use crate::request::{Answer, Outcome, Request, Updates};
use crate::site::Site;
use crate::terminal::{Ended, OnTerminal, Screen, Shown, Source, Text, ask, unwritten};

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
    /// Read Syzygy files, even where there is a table of our own [default: only where there is
    /// none]
    #[arg(long)]
    #[serde(default)]
    pub syzygy: bool,
    /// Count the half-move clock of the position, under the fifty-move rule; prefers tables of
    /// dtm50, then of dtz
    #[arg(long)]
    #[serde(default)]
    pub clock: bool,
    /// Show the best play of both sides to the end
    #[arg(long)]
    #[serde(default)]
    pub line: bool,
    /// Pieces by their moves, other boards and other rules.
    #[command(flatten)]
    #[serde(flatten)]
    pub fairy: FairyRequest,
}

/// The checked request.
#[derive(Clone, Debug)]
pub struct ProbePlan(Probe);

#[derive(Clone, Debug)]
enum Probe {
    Chess(Box<ChessProbe>),
    Fairy(Box<FairyProbe>),
}

#[derive(Clone, Debug)]
struct ChessProbe {
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
    /// Own tables of pieces by their moves.
    Fairy,
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
    /// Plies, in the field of the metric.
    #[serde(flatten)]
    pub distance: Distance,
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
}

/// The value of a position with its half-move clock, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AtClock {
    /// Plies since the last capture or pawn move.
    pub clock: u32,
    /// The value under the fifty-move rule: `win`, `win or draw`, `draw`, `loss or draw` or
    /// `loss`. `win or draw` and `loss or draw`: the table does not determine it.
    pub value: &'static str,
    /// Plies to mate under the fifty-move rule with this clock, null for a draw; only for dtm50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtm50: Option<Option<u16>>,
}

impl AtClock {
    /// The value that tables have for a position with its clock.
    pub(super) fn of(tables: &Tablebase, source: Stored, position: &Chess) -> Result<Self, Error> {
        let found = tables.at_clock(source, position)?;
        Ok(Self {
            clock: position.halfmoves(),
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
        self.source.restrict(site)
    }

    /// The files of the Syzygy folder are used, too.
    fn run_for(
        plan: &ProbePlan,
        site: &Site,
        run: &Run,
        _: &mut Updates<'_>,
    ) -> Result<ProbeAnswer, Error> {
        plan.run_with(&site.kept.tables, site.syzygy.as_deref(), run)
    }

    fn plan(&self) -> Result<ProbePlan, Error> {
        if self.fairy.is_given() {
            for (field, is_given) in [("syzygy", self.syzygy), ("clock", self.clock)] {
                if is_given {
                    let line = format!("tables of pieces by their moves are read without {field}");
                    return Err(Error::message(Some(field), line));
                }
            }
            let (metric, path) = (self.source.metric, self.source.folder());
            let probe = FairyProbe::new(&self.fairy, &self.fen, metric, path, self.line)?;
            return Ok(ProbePlan(Probe::Fairy(Box::new(probe))));
        }
        let position = read_position(&self.fen).map_err(Error::field("fen"))?;
        let material = match position.board().occupied().count() {
            2 => "KvK".to_owned(),
            _ => material_of(&position)
                .map_err(Error::field("fen"))?
                .to_string(),
        };
        let wanted = wanted(&self.source, self.syzygy, self.clock)?;
        let probe = ChessProbe {
            position,
            material,
            folder: self.source.folder(),
            wanted,
            clock: self.clock,
            line: self.line,
        };
        Ok(ProbePlan(Probe::Chess(Box::new(probe))))
    }

    fn run(plan: &ProbePlan, run: &Run) -> Result<ProbeAnswer, Error> {
        match &plan.0 {
            Probe::Chess(probe) => probe.answer(&open(Some(&probe.folder), None, run)),
            Probe::Fairy(probe) => probe.answer(run),
        }
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
        (true, _) => Ok(Wanted::Only(Stored::Syzygy)),
        (false, None) if clock => Ok(Wanted::FiftyMoves),
        (false, _) => Ok(source.wanted()),
    }
}

impl ProbePlan {
    /// As [`Request::run`], with tables whose files stay open, and the files of another folder of
    /// Syzygy files.
    pub(crate) fn run_with(
        &self,
        kept: &KeptTables,
        syzygy: Option<&Path>,
        run: &Run,
    ) -> Result<ProbeAnswer, Error> {
        match &self.0 {
            Probe::Chess(probe) => probe.answer(&kept.get(Some(&probe.folder), syzygy, run)),
            Probe::Fairy(probe) => probe.answer(run),
        }
    }
}

impl ChessProbe {
    /// The values of the moves with the half-move clock, by the moves in UCI notation, where it is
    /// asked for and tables hold plies to mate for each clock.
    fn moves_at_clock(
        &self,
        tables: &Tablebase,
        source: Stored,
    ) -> Result<HashMap<String, Value>, Error> {
        if !self.clock || source != Stored::Own(everymove_tables::Metric::MateFifty) {
            return Ok(HashMap::new());
        }
        let probed = tables.probe(source, &self.position, self.position.halfmoves())?;
        let moves = probed.moves.into_iter();
        Ok(moves.map(|choice| (choice.uci, choice.value)).collect())
    }

    fn answer(&self, tables: &Tablebase) -> Result<ProbeAnswer, Error> {
        let plan = self;
        let source = tables.source(&plan.position, plan.wanted)?;
        let metric = source.metric();
        let probed = tables.probe(source, &plan.position, 0)?;
        let clock = plan.position.halfmoves();
        let plies = probed.value.plies();
        let (line, line_uci) = match plan.line {
            true => {
                let clock = if plan.clock { clock } else { 0 };
                let line = tables.line(source, &plan.position, clock, LONGEST_LINE)?;
                let (san, uci) = line.into_iter().map(|c| (c.san, c.uci)).unzip();
                (Some(san), Some(uci))
            }
            false => (None, None),
        };
        let at_clock = match plan.clock {
            true => Some(AtClock::of(tables, source, &plan.position)?),
            false => None,
        };
        let clocked = plan.moves_at_clock(tables, source)?;
        let moves = probed.moves.into_iter().map(|choice| {
            let distance = clocked.get(&choice.uci).copied();
            let at_clock = (plan.clock).then(|| match distance {
                Some(value) => ClockValue::from(value),
                None => {
                    let rounding = rounding_of(source, choice.value);
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
            tables: source.into(),
            value: ValueName::new(probed.value, metric),
            distance: Distance::new(metric.into(), plies),
            at_clock,
            moves: moves.collect(),
            side_to_move: match plan.position.turn() {
                Color::White => "white",
                Color::Black => "black",
            },
            line,
            line_uci,
        })
    }
}

impl Answer for ProbeAnswer {}

/// Whether the distance of a move is exact: Syzygy files round all but that of a zeroing move.
fn rounding_of(source: Stored, value: Value) -> Rounding {
    match (source, value.plies()) {
        (Stored::Syzygy, Some(2..)) => Rounding::Rounded,
        _ => Rounding::Exact,
    }
}

impl From<Stored> for TablesKind {
    fn from(source: Stored) -> Self {
        match source {
            Stored::Syzygy => Self::Syzygy,
            Stored::Own(everymove_tables::Metric::Mate) => Self::Dtm,
            Stored::Own(everymove_tables::Metric::Zeroing) => Self::Dtz,
            Stored::Own(everymove_tables::Metric::MateFifty) => Self::Dtm50,
            Stored::Own(everymove_tables::Metric::Conversion) => Self::Dtc,
        }
    }
}

/// The longest line of a file of positions.
const MAX_LINE: usize = 1 << 12;

/// A position, or a file of positions.
#[derive(Debug, clap::Args)]
pub struct ProbeView {
    #[command(flatten)]
    position: FenArgs,
    /// Answer each line of this file (- for standard input), a position in FEN or EPD, by a line
    /// of JSON; lines of # are skipped
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "fen", "line"])]
    fens: Option<PathBuf>,
    /// Draw the position into an SVG file
    #[arg(long, value_name = "FILE", conflicts_with = "fens")]
    svg: Option<PathBuf>,
}

impl OnTerminal for ProbeRequest {
    type View = ProbeView;

    fn complete(&mut self, view: &mut ProbeView, _: &Run) -> Result<Source, Error> {
        let line = "a position is missing: expected one in Forsyth-Edwards notation (FEN)";
        let missing = || Error::message(None, line);
        self.fen = view.position.text().ok_or_else(missing)?;
        Ok(Source::default())
    }

    fn files(view: &ProbeView) -> Result<Vec<&Path>, Error> {
        let svg = view.svg.as_deref().into_iter();
        svg.map(|path| ImageFormat::Svg.check(path).map(|()| path))
            .collect()
    }

    fn show(plan: &ProbePlan, answer: &ProbeAnswer, view: &ProbeView) -> Result<Shown, Error> {
        let bare = format!("{}\n", value(answer));
        let mut full = bare.clone();
        if answer.tables == TablesKind::Syzygy && answer.value != ValueName::Draw {
            full += "  from Syzygy files, which hold moves: it may take a ply more\n";
        }
        full += &clock(answer, &view.position.text().unwrap_or_default());
        if !answer.moves.is_empty() {
            full += &format!("moves, with their value for {}:\n", mover(answer));
        }
        for choice in &answer.moves {
            let value = word(choice.value);
            full += &format!("  {:8} {value}", choice.san);
            if let Some(plies) = choice.distance {
                full += &format!(", {plies} plies to {}", goal(answer.metric));
            }
            full += &at_clock(answer, choice);
            full.push('\n');
        }
        if let Some(line) = &answer.line {
            full += &format!("{}\n", line.join(" "));
        }
        let picture = match &plan.0 {
            Probe::Chess(probe) => {
                let fen = Fen::from_position(&probe.position, EnPassantMode::Legal);
                everymove_draw::chess::diagram(&fen.to_string()).unwrap_or_default()
            }
            Probe::Fairy(probe) => probe.picture(),
        };
        Ok(Shown {
            text: Text { bare, full },
            files: vec![ImageFormat::Svg.of(picture)],
        })
    }

    fn advise(&self, error: Error) -> Error {
        advise(error, "")
    }

    fn ask(self, view: ProbeView, screen: &dyn Screen) -> Result<Ended, Error> {
        match &view.fens {
            Some(fens) => self.ask_many(fens, screen),
            None => ask(self, view, screen),
        }
    }
}

impl ProbeRequest {
    /// Answers each position of a file by a line of JSON: a no if one of them has no value.
    fn ask_many(&self, fens: &Path, screen: &dyn Screen) -> Result<Ended, Error> {
        let run = screen.run();
        let tables = Positions::new(&self.source, self.syzygy, self.clock, run)?;
        let is_standard = fens == Path::new("-");
        let input = match is_standard {
            true => Input::standard(run),
            false => Input::open(fens, run),
        };
        let mut lines = Lines::new(input?, MAX_LINE);
        let mut out = io::BufWriter::with_capacity(1 << 16, screen.out());
        let mut all = true;
        while let Some(line) = lines.next_line()? {
            let fen = line.trim();
            if fen.is_empty() || fen.starts_with('#') {
                continue;
            }
            let found = tables.value(fen)?;
            all &= found.error.is_none();
            let mut written = serde_json::to_writer(&mut out, &found).map_err(io::Error::from);
            written = written.and_then(|()| out.write_all(b"\n"));
            // Who asks through a pipe may wait for the answer.
            if is_standard {
                written = written.and_then(|()| out.flush());
            }
            written.map_err(unwritten)?;
        }
        out.flush().map_err(unwritten)?;
        Ok(Ended {
            outcome: Outcome::yes_if(all),
            work: None,
            fault: None,
        })
    }
}

/// A line on the half-move clock of the position, if it has one or it was asked for.
fn clock(answer: &ProbeAnswer, fen: &str) -> String {
    let Some(at) = &answer.at_clock else {
        let clock = fen.split_whitespace().nth(4);
        let runs = clock.is_some_and(|clock| clock.parse::<u32>().is_ok_and(|n| n > 0));
        return match runs && answer.value != ValueName::Draw {
            true => "  with a half-move clock of 0: --clock counts that of the position\n".into(),
            false => String::new(),
        };
    };
    let unknown = match at.value {
        "win or draw" | "loss or draw" if answer.tables == TablesKind::Dtm => {
            ": plies to mate do not determine it, plies to a zeroing move (dtz) do"
        }
        "win or draw" | "loss or draw" if answer.tables == TablesKind::Dtc => {
            ": plies to a conversion do not determine it, plies to a zeroing move (dtz) do"
        }
        "win or draw" | "loss or draw" => {
            ": Syzygy files do not determine it, a .dtz table of our own does"
        }
        _ => "",
    };
    let plies = match at.dtm50 {
        Some(Some(plies)) => format!(", {plies} plies to {}", goal(answer.metric)),
        _ => String::new(),
    };
    format!(
        "  with the half-move clock of {}: {}{plies}{unknown}\n",
        at.clock, at.value
    )
}

/// What the half-move clock makes of a move, where that is not what its value says.
fn at_clock(answer: &ProbeAnswer, choice: &MoveValue) -> String {
    match (choice.at_clock, &answer.at_clock) {
        (Some(value), Some(at)) => {
            let later = choice
                .distance_at_clock
                .filter(|&plies| plies != choice.distance);
            match later.flatten() {
                Some(plies) => format!("; {value}, {plies} plies with the clock of {}", at.clock),
                None if value == word(choice.value) => String::new(),
                None => format!("; {value} with the clock of {}", at.clock),
            }
        }
        _ => String::new(),
    }
}

/// The value with the side that has it: `win for White, 11 plies to mate`.
fn value(answer: &ProbeAnswer) -> String {
    let Some(plies) = answer.distance.plies() else {
        return word(answer.value).to_owned();
    };
    let moves = match answer.metric {
        Metric::Dtm | Metric::Dtm50 => format!(" (mate in {})", plies.div_ceil(2)),
        Metric::Dtz | Metric::Dtc => String::new(),
    };
    let plies = format!(", {plies} plies to {}", goal(answer.metric));
    format!("{} for {}{plies}{moves}", word(answer.value), mover(answer))
}

/// The side to move.
fn mover(answer: &ProbeAnswer) -> &'static str {
    match answer.side_to_move {
        "white" => "White",
        _ => "Black",
    }
}

fn word(value: ValueName) -> &'static str {
    match value {
        ValueName::Win => "win",
        ValueName::CursedWin => "cursed win",
        ValueName::Draw => "draw",
        ValueName::BlessedLoss => "blessed loss",
        ValueName::Loss => "loss",
    }
}

#[cfg(test)]
mod tests {
    use everymove_tables::{Plan, Tables, build};

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
            fairy: FairyRequest::default(),
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
            let distance = Distance::new(Metric::Dtm, Some(11));
            assert_eq!(
                (answer.tables, answer.distance),
                (TablesKind::Dtm, distance)
            );
        }
    }
}
