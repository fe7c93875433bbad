//! `pegs replay`: whether a game keeps the rules, by the independent checker.

use everymove_kernel::run::Run;
use everymove_pegs::{Position, ReplayError, Replayed, replay};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::game::{Game, GameRequest, open_game};
use super::names::{board_name, counted, finish_name, rows, start_name};
use super::picture::{characters, pegs_in_words};
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};
use crate::terminal::{OnTerminal, Shown, Source, Text};

/// Whether a game keeps the rules, by an independent checker.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct ReplayRequest {
    /// The game.
    #[command(flatten)]
    #[serde(flatten)]
    pub game: GameRequest,
    /// Show the position after every jump
    #[arg(long)]
    #[serde(default)]
    pub steps: bool,
}

/// The checked question.
#[derive(Debug)]
pub struct ReplayPlan {
    game: Game,
    played: Result<Replayed, ReplayError>,
    steps: bool,
}

/// Whether a game keeps the rules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReplayAnswer {
    /// The name of the board, or its rows.
    pub board: String,
    /// The hole that is empty at the start, or the start's rows.
    pub start: String,
    /// Whether every jump is possible and the finish, if one is given, is reached.
    pub valid: bool,
    /// What is wrong with a game that is not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Jumps made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jumps: Option<usize>,
    /// Moves made; consecutive jumps of one peg are one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<usize>,
    /// Pegs left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pegs: Option<usize>,
    /// The holes that hold them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Vec<String>>,
    /// The rows of the last position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The rows of every position from the start, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<Vec<String>>,
}

impl Request for ReplayRequest {
    const COMMAND: &'static str = "pegs replay";
    const IS_SERVED: bool = true;
    type Plan = ReplayPlan;
    type Answer = ReplayAnswer;

    fn plan(&self) -> Result<ReplayPlan, Error> {
        let game = self.game.plan()?;
        if game.moves.trim().is_empty() {
            let line = "the game has no moves: expected for example d2-d4 b3-d3";
            return Err(Error::message(Some("game"), line));
        }
        let (board, start) = (game.problem.board(), game.problem.start());
        let played = replay(&board.line(start), board.lattice(), &game.moves);
        if let Err(
            error @ (ReplayError::NotAHole { .. }
            | ReplayError::Nowhere { .. }
            | ReplayError::BadStart { .. }),
        ) = played
        {
            return Err(Error::input(Some("game"), error));
        }
        Ok(ReplayPlan {
            played,
            game,
            steps: self.steps,
        })
    }

    fn run(plan: &ReplayPlan, _: &Run) -> Result<ReplayAnswer, Error> {
        let problem = &plan.game.problem;
        let board = problem.board();
        let mut answer = ReplayAnswer {
            board: board_name(board),
            start: start_name(problem),
            valid: false,
            fault: None,
            jumps: None,
            moves: None,
            pegs: None,
            last: None,
            position: None,
            positions: None,
        };
        let played = match &plan.played {
            Ok(played) => played,
            Err(fault) => {
                answer.fault = Some(fault.to_string());
                return Ok(answer);
            }
        };
        let steps: Vec<Position> = played
            .positions
            .iter()
            .filter_map(|rows| board.position(rows).ok())
            .collect();
        let end = steps.last().copied().unwrap_or(problem.start());
        if plan.game.has_finish && !problem.is_finish(end) {
            answer.fault = Some(format!(
                "after {} pegs are left in {}, not the finish {}",
                counted(played.jumps as u128, "jump", "jumps"),
                played.last.join(" "),
                finish_name(problem)
            ));
            return Ok(answer);
        }
        answer.valid = true;
        answer.jumps = Some(played.jumps);
        answer.moves = Some(played.moves);
        answer.pegs = Some(played.pegs);
        answer.last = Some(played.last.clone());
        answer.position = Some(rows(board, end));
        if plan.steps {
            let texts = steps.iter().map(|&position| rows(board, position));
            answer.positions = Some(texts.collect());
        }
        Ok(answer)
    }
}

impl Answer for ReplayAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.valid)
    }
}

impl OnTerminal for ReplayRequest {
    type View = ();

    fn complete(&mut self, (): &mut (), run: &Run) -> Result<Source, Error> {
        open_game(&mut self.game.game, run)
    }

    fn show(plan: &ReplayPlan, answer: &ReplayAnswer, (): &()) -> Result<Shown, Error> {
        if let Some(fault) = &answer.fault {
            let text = Text {
                bare: "invalid\n".to_owned(),
                full: format!("invalid: {fault}\n"),
            };
            return Ok(text.into());
        }
        let board = plan.game.problem.board();
        let count = |n: Option<usize>, one, many| counted(n.unwrap_or_default() as u128, one, many);
        let left = match answer.last.as_deref() {
            Some([last]) => format!("the last peg is in {last}"),
            _ => format!(
                "{} are left",
                pegs_in_words(answer.pegs.unwrap_or_default())
            ),
        };
        let mut full = String::new();
        for rows in answer.positions.iter().flatten() {
            let position = board.position(rows).map_err(Error::machine)?;
            full += &format!("{}\n", characters(board, position));
        }
        full += &format!(
            "valid: {}, {}, {left}\n",
            count(answer.moves, "move", "moves"),
            count(answer.jumps, "jump", "jumps")
        );
        let bare = "valid\n".to_owned();
        Ok(Text { bare, full }.into())
    }
}
