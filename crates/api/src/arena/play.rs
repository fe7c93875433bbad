//! `arena play`: engines play each other.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use everymove_arena::openings::{self, FileFormat, Generator, OpeningList};
use everymove_arena::pgn::PgnError;
use everymove_arena::stats::{Anchor, Estimate};
use everymove_arena::{
    ArenaError, CastlingMode, EngineLog, GameRecord, LimitsError, MatchPlan, MatchReport,
    OpeningsFileError, PgnFile, Timeouts, TournamentFormat, play_match,
};
use everymove_kernel::files::{Disk, FileError, Output, Storage, open_to_append};
use everymove_kernel::input::{Input, read_text};
use everymove_kernel::machine;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Run, Stop, Work};
use everymove_kernel::text::shown;
use flate2::read::MultiGzDecoder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::engines::{AdjudicationRequest, EnginesRequest, SyzygyTables, seconds};
use super::error::resumable;
use super::openings::GeneratorRequest;
use super::sprt::{SprtAnswer, SprtRequest};
use super::standings::{self, EngineRow, PairingRow, by_name, engines, pairings};
use super::stats;
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{
    Ended, Format, OnTerminal, Screen, Shown, Text, under_display, write_answer,
};

/// The rounds of a match with a sequential test and no number of games: more than any test needs.
const UNLIMITED: u64 = 1 << 40;

/// The engines of a match of many that a line of results names.
const LEADERS: usize = 3;

/// The largest file of openings that is read, in bytes.
const MAX_OPENINGS: u64 = 1 << 30;

/// Engines play each other; Elo with error bars, or a sequential test
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct PlayRequest {
    /// The engines.
    #[command(flatten)]
    #[serde(flatten)]
    engines: EnginesRequest,
    /// Who meets whom [default: round-robin]
    #[arg(long, value_name = "TOURNAMENT")]
    tournament: Option<Tournament>,
    /// The number of games of each pairing: even, as every opening is played with both colours
    /// [default: 100; no limit with a sequential test]
    #[arg(long, value_name = "N")]
    number: Option<u64>,
    /// Games played at the same time [default: 1]
    #[arg(long, value_name = "C")]
    concurrency: Option<usize>,
    /// Bind the engines of each game to processors that no other game uses
    #[arg(long)]
    #[serde(default)]
    affinity: bool,
    /// Openings from this file: PGN (.pgn), a book of Polyglot (.bin), or a position (EPD, FEN) or
    /// moves a line; each also compressed (.gz) [default: balanced ones, generated from the rules]
    #[arg(long, value_name = "FILE")]
    openings: Option<String>,
    /// Take the openings of the file in random order
    #[arg(long)]
    #[serde(default)]
    shuffle: bool,
    /// Plies of each game of a PGN file of openings, and of a book, that are played before the
    /// engines choose moves [default: 16]
    #[arg(long, value_name = "N")]
    opening_plies: Option<u32>,
    /// How openings are generated.
    #[command(flatten)]
    #[serde(flatten)]
    generator: GeneratorRequest,
    /// A sequential test that ends the match.
    #[command(flatten)]
    #[serde(flatten)]
    sprt: SprtRequest,
    /// Give an engine this rating: NAME=ELO
    #[arg(long, value_name = "NAME=ELO")]
    anchor: Option<String>,
    /// Milliseconds that an engine may exceed its time by [default: 0]
    #[arg(long, value_name = "MS")]
    margin: Option<u64>,
    /// Seconds to wait for a move where no clock runs [default: 60]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// When games end early.
    #[command(flatten)]
    #[serde(flatten)]
    adjudication: AdjudicationRequest,
}

/// Which engines meet.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Tournament {
    /// Each engine meets each other one.
    RoundRobin,
    /// The first engine meets each other one.
    Gauntlet,
}

impl From<Tournament> for TournamentFormat {
    fn from(tournament: Tournament) -> Self {
        match tournament {
            Tournament::RoundRobin => Self::RoundRobin,
            Tournament::Gauntlet => Self::Gauntlet,
        }
    }
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct PlayPlan {
    plan: MatchPlan,
    openings: Option<OpeningsFile>,
    anchor: Option<Anchor>,
    /// `None` without a limit.
    games: Option<u64>,
    table_faults: Vec<String>,
    tables: Option<Arc<SyzygyTables>>,
}

/// The results of a match.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlayAnswer {
    /// Whether all games were played or the sequential test has decided.
    complete: bool,
    /// The number of games that count.
    games: u64,
    /// The number of games that were read from a checkpoint.
    resumed: u64,
    /// The engines in the order of the request.
    engines: Vec<EngineRow>,
    /// All pairings with a game.
    pairings: Vec<PairingRow>,
    /// The number of games by ending: `checkmate`, `time_forfeit` and so on.
    endings: BTreeMap<String, u64>,
    /// The sequential test, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtAnswer>,
    /// What may make the results less than they seem: too few cores, openings that are used again
    /// or had impossible castling rights; a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// Why endgame tables that were named, or files of them that were needed, are not used, a line
    /// for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    table_faults: Vec<String>,
    /// What it cost.
    #[serde(skip)]
    work: Work,
}

impl Request for PlayRequest {
    const COMMAND: &'static str = "arena play";
    type Plan = PlayPlan;
    type Answer = PlayAnswer;

    fn plan(&self) -> Result<PlayPlan, Error> {
        let sprt = self.sprt.plan()?;
        let games = match (self.number, sprt) {
            (Some(games), _) => Some(games),
            (None, None) => Some(100),
            (None, Some(_)) => None,
        };
        if let Some(odd) = games.filter(|games| !games.is_multiple_of(2)) {
            let message = format!(
                "number {odd}: expected an even number, as every opening is played with both colours"
            );
            return Err(Error::message(Some("number"), message));
        }
        let rounds = games.map_or(UNLIMITED, |games| games / 2).min(UNLIMITED);
        let format = self.tournament.unwrap_or(Tournament::RoundRobin).into();
        let (engines, limits) = (self.engines.engines()?, self.engines.limits.limits()?);
        let names: Vec<_> = engines.iter().map(|e| e.name.clone()).collect();
        let generator = Generator::new(self.generator.options()?);
        let mode = self.generator.mode();
        let mut plan = MatchPlan::new(engines, format, rounds, generator.into(), limits, mode)?;
        plan.margin = Duration::from_millis(self.margin.unwrap_or(0));
        plan.adjudication = self.adjudication.adjudication()?;
        plan.sprt = sprt;
        plan.concurrency = self.concurrency.unwrap_or(1);
        plan.affinity = self.affinity;
        plan.timeouts = Timeouts {
            search: seconds("timeout", self.timeout.unwrap_or(60.0))?,
            ..Timeouts::default()
        };
        if plan.concurrency == 0 {
            let message = "concurrency 0: expected 1 or more games at once";
            return Err(Error::message(Some("concurrency"), message));
        }
        if sprt.is_some() && plan.engines.len() != 2 {
            let many = ArenaError::TestOfMany(plan.engines.len());
            return Err(Error::input(Some("sprt"), many));
        }
        let anchor = self.anchor.as_deref();
        let anchor = anchor.map(|text| stats::anchor(text, &names)).transpose()?;
        let (tables, table_faults) = self.adjudication.tables()?;
        plan.tables = tables.clone().map(|tables| tables as _);
        for (field, is_given) in [
            ("shuffle", self.shuffle),
            ("opening_plies", self.opening_plies.is_some()),
        ] {
            if is_given && self.openings.is_none() {
                let message =
                    format!("{field} is for a file of openings: expected openings with it");
                return Err(Error::message(Some(field), message));
            }
        }
        let openings = self.openings.as_ref().map(|path| OpeningsFile {
            path: path.clone(),
            plies: self.opening_plies.unwrap_or(16),
            shuffle: self.shuffle.then(|| self.generator.seed.unwrap_or(1)),
        });
        Ok(PlayPlan {
            plan,
            openings,
            anchor,
            games,
            table_faults,
            tables,
        })
    }

    fn run(plan: &PlayPlan, run: &Run) -> Result<PlayAnswer, Error> {
        Ok(plan.play(None, run, &mut |_, _| ())?.0)
    }
}

/// A file of openings.
#[derive(Clone, Debug)]
struct OpeningsFile {
    path: String,
    /// Plies of each game of a PGN file.
    plies: u32,
    /// The seed of a random order.
    shuffle: Option<u64>,
}

impl OpeningsFile {
    fn read(&self, mode: CastlingMode, run: &Run) -> Result<OpeningList, Error> {
        run.progress.start("reading openings", 0);
        let input = Input::open(Path::new(&self.path), run)?;
        let compressed = self.path.len().checked_sub(3).filter(|&end| {
            let end = self.path.get(end..);
            end.is_some_and(|end| end.eq_ignore_ascii_case(".gz"))
        });
        let (name, input) = match compressed {
            None => (&self.path[..], input),
            Some(end) => {
                let called = input.name().to_owned();
                let bytes = MultiGzDecoder::new(input.buffered());
                (&self.path[..end], Input::new(called, bytes, run))
            }
        };
        let input = input.at_most(MAX_OPENINGS);
        let format = FileFormat::of_name(name);
        let found = openings::read(input, format, Some(self.plies), mode);
        let mut found = found.map_err(|error| match error {
            OpeningsFileError::Input(error) => Error::from(error),
            OpeningsFileError::Pgn(PgnError::Input(error)) => Error::from(error),
            OpeningsFileError::OverBudget(error) => Error::from(error),
            error => {
                let message = format!("{}: {error}", shown(&self.path));
                Error::message(Some("openings"), message)
            }
        })?;
        if let Some(seed) = self.shuffle {
            SplitMix64::new(seed).shuffle(&mut found.openings);
        }
        Ok(found)
    }
}

impl PlayPlan {
    /// The match. Openings of a file are read when it is played.
    pub fn match_plan(&self) -> &MatchPlan {
        &self.plan
    }

    /// The number of games; `None` if only the sequential test ends the match.
    pub fn games(&self) -> Option<u64> {
        self.games.map(|_| self.plan.schedule().games())
    }

    /// Plays the match, or the rest of it: see [`play_match`]. A stopped match has an answer that
    /// is not complete. Returns the games, too.
    ///
    /// # Errors
    /// [`Error`] if an engine cannot be started or the journal in `storage` cannot be used.
    pub fn play(
        &self,
        storage: Option<&dyn Storage>,
        run: &Run,
        listener: &mut dyn FnMut(&MatchReport, &GameRecord),
    ) -> Result<(PlayAnswer, MatchReport), Error> {
        self.play_logged(storage, None, run, &mut |_| (), listener)
    }

    /// The same, with a log of what engines are sent and write; `warn` gets the warnings before the
    /// first game.
    fn play_logged(
        &self,
        storage: Option<&dyn Storage>,
        log: Option<EngineLog>,
        run: &Run,
        warn: &mut dyn FnMut(&str),
        listener: &mut dyn FnMut(&MatchReport, &GameRecord),
    ) -> Result<(PlayAnswer, MatchReport), Error> {
        let mut plan = self.plan.clone();
        plan.log = log;
        let openings = self.openings.as_ref();
        let openings = openings.map(|file| file.read(plan.mode, run)).transpose()?;
        // The memory of the openings is held as long as the match.
        let mut warnings = Vec::new();
        let _held = openings.map(|list| {
            warnings.extend(list.note.map(|note| {
                let more = match list.repaired - 1 {
                    0 => String::new(),
                    more => format!(" (and {more} more)"),
                };
                format!("openings, {note}{more}")
            }));
            plan.openings = list.openings.into();
            list.held
        });
        warnings.extend(plan.warnings(machine::cores()));
        warnings.iter().for_each(|line| warn(line));
        run.progress
            .start("playing the first games", self.games().unwrap_or(0));
        let play = || play_match(&plan, storage, run, listener);
        let (report, table_faults) = SyzygyTables::watch(self.tables.as_ref(), run, play);
        let report = report?;
        let names: Vec<_> = self.plan.engines.iter().map(|e| e.name.clone()).collect();
        let standings = &report.standings;
        let test = report.test.as_ref();
        // A match that was stopped has an answer, too.
        let engines =
            engines(&names, standings, self.anchor, &Stop::default()).map_err(Error::machine)?;
        let mut work = Work::of("games", standings.games());
        for engine in 0..names.len() {
            let totals = standings.search_totals(engine);
            work.add("moves", totals.moves);
            work.add("nodes", totals.nodes);
        }
        let answer = PlayAnswer {
            complete: report.complete,
            games: standings.games(),
            resumed: report.resumed,
            engines,
            pairings: pairings(&names, standings),
            endings: by_name(standings.endings().iter().map(|(&ending, &n)| (ending, n))),
            sprt: test.map(|test| SprtAnswer::new(test.sprt(), &test.pairs())),
            warnings,
            table_faults: [self.table_faults.clone(), table_faults].concat(),
            work,
        };
        Ok((answer, report))
    }
}

/// Where games go.
#[derive(Debug, clap::Args)]
pub struct PlayView {
    /// Read the match from this file: a JSON object with the names of the options as fields
    /// (`engines` is a list, `-` is `_`); options on the command line come before it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Show a line for every N games, and of more than two engines their standings [default: 1,
    /// without standings; none where progress is shown]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Add all that engines are sent and write to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Add every game to this PGN file; what it holds stays
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// The name of the match in PGN
    #[arg(long, value_name = "NAME", default_value = "everymove arena")]
    event: String,
    /// Keep every finished game in this directory; the same command resumes the match from there
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
}

impl OnTerminal for PlayRequest {
    type View = PlayView;

    fn show(_: &PlayPlan, answer: &PlayAnswer, _: &PlayView) -> Result<Shown, Error> {
        let mut bare = standings::results(&answer.engines, &answer.pairings);
        bare.extend(answer.sprt.as_ref().map(SprtAnswer::decided));
        let mut full = bare.clone();
        if answer.games > 0 {
            full += &standings::searches(&answer.engines, &answer.endings);
        }
        Ok(Shown::from(Text { bare, full }))
    }

    fn advise(&self, error: Error) -> Error {
        match error.downcast_ref() {
            Some(ArenaError::Limits {
                source: LimitsError::None,
                ..
            }) => error.advising("add --tc 2+0.02, --nodes or --depth"),
            Some(ArenaError::OtherMatch(_)) => {
                error.advising("repeat that match's command, or name another directory")
            }
            _ if matches!(error.wrong_field(), Some("shuffle" | "opening_plies")) => {
                error.advising("add --openings FILE")
            }
            _ => error,
        }
    }

    fn ask(self, view: PlayView, screen: &dyn Screen) -> Result<Ended, Error> {
        let view = &view;
        let request = match &view.config {
            Some(path) => self.over(path, screen.run())?,
            None => self,
        };
        let plan = request.plan().map_err(|error| request.advise(error))?;
        let mut pgn = view.pgn.as_deref().map(PgnFile::prepare).transpose()?;
        let storage = view
            .checkpoint
            .as_deref()
            .map(Disk::exclusive)
            .transpose()?;
        let storage = storage.as_ref().map(|disk| disk as &dyn Storage);
        let every = match view.every {
            _ if screen.format() != Format::Full => None,
            Some(every) => Some(every),
            None => (!screen.is_live()).then_some(1),
        };
        let log = view.log.as_deref().map(engine_log).transpose()?;
        let warn = &mut |line: &str| screen.note(line);
        let played = under_display(screen, |run| {
            plan.play_logged(storage, log, run, warn, &mut |report, game| {
                let headline = plan.headline(report);
                if every.is_some_and(|every| (report.games.len() as u64).is_multiple_of(every)) {
                    screen.note(&plan.note(report, game, &headline));
                    if view.every.is_some() && plan.plan.engines.len() > 2 {
                        let standings = plan.standings(report);
                        standings.lines().for_each(|line| screen.note(line));
                    }
                }
                run.progress.rename(headline);
                if let Some(pgn) = &mut pgn {
                    // An error is reported at the end, when the game is added again.
                    let _ = pgn.add(&plan.plan, game, &view.event);
                }
            })
        });
        let (answer, report) = played.map_err(|error| request.advise(error))?;
        if let Some(pgn) = &mut pgn {
            pgn.finish(&plan.plan, &report, &view.event)?;
        }
        let shown = Self::show(&plan, &answer, view)?;
        let ended = write_answer::<Self>(&answer, &shown.text, screen)?;
        let stopped = "stopped before all games were played";
        let fault = (!answer.complete).then(|| resumable(stopped, "a match", &view.checkpoint));
        Ok(Ended { fault, ..ended })
    }
}

impl PlayRequest {
    /// The request of a file, with what is given here in place of its fields.
    fn over(&self, path: &Path, run: &Run) -> Result<Self, Error> {
        let text = read_text(Input::open(path, run)?, MAX_CONFIG)?;
        let name = shown(&path.display().to_string());
        let read: Self = crate::request::read(&text).map_err(|error| error.in_file(&name))?;
        let fields = |request: &Self| match serde_json::to_value(request) {
            Ok(Value::Object(fields)) => Ok(fields),
            Ok(_) => Ok(serde_json::Map::new()),
            Err(error) => Err(Error::machine(error)),
        };
        let mut merged = fields(&read)?;
        let is_given = |value: &Value| match value {
            Value::Null | Value::Bool(false) => false,
            Value::Array(values) => !values.is_empty(),
            _ => true,
        };
        merged.extend(
            fields(self)?
                .into_iter()
                .filter(|(_, value)| is_given(value)),
        );
        serde_json::from_value(Value::Object(merged)).map_err(Error::machine)
    }
}

/// The largest file of a match, in bytes.
const MAX_CONFIG: u64 = 1 << 24;

/// Adds lines to a file. Those that cannot be written are left out: a full disk does not end a
/// match.
fn engine_log(path: &Path) -> Result<EngineLog, Error> {
    Output::prepare(path)?;
    let name = path.display().to_string();
    let file = open_to_append(path).map_err(|error| FileError::io("write to", &name, error))?;
    let file = Mutex::new(BufWriter::new(file));
    Ok(EngineLog::new(move |line| {
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writeln!(file, "{line}");
        // Reports of a search are many and are followed by its move.
        if written.is_ok() && !line.contains("-> info ") {
            let _ = file.flush();
        }
    }))
}

/// Options of fastchess and cutechess-cli, which begin with one dash, and ours for the same.
const FOREIGN: &[(&str, &str)] = &[
    ("engine", "--engine cmd=PROGRAM,name=NAME,option.NAME=VALUE"),
    ("each", "--each KEY=VALUE,.."),
    (
        "openings",
        "--openings FILE [--shuffle] [--opening-plies N]",
    ),
    ("book", "--openings FILE"),
    ("bookdepth", "--opening-plies N"),
    (
        "rounds",
        "--number GAMES, which is the number of games of each pairing",
    ),
    (
        "games",
        "--number GAMES, which is the number of games of each pairing",
    ),
    (
        "repeat",
        "nothing: every opening is played with both colours",
    ),
    (
        "noswap",
        "nothing: every opening is played with both colours",
    ),
    ("concurrency", "--concurrency N"),
    ("use-affinity", "--affinity"),
    (
        "sprt",
        "--sprt ELO0,ELO1 [--alpha P] [--beta P] [--sprt-model normalised]",
    ),
    ("resign", "--resign MOVES,CENTIPAWNS [--resign-both]"),
    ("draw", "--draw FROM,MOVES,CENTIPAWNS"),
    ("maxmoves", "--max-moves N"),
    ("tb", "--syzygy-path DIRS"),
    ("tournament", "--tournament round-robin or gauntlet"),
    ("variant", "--chess960"),
    ("pgnout", "--pgn FILE"),
    ("event", "--event NAME"),
    ("srand", "--seed N"),
    ("seed", "--seed N"),
    ("ratinginterval", "--every N"),
    ("scoreinterval", "--every N"),
    (
        "recover",
        "nothing: an engine that crashed is started again",
    ),
    ("log", "--log FILE"),
    ("debug", "--log FILE"),
    ("config", "--config FILE or --checkpoint DIR"),
    ("autosaveinterval", "--checkpoint DIR"),
    ("wait", "nothing: games follow one another at once"),
    ("quick", "--engine cmd=A --engine cmd=B --tc 10+0.1"),
    ("epdout", "--pgn FILE"),
];

/// What is written here for an option of fastchess or cutechess-cli, such as `-each`; `None` for
/// other words.
pub fn foreign_option(word: &str) -> Option<String> {
    let name = word
        .strip_prefix('-')
        .filter(|name| !name.starts_with('-'))?;
    let (_, ours) = FOREIGN.iter().find(|(theirs, _)| *theirs == name)?;
    Some(format!(
        "'{word}' is an option of fastchess or cutechess-cli: here it is {ours}"
    ))
}

impl PlayPlan {
    /// The table of all engines.
    fn standings(&self, report: &MatchReport) -> String {
        let names: Vec<_> = self.plan.engines.iter().map(|e| e.name.clone()).collect();
        let engines = engines(&names, &report.standings, self.anchor, &Stop::default());
        let pairings = pairings(&names, &report.standings);
        engines.map_or_else(
            |_| String::new(),
            |engines| standings::results(&engines, &pairings),
        )
    }

    fn name(&self, engine: usize) -> String {
        shown(&self.plan.engines[engine].name)
    }

    /// The results so far in a line.
    fn headline(&self, report: &MatchReport) -> String {
        let mut text = match self.plan.engines.len() {
            2 => {
                let score = report.standings.between(0, 1);
                let e = Estimate::of_games(&score.games, &score.pairs);
                format!(
                    "{} {} {}: Elo {}",
                    self.name(0),
                    standings::record(score.games),
                    self.name(1),
                    standings::elo(e.elo, e.elo_error)
                )
            }
            engines => {
                let score = |engine: usize| {
                    let games = report.standings.of(engine);
                    (games.points(), games.games())
                };
                let share = |engine: &usize| {
                    let (points, games) = score(*engine);
                    points / games.max(1) as f64
                };
                let mut order: Vec<usize> = (0..engines).collect();
                order.sort_by(|a, b| share(b).total_cmp(&share(a)));
                let first = order.iter().take(LEADERS).map(|&engine| {
                    let (points, games) = score(engine);
                    format!("{} {points}/{games}", self.name(engine))
                });
                first.collect::<Vec<_>>().join(", ")
            }
        };
        if let Some(test) = &report.test {
            let (lower, upper) = test.sprt().bounds();
            text += &format!(", LLR {:+.2} in ({lower:.2}, {upper:.2})", test.llr());
        }
        text
    }

    /// A game that has ended, in a line.
    fn note(&self, report: &MatchReport, game: &GameRecord, headline: &str) -> String {
        let all = self
            .games()
            .map_or(String::new(), |all| format!(" of {all}"));
        let detail = game.detail.as_ref();
        format!(
            "{}{all}: {} - {} {} {}{}; {headline}",
            report.games.len(),
            self.name(game.white),
            self.name(game.black),
            game.outcome,
            game.ending.name(),
            detail.map_or(String::new(), |d| format!(" ({d})")),
        )
    }
}

impl Answer for PlayAnswer {
    fn table_faults(&self) -> &[String] {
        &self.table_faults
    }

    fn work(&self) -> Work {
        self.work.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn options_of_other_programs_are_named_as_here() {
        for (word, part) in [
            ("-each", "--each KEY=VALUE,.."),
            ("-engine", "--engine cmd=PROGRAM"),
            ("-pgnout", "--pgn FILE"),
        ] {
            assert!(foreign_option(word).unwrap().contains(part), "{word}");
        }
        for word in ["--each", "each", "-", "-q"] {
            assert_eq!(foreign_option(word), None);
        }
    }

    /// What is given beside the file comes before it, field by field.
    #[test]
    fn a_match_is_read_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.json");
        let json = r#"{"engines":["cmd=a","cmd=b,ponder=true"],"each":"nodes=100","number":20,"chess960":true,"openings":"book.pgn"}"#;
        std::fs::write(&path, json).unwrap();
        let given = PlayRequest {
            number: Some(8),
            shuffle: true,
            opening_plies: Some(4),
            affinity: true,
            ..PlayRequest::default()
        };
        let merged = given.over(&path, &Run::serial()).unwrap();
        let plan = merged.plan().unwrap();
        assert_eq!(plan.games(), Some(8));
        assert_eq!(plan.match_plan().mode, CastlingMode::Chess960);
        assert_eq!(
            plan.match_plan().engines[1].limits.unwrap().nodes,
            Some(100)
        );
        let ponder: Vec<_> = (plan.match_plan().engines.iter())
            .map(|engine| engine.ponder)
            .collect();
        assert_eq!(
            (ponder, plan.match_plan().affinity),
            (vec![false, true], true)
        );
        let openings = plan.openings.unwrap();
        assert_eq!((openings.plies, openings.shuffle), (4, Some(1)));
        std::fs::write(&path, r#"{"engines":["cmd=a","cmd=b"],"each":"nodes=100"}"#).unwrap();
        let alone = given.over(&path, &Run::serial()).unwrap().plan();
        let error = alone.unwrap_err();
        assert_eq!(error.wrong_field(), Some("shuffle"), "{error}");
        std::fs::write(&path, r#"{"engine":["cmd=a"]}"#).unwrap();
        let error = given.over(&path, &Run::serial()).unwrap_err().to_string();
        assert!(
            error.contains("match.json: ") && error.contains("engine"),
            "{error}"
        );
    }

    #[test]
    fn openings_may_be_compressed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn.gz");
        let file = std::fs::File::create(&path).unwrap();
        let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::default());
        packed.write_all(b"1. e4 e5 *\n\n1. d4 *\n").unwrap();
        packed.finish().unwrap();
        let read = |path: &Path| {
            let file = OpeningsFile {
                path: path.display().to_string(),
                plies: 16,
                shuffle: None,
            };
            file.read(CastlingMode::Standard, &Run::serial())
                .map(|list| list.openings)
        };
        let openings = read(&path).unwrap();
        let moves: Vec<_> = openings
            .iter()
            .map(|opening| opening.moves.join(" "))
            .collect();
        assert_eq!(moves, ["e2e4 e7e5", "d2d4"]);
        std::fs::write(&path, "1. e4 *").unwrap();
        assert!(read(&path).is_err());
    }
}
