//! `engine tune`: weights of the evaluation from the engine's own games.

use std::path::PathBuf;

use everymove_engine::eval::{Evaluation, Weights};
use everymove_engine::{TuneError, tune};
use everymove_kernel::input::{Input, read_text};
use everymove_kernel::run::{Run, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::request::{Answer, Request};

/// The largest file of weights that is read, in bytes: the shipped one has 5,000.
const LONGEST_FILE: u64 = 1 << 20;

/// Weights of the evaluation, fitted to games of the engine against itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct TuneRequest {
    /// Games to play [default: 4000]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub games: Option<u32>,
    /// Nodes a move, at least 1 [default: 1500]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub nodes: Option<u64>,
    /// Of openings and of the order of positions [default: 1]
    #[arg(long, value_name = "S")]
    #[serde(default)]
    pub seed: Option<u64>,
    /// Passes over all positions in the fit [default: 30]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub epochs: Option<u32>,
    /// Evaluation of the players, whose scores the weights are fitted to
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub evaluation: Players,
    /// A file of weights to start from [default: those of the engine]
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub start: Option<PathBuf>,
}

/// Which evaluation the players of the games use.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Players {
    /// The weights from which the fit starts
    #[default]
    Classical,
    /// The network that the engine ships
    Network,
}

impl Players {
    fn evaluation(self) -> Evaluation {
        match self {
            Self::Classical => Evaluation::Classical,
            Self::Network => Evaluation::Network,
        }
    }
}

/// The checked request; the file of weights is read when it runs.
#[derive(Clone, Debug)]
pub struct TunePlan {
    games: tune::Plan,
    start: Option<PathBuf>,
}

/// What was played, and how well the weights predict the results before and after the fit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TuneAnswer {
    /// Number of positions that were kept.
    pub positions: u64,
    /// Number of games played.
    pub games: u32,
    /// The results of the games.
    pub results: GameResults,
    /// Mean squared error on positions that were not fitted, before the fit.
    pub error_before: f64,
    /// The same after the fit.
    pub error_after: f64,
    /// The new weights, and the plan that gave them.
    #[serde(skip)]
    pub fitted: (Weights, tune::Plan),
    /// What it cost.
    #[serde(skip)]
    pub work: Work,
}

/// Numbers of games by result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GameResults {
    /// Won by White.
    pub white: u32,
    /// Drawn.
    pub draws: u32,
    /// Won by Black.
    pub black: u32,
}

impl TuneAnswer {
    /// The file of the new weights, with the command that makes it again as its first line.
    pub fn file(&self) -> String {
        let (weights, plan) = &self.fitted;
        weights.write(&format!(
            "Tuned on {} positions of {} own games: everymove engine tune --games {} --nodes {} --seed {} --epochs {}{}",
            self.positions,
            plan.games,
            plan.games,
            plan.nodes,
            plan.seed,
            plan.epochs,
            match plan.evaluation {
                Evaluation::Classical => "",
                Evaluation::Network => " --evaluation network",
            }
        ))
    }
}

impl Request for TuneRequest {
    const COMMAND: &'static str = "engine tune";
    type Plan = TunePlan;
    type Answer = TuneAnswer;

    fn plan(&self) -> Result<TunePlan, Error> {
        let default = tune::Plan::default();
        let nodes = self.nodes.unwrap_or(default.nodes);
        if nodes == 0 {
            let line = "0 nodes a move: expected at least 1";
            return Err(Error::message(Some("nodes"), line));
        }
        Ok(TunePlan {
            games: tune::Plan {
                games: self.games.unwrap_or(default.games),
                nodes,
                seed: self.seed.unwrap_or(default.seed),
                epochs: self.epochs.unwrap_or(default.epochs),
                evaluation: self.evaluation.evaluation(),
                start: default.start,
            },
            start: self.start.clone(),
        })
    }

    fn run(plan: &TunePlan, run: &Run) -> Result<TuneAnswer, Error> {
        let mut games = plan.games.clone();
        if let Some(path) = &plan.start {
            let text = Input::open(path, run).and_then(|input| read_text(input, LONGEST_FILE))?;
            games.start = Weights::read(&text)
                .map_err(|e| Error::message(Some("start"), format!("{}: {e}", path.display())))?;
        }
        let tuned = tune::run(&games, run).map_err(|e| match e {
            TuneError::Stopped(stopped) => stopped.into(),
            TuneError::OverBudget(over) => over.into(),
            error => Error::machine(error),
        })?;
        let [white, draws, black] = tuned.results;
        let [error_before, error_after] = tuned.error;
        Ok(TuneAnswer {
            positions: tuned.positions as u64,
            games: games.games,
            results: GameResults {
                white,
                draws,
                black,
            },
            error_before,
            error_after,
            fitted: (tuned.weights, games),
            work: tuned.work,
        })
    }
}

impl Answer for TuneAnswer {
    fn work(&self) -> Work {
        self.work.clone()
    }
}
