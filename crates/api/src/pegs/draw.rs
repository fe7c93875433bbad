//! `pegs draw`: boards, positions and games to be drawn.

use everymove_kernel::run::Run;
use everymove_pegs::{Board, Jump, Position, parse_game};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{BoardRequest, EndRequest};
use super::names::{board_name, rows};
use crate::error::Error;
use crate::request::{Answer, Request};

/// Boards, positions and games as pictures.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct DrawRequest {
    /// The board.
    #[command(flatten)]
    #[serde(flatten)]
    pub board: BoardRequest,
    /// Start and finish.
    #[command(flatten)]
    #[serde(flatten)]
    pub ends: EndRequest,
    /// Draw these moves from the start, such as "d2-d4 b3-d3"
    #[arg(long, value_name = "MOVES")]
    #[serde(default)]
    pub moves: Option<String>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct DrawPlan {
    /// The board.
    pub board: Board,
    /// The first position.
    pub start: Position,
    /// The jumps from there.
    pub jumps: Vec<Jump>,
}

/// A position, after moves if there are any.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DrawAnswer {
    /// The name of the board, or its rows.
    pub board: String,
    /// The rows of the position after the moves.
    pub position: String,
    /// Its number of pegs.
    pub pegs: usize,
    /// What is drawn.
    #[serde(skip)]
    pub plan: DrawPlan,
}

impl Request for DrawRequest {
    const COMMAND: &'static str = "pegs draw";
    type Plan = DrawPlan;
    type Answer = DrawAnswer;

    fn plan(&self) -> Result<DrawPlan, Error> {
        let drawn = self.board.drawn()?;
        // A board alone is drawn full; a game needs a hole to begin with.
        let start = match self.moves.is_some() || self.ends.start.is_some() {
            true => self.ends.plan(&drawn)?.start(),
            false => drawn.position.unwrap_or(drawn.board.full()),
        };
        let moves = self.moves.as_deref().unwrap_or_default();
        let jumps = parse_game(&drawn.board, start, moves).map_err(Error::field("moves"))?;
        Ok(DrawPlan {
            board: drawn.board,
            start,
            jumps,
        })
    }

    fn run(plan: &DrawPlan, _: &Run) -> Result<DrawAnswer, Error> {
        let jumps = plan.jumps.iter();
        let end = jumps.fold(plan.start, |position, jump| jump.after(position));
        Ok(DrawAnswer {
            board: board_name(&plan.board),
            position: rows(&plan.board, end),
            pegs: end.pegs(),
            plan: plan.clone(),
        })
    }
}

impl Answer for DrawAnswer {}
