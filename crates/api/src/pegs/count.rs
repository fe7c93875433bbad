//! `pegs count`: positions, solutions and games.

use std::path::PathBuf;

use everymove_kernel::files::Disk;
use everymove_kernel::run::{Run, Work};
use everymove_pegs::{Problem, Quantities, ReachedLayer, Totals, count_totals};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{ProblemRequest, open_board};
use super::estimate::EstimateRequest;
use super::files::{Layers, LayersPlan, LayersRequest};
use super::names::{Reason, board_name, finish_name, start_name, title};
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::site::{Site, absent};
use crate::terminal::{
    Ended, OnTerminal, Screen, Shown, Source, Text, ask, under_display, write_answer,
};

/// How many positions, solutions and games there are, exactly.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct CountRequest {
    /// The problem.
    #[command(flatten)]
    #[serde(flatten)]
    pub problem: ProblemRequest,
    /// Count games, which takes every position at once, on boards of more than 36 holes too
    #[arg(long)]
    #[serde(default)]
    pub games: bool,
    /// Count the positions that can be reached and nothing else
    #[arg(long, conflicts_with = "games")]
    #[serde(default)]
    pub positions: bool,
    /// Save the state of a long count in this directory, and resume from what is there
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Where layers are kept that do not fit the memory [default: the directory of the
    /// checkpoint].
    #[command(flatten)]
    #[serde(flatten)]
    pub layers: LayersRequest,
}

/// The checked question.
#[derive(Debug)]
pub struct CountPlan {
    problem: Problem,
    quantities: Quantities,
    folder: Option<Disk>,
    layers: LayersPlan,
}

/// Exact numbers of a problem.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CountAnswer {
    /// The name of the board, or its rows.
    pub board: String,
    /// The hole that is empty at the start, or the start's rows.
    pub start: String,
    /// The hole of the last peg, the rows of the finish, or `anywhere`.
    pub finish: String,
    /// Positions that can be reached, up to the symmetries that keep the class of the start.
    pub positions: String,
    /// Where the layers of these positions were.
    pub layers: Layers,
    /// The numbers of pegs of the layers, from the start.
    pub pegs: Vec<u64>,
    /// Positions of each layer, up to symmetry.
    pub positions_by_pegs: Vec<u64>,
    /// Positions of each layer without a jump, up to symmetry.
    pub dead_ends_by_pegs: Vec<u64>,
    /// Positions, every image counted.
    pub images: String,
    /// The fewest jumps of a game that ends with no jump left.
    pub shortest_game: Option<usize>,
    /// The holes that can hold the last peg, separated by blanks.
    pub last_pegs: String,
    /// Ordered sequences of jumps from the start to the finish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solutions: Option<String>,
    /// Positions from which the finish can be reached, up to the symmetries of the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winning: Option<String>,
    /// These positions after each number of jumps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winning_by_jumps: Option<Vec<u64>>,
    /// Those of them from which there is exactly one solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_by_jumps: Option<Vec<u64>>,
    /// `class` where start and finish lie in different classes: there is no solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Ordered sequences of jumps to a position without a jump.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<String>,
    /// The probability of reaching the finish if every jump is drawn uniformly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub odds: Option<f64>,
    /// The reason in words, with drawings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    #[serde(skip)]
    work: Work,
}

impl Request for CountRequest {
    const COMMAND: &'static str = "pegs count";
    const IS_SERVED: bool = true;
    type Plan = CountPlan;
    type Answer = CountAnswer;

    fn restrict(&mut self, _: &Site) -> Result<(), Error> {
        absent("checkpoint", &self.checkpoint)?;
        absent("work", &self.layers.work)
    }

    fn plan(&self) -> Result<CountPlan, Error> {
        Ok(CountPlan {
            problem: self.problem.plan()?,
            quantities: match (self.positions, self.games) {
                (true, _) => Quantities::Positions,
                (false, true) => Quantities::Games,
                (false, false) => Quantities::Usual,
            },
            layers: self.layers.plan(self.checkpoint.as_deref())?,
            folder: self.checkpoint.as_ref().map(Disk::exclusive).transpose()?,
        })
    }

    fn run(plan: &CountPlan, run: &Run) -> Result<CountAnswer, Error> {
        let problem = &plan.problem;
        let mut files = plan.layers.files();
        if let Some(folder) = &plan.folder {
            files.checkpoint = Some(folder);
        }
        let totals = count_totals(problem, plan.quantities, files, run)?;
        Ok(CountAnswer::new(problem, totals))
    }
}

impl CountAnswer {
    /// What was counted of a problem.
    pub(crate) fn new(problem: &Problem, totals: Totals) -> Self {
        let board = problem.board();
        let reach = &totals.reach;
        let layers = |of: fn(&ReachedLayer) -> u64| reach.layers.iter().map(of).collect();
        let mut work = reach.work.clone();
        let solutions = totals.solutions;
        if let Some(found) = &solutions {
            work.merge(&found.work);
        }
        let winning = solutions
            .as_ref()
            .map(|found| found.winning.iter().sum::<u64>());
        Self {
            board: board_name(board),
            start: start_name(problem),
            finish: finish_name(problem),
            positions: reach.positions().to_string(),
            layers: reach.layers_in.into(),
            pegs: layers(|layer| layer.pegs as u64),
            positions_by_pegs: layers(|layer| layer.positions),
            dead_ends_by_pegs: layers(|layer| layer.dead_ends),
            images: reach
                .layers
                .iter()
                .map(|layer| layer.images)
                .sum::<u64>()
                .to_string(),
            shortest_game: reach.shortest_game(),
            last_pegs: board.names_of(reach.last_pegs),
            solutions: solutions.as_ref().map(|found| found.solutions.to_string()),
            winning: winning.map(|n| n.to_string()),
            winning_by_jumps: solutions.as_ref().map(|found| found.winning.clone()),
            unique_by_jumps: solutions.map(|found| found.unique),
            reason: totals.proof.as_ref().map(|_| Reason::Class),
            games: totals.games.as_ref().map(|games| games.games.to_string()),
            odds: totals.games.map(|games| games.odds),
            proof: totals.proof.map(|proof| proof.text(board)),
            work,
        }
    }
}

impl Answer for CountAnswer {
    fn work(&self) -> Work {
        self.work.clone()
    }
}

/// What else can be asked of a count.
#[derive(Debug, clap::Args)]
pub struct CountView {
    /// Print what counting positions and finding winning positions will take, and stop
    #[arg(long, conflicts_with_all = ["games", "positions", "checkpoint"])]
    estimate: bool,
}

impl OnTerminal for CountRequest {
    type View = CountView;

    fn complete(&mut self, _: &mut CountView, run: &Run) -> Result<Source, Error> {
        open_board(&mut self.problem.board.board, run)
    }

    fn show(plan: &CountPlan, answer: &CountAnswer, _: &CountView) -> Result<Shown, Error> {
        let positions = &answer.positions;
        let mut full = format!(
            "{}\n{positions} positions up to symmetry\n",
            title(&plan.problem)
        );
        let mut bare = format!("{positions}\n");
        if answer.layers == Layers::Disk {
            full += "counted with layers on disk\n";
        }
        if let (Some(solutions), Some(winning)) = (&answer.solutions, &answer.winning) {
            full += &format!("{winning} of them can still be won\n{solutions} solutions\n");
            bare += &format!("{solutions}\n");
        }
        if let Some(proof) = &answer.proof {
            full += &format!("\n{}\n", proof.trim_end());
        }
        if let (Some(games), Some(odds)) = (&answer.games, answer.odds) {
            full += &format!("{games} games to a position without a jump\n");
            full += &match odds > 0.0 {
                true => format!(
                    "1 game in {:.4e} wins if every jump is drawn at random\n",
                    1.0 / odds
                ),
                false => "no game wins\n".to_owned(),
            };
            bare += &format!("{games}\n");
        }
        Ok(Text { bare, full }.into())
    }

    fn advise(&self, error: Error) -> Error {
        if error.wrong_field() == Some("work") {
            return error.advising("give --work DIR or --checkpoint DIR");
        }
        error.advising_if_stopped(match self.checkpoint {
            Some(_) => "the same command resumes from the checkpoint",
            None => "with --checkpoint DIR it could be resumed",
        })
    }

    fn ask(mut self, mut view: CountView, screen: &dyn Screen) -> Result<Ended, Error> {
        if !view.estimate {
            return ask(self, view, screen);
        }
        let source = self.complete(&mut view, screen.run())?;
        let request = EstimateRequest {
            problem: self.problem,
            work: self.layers.work,
            disk: self.layers.disk,
        };
        let plan = request.plan().map_err(|error| source.named(error))?;
        let answer = under_display(screen, |run| EstimateRequest::run(&plan, run))?;
        write_answer::<EstimateRequest>(&answer, &plan.text(&answer), screen)
    }
}
