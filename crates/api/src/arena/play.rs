//! `arena play`: engines play each other.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use everymove_arena::openings::{self, FileFormat, Generator, OpeningList};
use everymove_arena::pgn::PgnError;
use everymove_arena::stats::Anchor;
use everymove_arena::{
    CastlingMode, GameRecord, MatchPlan, MatchReport, OpeningsFileError, Timeouts,
    TournamentFormat, play_match,
};
use everymove_kernel::files::Storage;
use everymove_kernel::input::Input;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Run, Stop, Work};
use everymove_kernel::text::shown;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::engines::{AdjudicationRequest, EnginesRequest, SyzygyTables, seconds};
use super::openings::GeneratorRequest;
use super::sprt::{SprtAnswer, SprtRequest};
use super::standings::{EngineRow, PairingRow, by_name, engines, pairings};
use super::stats;
use crate::error::Error;
use crate::request::{Answer, Request};

/// The rounds of a match with a sequential test and no number of games: more than any test needs.
const UNLIMITED: u64 = 1 << 40;

/// The largest file of openings that is read, in bytes.
const MAX_OPENINGS: u64 = 1 << 30;

/// A match between engines.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct PlayRequest {
    /// The engines.
    #[command(flatten)]
    #[serde(flatten)]
    pub engines: EnginesRequest,
    /// Who meets whom [default: round-robin]
    #[arg(long, value_name = "TOURNAMENT")]
    #[serde(default)]
    pub tournament: Option<Tournament>,
    /// The number of games of each pairing: even, as every opening is played with both colours [default: 100; no limit
    /// with a sequential test]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub number: Option<u64>,
    /// Games played at the same time [default: 1]
    #[arg(long, value_name = "C")]
    #[serde(default)]
    pub concurrency: Option<usize>,
    /// Openings from this file: PGN (.pgn), or a position (EPD, FEN) or moves a line [default: balanced ones, generated from the rules]
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub openings: Option<String>,
    /// Take the openings of the file in random order
    #[arg(long, requires = "openings")]
    #[serde(default)]
    pub shuffle: bool,
    /// Plies of each game of a PGN file of openings that are played before the engines choose moves [default: 16]
    #[arg(long, value_name = "N", requires = "openings")]
    #[serde(default)]
    pub opening_plies: Option<u32>,
    /// How openings are generated.
    #[command(flatten)]
    #[serde(flatten)]
    pub generator: GeneratorRequest,
    /// A sequential test that ends the match.
    #[command(flatten)]
    #[serde(flatten)]
    pub sprt: SprtRequest,
    /// Give an engine this rating: NAME=ELO
    #[arg(long, value_name = "NAME=ELO")]
    #[serde(default)]
    pub anchor: Option<String>,
    /// Milliseconds that an engine may exceed its time by [default: 0]
    #[arg(long, value_name = "MS")]
    #[serde(default)]
    pub margin: Option<u64>,
    /// Seconds to wait for a move where no clock runs [default: 60]
    #[arg(long, value_name = "SECONDS")]
    #[serde(default)]
    pub timeout: Option<f64>,
    /// When games end early.
    #[command(flatten)]
    #[serde(flatten)]
    pub adjudication: AdjudicationRequest,
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
    pub complete: bool,
    /// The number of games that count.
    pub games: u64,
    /// The number of games that were read from a checkpoint.
    pub resumed: u64,
    /// The engines in the order of the request.
    pub engines: Vec<EngineRow>,
    /// All pairings with a game.
    pub pairings: Vec<PairingRow>,
    /// The number of games by ending: `checkmate`, `time_forfeit` and so on.
    pub endings: BTreeMap<String, u64>,
    /// The sequential test, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtAnswer>,
    /// Why endgame tables that were named, or files of them that were needed, are not used, a line for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub table_faults: Vec<String>,
    /// The games and results.
    #[serde(skip)]
    #[schemars(skip)]
    pub report: MatchReport,
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
        plan.timeouts = Timeouts {
            search: seconds("timeout", self.timeout.unwrap_or(60.0))?,
            ..Timeouts::default()
        };
        if plan.concurrency == 0 {
            let message = "concurrency 0: expected 1 or more games at once";
            return Err(Error::message(Some("concurrency"), message));
        }
        if sprt.is_some() && plan.engines.len() != 2 {
            let many = everymove_arena::ArenaError::TestOfMany(plan.engines.len());
            return Err(Error::input(Some("sprt"), many));
        }
        let anchor = self.anchor.as_deref();
        let anchor = anchor.map(|text| stats::anchor(text, &names)).transpose()?;
        let (tables, table_faults) = self.adjudication.tables()?;
        plan.tables = tables.clone().map(|tables| tables as _);
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
        plan.play(None, run, &mut |_, _| ())
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
        let input = Input::open(Path::new(&self.path), run)?.at_most(MAX_OPENINGS);
        let format = FileFormat::of_name(&self.path);
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

    /// Plays the match, or the rest of it: see [`play_match`]. A stopped match has an answer that is not complete.
    ///
    /// # Errors
    /// [`Error`] if an engine cannot be started or the journal in `storage` cannot be used.
    pub fn play(
        &self,
        storage: Option<&dyn Storage>,
        run: &Run,
        listener: &mut dyn FnMut(&MatchReport, &GameRecord),
    ) -> Result<PlayAnswer, Error> {
        let mut plan = self.plan.clone();
        let openings = self.openings.as_ref();
        let openings = openings.map(|file| file.read(plan.mode, run)).transpose()?;
        // The memory of the openings is held as long as the match.
        let (openings, _held) = openings.map(|list| (list.openings, list.held)).unzip();
        if let Some(openings) = openings {
            plan.openings = openings.into();
        }
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
        Ok(PlayAnswer {
            complete: report.complete,
            games: standings.games(),
            resumed: report.resumed,
            engines,
            pairings: pairings(&names, standings),
            endings: by_name(standings.endings().iter().map(|(&ending, &n)| (ending, n))),
            sprt: test.map(|test| SprtAnswer::new(test.sprt(), &test.pairs())),
            table_faults: [self.table_faults.clone(), table_faults].concat(),
            report,
        })
    }
}

impl Answer for PlayAnswer {
    fn table_faults(&self) -> &[String] {
        &self.table_faults
    }

    fn work(&self) -> Work {
        let mut work = Work::of("games", self.games);
        for engine in 0..self.engines.len() {
            let totals = self.report.standings.search_totals(engine);
            work.add("moves", totals.moves);
            work.add("nodes", totals.nodes);
        }
        work
    }
}
