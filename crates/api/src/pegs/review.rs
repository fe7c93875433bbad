//! `pegs review`: where a game was lost.

use everymove_kernel::run::{Run, Work};
use everymove_pegs::{
    Advice, Board, Jump, Problem, Review, ReviewStep, SolutionCounts, parse_game,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::game::{GameRequest, open_game};
use super::names::{board_name, finish_name, jump_name, start_name, title};
use super::winning::{SetPlan, SetRequest};
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::site::{Site, absent};
use crate::terminal::{OnTerminal, Shown, Source, Text};

/// A played game, jump by jump: where it was lost, and what would have saved it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct ReviewRequest {
    /// The game.
    #[command(flatten)]
    #[serde(flatten)]
    pub game: GameRequest,
    /// The winning set.
    #[command(flatten)]
    #[serde(flatten)]
    pub set: SetRequest,
}

/// The checked question.
#[derive(Debug)]
pub struct ReviewPlan {
    problem: Problem,
    jumps: Vec<Jump>,
    set: SetPlan,
}

/// A game with a judgement of each jump.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReviewAnswer {
    /// The name of the board, or its rows.
    pub board: String,
    /// The hole that is empty at the start, or the start's rows.
    pub start: String,
    /// The hole of the last peg, the rows of the finish, or `anywhere`.
    pub finish: String,
    /// Whether the game reached the finish.
    pub solved: bool,
    /// Whether the finish can still be reached from the last position.
    pub winnable: bool,
    /// The number, from 1, of the jump that lost the game; null if none did.
    pub lost_at: Option<usize>,
    /// Each jump as it was played.
    pub jumps: Vec<ReviewedJump>,
    /// The jumps that keep the finish in reach from the last position.
    pub next: Vec<String>,
    #[serde(skip)]
    work: Work,
}

/// One jump of a played game.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReviewedJump {
    /// The jump.
    pub jump: String,
    /// Whether the finish could be reached before it.
    pub winnable_before: bool,
    /// Whether the finish could be reached after it.
    pub winnable_after: bool,
    /// The share of the solutions that it kept, from 0 to 1, if they were counted.
    pub share: Option<f64>,
    /// The jumps in its place that keep the finish in reach.
    pub safe: Vec<String>,
    /// How many jumps could be made.
    pub choices: usize,
}

impl ReviewedJump {
    fn new(board: &Board, step: &ReviewStep) -> Self {
        Self {
            jump: jump_name(board, &step.played),
            winnable_before: step.before.is_winnable,
            winnable_after: step.is_winnable_after,
            share: step.share,
            safe: step
                .before
                .safe()
                .map(|hint| jump_name(board, &hint.jump))
                .collect(),
            choices: step.before.jumps.len(),
        }
    }
}

impl Request for ReviewRequest {
    const COMMAND: &'static str = "pegs review";
    const IS_SERVED: bool = true;
    type Plan = ReviewPlan;
    type Answer = ReviewAnswer;

    fn restrict(&mut self, _: &Site) -> Result<(), Error> {
        absent("winning_set", &self.set.winning_set)
    }

    fn plan(&self) -> Result<ReviewPlan, Error> {
        let game = self.game.plan()?;
        let problem = game.problem;
        let jumps = parse_game(problem.board(), problem.start(), &game.moves);
        Ok(ReviewPlan {
            jumps: jumps.map_err(Error::field("game"))?,
            problem,
            set: self.set.plan()?,
        })
    }

    fn run(plan: &ReviewPlan, run: &Run) -> Result<ReviewAnswer, Error> {
        let problem = &plan.problem;
        let board = problem.board();
        let set = plan.set.load_or_find(problem, run)?;
        // Without counts, the review says a little less.
        let counts = SolutionCounts::if_they_fit(&set, run)?;
        let advice = Advice {
            set: &set,
            counts: counts.as_ref(),
            shortest: None,
        };
        let review = Review::new(advice, &plan.jumps);
        let next = review.last.safe().map(|hint| jump_name(board, &hint.jump));
        Ok(ReviewAnswer {
            board: board_name(board),
            start: start_name(problem),
            finish: finish_name(problem),
            solved: review.is_solved,
            winnable: review.last.is_winnable,
            lost_at: review.lost_at.map(|at| at + 1),
            jumps: review
                .steps
                .iter()
                .map(|step| ReviewedJump::new(board, step))
                .collect(),
            next: next.collect(),
            work: set.work().clone(),
        })
    }
}

impl Answer for ReviewAnswer {
    fn work(&self) -> Work {
        self.work.clone()
    }
}

impl OnTerminal for ReviewRequest {
    type View = ();

    fn complete(&mut self, (): &mut (), run: &Run) -> Result<Source, Error> {
        open_game(&mut self.game.game, run)
    }

    fn show(plan: &ReviewPlan, answer: &ReviewAnswer, (): &()) -> Result<Shown, Error> {
        let mut full = format!("{}\n", title(&plan.problem));
        for (i, jump) in answer.jumps.iter().enumerate() {
            full += &line(i + 1, jump);
        }
        full += &conclusion(answer);
        let bare = match answer.lost_at {
            Some(at) => format!("{at}\n"),
            None => "not lost\n".to_owned(),
        };
        Ok(Text { bare, full }.into())
    }
}

fn line(number: usize, jump: &ReviewedJump) -> String {
    let judgement = match (jump.winnable_before, jump.winnable_after) {
        (true, true) => {
            let share = jump.share.map_or(String::new(), |share| {
                format!(", {:.1}% of the solutions", 100.0 * share)
            });
            format!("{} of {} jumps win{share}", jump.safe.len(), jump.choices)
        }
        (true, false) => format!("loses; these win: {}", jump.safe.join(" ")),
        (false, _) => "lost already".to_owned(),
    };
    format!("{number:>3}. {:<8} {judgement}\n", jump.jump)
}

fn conclusion(answer: &ReviewAnswer) -> String {
    match (answer.solved, answer.lost_at, answer.winnable) {
        (true, ..) => "solved\n".to_owned(),
        (_, Some(at), _) => format!("lost by jump {at}, {}\n", answer.jumps[at - 1].jump),
        (_, None, true) => format!("can still be won: {}\n", answer.next.join(" ")),
        (_, None, false) => "lost from the start\n".to_owned(),
    }
}
