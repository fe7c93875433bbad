//! `pegs draw`: boards, positions and games to be drawn.

use std::path::Path;

use everymove_kernel::run::Run;
use everymove_pegs::{Board, Jump, Position, parse_game};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{BoardRequest, EndRequest, open_board};
use super::game::{GameRequest, is_game};
use super::names::{board_name, rows, start_name};
use super::picture::{PictureView, after, characters, steps, wrote};
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Source, Text};

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
        let end = after(plan.start, &plan.jumps);
        Ok(DrawAnswer {
            board: board_name(&plan.board),
            position: rows(&plan.board, end),
            pegs: end.pegs(),
        })
    }
}

impl Answer for DrawAnswer {}

/// How positions and games are shown.
#[derive(Debug, clap::Args)]
pub struct DrawView {
    /// Show the board after every move; a game from a file is always shown so
    #[arg(long)]
    steps: bool,
    #[command(flatten)]
    picture: PictureView,
}

impl DrawRequest {
    /// Replaces a game in place of the board by its board, start and moves.
    fn read_game(&mut self) -> Result<(), Error> {
        let game = GameRequest {
            game: std::mem::take(&mut self.board.board),
            board: None,
            lattice: self.board.lattice,
            ends: self.ends.clone(),
        };
        let game = game.plan()?;
        let board = game.problem.board();
        self.board.lattice = Some(board.lattice().into());
        self.board.board = match board.name() {
            "custom" => board.line(board.full()),
            name => name.to_owned(),
        };
        self.ends.start = Some(start_name(&game.problem));
        self.moves = Some(game.moves);
        Ok(())
    }
}

impl OnTerminal for DrawRequest {
    type View = DrawView;

    fn complete(&mut self, view: &mut DrawView, run: &Run) -> Result<Source, Error> {
        let source = open_board(&mut self.board.board, run)?;
        if self.moves.is_none() && is_game(&self.board.board) {
            view.steps = true;
            self.read_game().map_err(|error| source.named(error))?;
        }
        Ok(source)
    }

    fn files(view: &DrawView) -> Result<Vec<&Path>, Error> {
        view.picture.files()
    }

    fn show(plan: &DrawPlan, _: &DrawAnswer, view: &DrawView) -> Result<Shown, Error> {
        let DrawPlan {
            board,
            start,
            jumps,
        } = plan;
        let files = view.picture.files()?;
        let text = match (&files[..], view.steps) {
            ([], true) => Text::same(steps(board, *start, jumps)),
            ([], false) => Text::same(characters(board, after(*start, jumps))),
            _ => Text {
                bare: String::new(),
                full: files.into_iter().map(wrote).collect(),
            },
        };
        Ok(Shown {
            text,
            files: view.picture.draw(board, *start, jumps)?,
        })
    }
}
