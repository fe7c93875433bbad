//! `pegs boards`: the boards that have names.

use everymove_kernel::run::Run;
use everymove_pegs::{Board, NAMED};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::Lattice;
use super::names::rows;
use super::picture::characters;
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// The boards that have names.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct BoardsRequest {}

/// The boards that have names.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BoardsAnswer {
    /// The boards.
    pub boards: Vec<NamedBoard>,
}

/// A board with a name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NamedBoard {
    /// The name.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The lattice.
    pub lattice: Lattice,
    /// Number of holes.
    pub holes: usize,
    /// Number of jumps, possible or not in a given position.
    pub jumps: usize,
    /// Number of symmetries.
    pub symmetries: usize,
    /// Dimension of the space of invariants.
    pub invariants: usize,
    /// The rows of the board.
    pub rows: String,
    /// The hole that is empty at the start where none is named.
    pub start: String,
}

/// Boards of the two families that have names for every size, as examples.
const FAMILIES: &[(&str, &str)] = &[
    (
        "square6x6",
        "36 holes; squareRxC is a rectangle of R rows and C columns",
    ),
    (
        "triangle5",
        "15 holes, cracker-barrel; triangleN has sides of N holes, up to triangle10",
    ),
    ("triangle4", "10 holes"),
    ("triangle6", "21 holes"),
    ("triangle7", "28 holes"),
    ("triangle8", "36 holes"),
    ("triangle9", "45 holes"),
    ("triangle10", "55 holes"),
];

impl Request for BoardsRequest {
    const COMMAND: &'static str = "pegs boards";
    const IS_SERVED: bool = true;
    type Plan = ();
    type Answer = BoardsAnswer;

    fn plan(&self) -> Result<(), Error> {
        Ok(())
    }

    fn run((): &(), _: &Run) -> Result<BoardsAnswer, Error> {
        let named = NAMED.iter().map(|named| (named.name, named.about));
        let boards = named.chain(FAMILIES.iter().copied()).map(|(name, about)| {
            let board = Board::named(name).map_err(Error::machine)?;
            Ok(NamedBoard {
                name,
                about,
                lattice: board.lattice().into(),
                holes: board.holes(),
                jumps: board.jumps().len(),
                symmetries: board.symmetries().len(),
                invariants: board.invariants().basis().len(),
                rows: rows(&board, board.full()),
                start: board.name_of(board.usual_vacancy()),
            })
        });
        Ok(BoardsAnswer {
            boards: boards.collect::<Result<_, Error>>()?,
        })
    }
}

impl Answer for BoardsAnswer {}

/// How boards are shown.
#[derive(Debug, clap::Args)]
pub struct BoardsView {
    /// Draw each board
    #[arg(long)]
    draw: bool,
}

impl OnTerminal for BoardsRequest {
    type View = BoardsView;

    fn show((): &(), answer: &BoardsAnswer, view: &BoardsView) -> Result<Shown, Error> {
        let mut text = Text::default();
        for named in &answer.boards {
            text.full += &format!("{:<12}{}\n", named.name, named.about);
            if view.draw {
                let board = Board::named(named.name).map_err(Error::machine)?;
                text.full += &format!("\n{}\n", characters(&board, board.full()));
            }
            text.bare += &format!("{}\n", named.name);
        }
        Ok(text.into())
    }
}
