//! `engine datagen`: games of the engine against itself as data to train a network from.

use std::path::PathBuf;
use std::sync::Arc;

use everymove_engine::DataError;
use everymove_engine::eval::Network;
use everymove_engine::selfplay::{self, Statistics};
use everymove_kernel::files::Disk;
use everymove_kernel::run::{Run, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// Play games of the engine against itself, as data to train a network from
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct DatagenRequest {
    /// The directory of the games: one file for each seed, which the same command extends
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Quiet positions that the file of this seed shall hold [default: 1000000]
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// Nodes a move, at least 1: the search ends with the iteration that reaches them, or at eight
    /// times as many [default: 1500]
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Of the openings [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// A network that evaluates, made by `engine train` [default: the classical evaluation]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Play no game; only count what the directory holds
    #[arg(long, conflicts_with_all = ["positions", "nodes", "seed", "network"])]
    #[serde(default)]
    stats: bool,
}

/// The checked request.
#[derive(Clone, Debug)]
pub struct DatagenPlan {
    out: PathBuf,
    /// `None` to count only.
    games: Option<selfplay::Plan>,
}

/// Numbers of games by result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct GameResults {
    /// Won by White.
    pub white: u32,
    /// Drawn.
    pub draws: u32,
    /// Won by Black.
    pub black: u32,
}

/// What the directory holds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DatagenAnswer {
    /// Files, one for each seed.
    files: u64,
    /// Their bytes.
    bytes: u64,
    /// Games in them.
    games: u64,
    /// Games that this run added.
    new_games: u64,
    /// The results of all games.
    results: GameResults,
    /// Plies of all games.
    plies: u64,
    /// Positions with a score: all but those of the random moves.
    positions: u64,
    /// Quiet positions: not in check, the move played is neither a capture nor a promotion, a
    /// score of at most 2000 centipawns.
    quiet_positions: u64,
    /// Quiet positions that this run added.
    new_quiet_positions: u64,
    /// Mean absolute score of the quiet positions, in centipawns.
    mean_score: f64,
    /// Quiet positions by number of pieces, from 1 to 32.
    by_pieces: Vec<u64>,
    /// What it cost.
    #[serde(skip)]
    work: Work,
}

impl Request for DatagenRequest {
    const COMMAND: &'static str = "engine datagen";
    type Plan = DatagenPlan;
    type Answer = DatagenAnswer;

    fn plan(&self) -> Result<DatagenPlan, Error> {
        let default = selfplay::Plan::default();
        let nodes = self.nodes.unwrap_or(default.nodes);
        if nodes == 0 {
            let line = "0 nodes a move: expected at least 1";
            return Err(Error::message(Some("nodes"), line));
        }
        if self.out.is_file() {
            let line = format!("{} is a file: expected a directory", self.out.display());
            return Err(Error::message(Some("out"), line));
        }
        if self.stats && !self.out.is_dir() {
            let line = format!("there is no directory {}", self.out.display());
            return Err(Error::message(Some("out"), line));
        }
        let network = self.network.as_deref().map(Network::open).transpose()?;
        let games = selfplay::Plan {
            positions: self.positions.unwrap_or(default.positions),
            nodes,
            seed: self.seed.unwrap_or(default.seed),
            network: network.map(Arc::new),
        };
        Ok(DatagenPlan {
            out: self.out.clone(),
            games: (!self.stats).then_some(games),
        })
    }

    fn run(plan: &DatagenPlan, run: &Run) -> Result<DatagenAnswer, Error> {
        let (mut new_games, mut new_samples, mut work) = (0, 0, Work::default());
        if let Some(games) = &plan.games {
            let folder = Disk::exclusive(&plan.out)?;
            let made = selfplay::generate(&folder, games, run).map_err(error)?;
            (new_games, new_samples, work) = (made.new_games, made.new_samples, made.work);
        }
        let folder = Disk::new(&plan.out);
        let found = Statistics::count(selfplay::read_folder(&folder)?, run).map_err(error)?;
        let [white, draws, black] = found.results.map(|n| n as u32);
        Ok(DatagenAnswer {
            files: found.files,
            bytes: found.bytes,
            games: found.games,
            new_games,
            results: GameResults {
                white,
                draws,
                black,
            },
            plies: found.plies,
            positions: found.positions,
            quiet_positions: found.samples,
            new_quiet_positions: new_samples,
            mean_score: found.score_sum as f64 / found.samples.max(1) as f64,
            by_pieces: found.by_pieces.to_vec(),
            work,
        })
    }
}

impl OnTerminal for DatagenRequest {
    type View = ();

    fn show(plan: &DatagenPlan, answer: &DatagenAnswer, (): &()) -> Result<Shown, Error> {
        let results = answer.results;
        let full = format!(
            "{} quiet positions of {} games (white +{} ={} -{}), {} of them new\nmean absolute score {:.0} centipawns; {} bytes in {}\n",
            answer.quiet_positions,
            answer.games,
            results.white,
            results.draws,
            results.black,
            answer.new_quiet_positions,
            answer.mean_score,
            answer.bytes,
            plan.out.display()
        );
        let bare = format!("{}\n", answer.quiet_positions);
        Ok(Shown::from(Text { bare, full }))
    }

    fn advise(&self, error: Error) -> Error {
        match error.downcast_ref() {
            Some(DataError::NoThread) => error.advising("fewer --threads may help"),
            _ => error.advising_if_stopped("all whole games are kept, the same command resumes"),
        }
    }
}

fn error(error: DataError) -> Error {
    match error {
        DataError::Stopped(stopped) => stopped.into(),
        DataError::OverBudget(over) => over.into(),
        DataError::File(file) => file.into(),
        error => Error::machine(error),
    }
}

impl Answer for DatagenAnswer {
    fn work(&self) -> Work {
        self.work.clone()
    }
}
