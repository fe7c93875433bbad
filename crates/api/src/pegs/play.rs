//! `pegs play`: a game as far as it was played.

use everymove_kernel::run::Run;
use everymove_pegs::{Jump, Problem, parse_game};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::ProblemRequest;
use super::names::{board_name, finish_name, jump_names, rows, start_name};
use super::winning::{SetPlan, SetRequest};
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::site::{Site, absent};

/// A game, with undo and hints.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct PlayRequest {
    /// The problem.
    #[command(flatten)]
    #[serde(flatten)]
    pub problem: ProblemRequest,
    /// The winning set.
    #[command(flatten)]
    #[serde(flatten)]
    pub set: SetRequest,
    /// Moves that were made already, such as "d2-d4 b3-d3"
    #[arg(long, value_name = "MOVES")]
    pub moves: Option<String>,
}

/// The checked question.
#[derive(Debug)]
pub struct PlayPlan {
    /// The problem.
    pub problem: Problem,
    /// The jumps that were made.
    pub jumps: Vec<Jump>,
    set: SetPlan,
}

/// A game as far as it was played.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlayAnswer {
    /// The name of the board, or its rows.
    pub board: String,
    /// The hole that is empty at the start, or the start's rows.
    pub start: String,
    /// The hole of the last peg, the rows of the finish, or `anywhere`.
    pub finish: String,
    /// The jumps that were made.
    pub jumps: Vec<String>,
    /// The rows of the position.
    pub position: String,
    /// Its number of pegs.
    pub pegs: usize,
    /// Whether it is a finish.
    pub solved: bool,
}

impl PlayPlan {
    /// The winning set of the file, if one is given.
    ///
    /// # Errors
    /// [`Error`] if the file cannot be used or is of another problem.
    pub fn load(&self, run: &Run) -> Result<Option<everymove_pegs::WinningSet>, Error> {
        self.set.load_for(&self.problem, run)
    }
}

impl PlayAnswer {
    /// The state of a game after some jumps.
    pub fn new(problem: &Problem, jumps: &[Jump]) -> Self {
        let board = problem.board();
        let made = jumps.iter();
        let position = made.fold(problem.start(), |position, jump| jump.after(position));
        Self {
            board: board_name(board),
            start: start_name(problem),
            finish: finish_name(problem),
            jumps: jump_names(board, jumps),
            position: rows(board, position),
            pegs: position.pegs(),
            solved: problem.is_finish(position),
        }
    }
}

impl Request for PlayRequest {
    const COMMAND: &'static str = "pegs play";
    const IS_SERVED: bool = true;
    type Plan = PlayPlan;
    type Answer = PlayAnswer;

    fn restrict(&mut self, _: &Site) -> Result<(), Error> {
        absent("winning_set", &self.set.winning_set)
    }

    fn plan(&self) -> Result<PlayPlan, Error> {
        let problem = self.problem.plan()?;
        let moves = self.moves.as_deref().unwrap_or_default();
        let jumps = parse_game(problem.board(), problem.start(), moves);
        Ok(PlayPlan {
            jumps: jumps.map_err(Error::field("moves"))?,
            set: self.set.plan()?,
            problem,
        })
    }

    fn run(plan: &PlayPlan, _: &Run) -> Result<PlayAnswer, Error> {
        Ok(PlayAnswer::new(&plan.problem, &plan.jumps))
    }
}

impl Answer for PlayAnswer {}
