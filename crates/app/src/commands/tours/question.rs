//! The board that a question is about.

use clap::Args;
use everymove_kernel::grid::{Grid, Square};
use everymove_tours::board::{Board, Kind, Leaper};
use everymove_tours::question::Question;

use crate::failure::Failure;

/// The board in words.
#[derive(Debug, Args)]
pub(crate) struct BoardArgs {
    /// The board as ROWSxCOLS, for example 8x8
    board: String,
    /// The piece leaps A squares one way and B the other
    #[arg(
        long,
        value_name = "A,B",
        default_value = "1,2",
        allow_hyphen_values = true
    )]
    leaper: String,
    /// Squares that are missing, for example c3,d4
    #[arg(long, value_name = "SQUARES")]
    holes: Option<String>,
}

/// The board and the kind of tour in words.
#[derive(Debug, Args)]
pub(crate) struct QuestionArgs {
    #[command(flatten)]
    board: BoardArgs,
    /// Tours that end a move away from their start
    #[arg(long)]
    closed: bool,
}

impl BoardArgs {
    /// The board, checked.
    pub(crate) fn plan(&self) -> Result<Board, Failure> {
        let grid: Grid = self.board.parse().map_err(Failure::input)?;
        let leaper: Leaper = self.leaper.parse().map_err(Failure::input)?;
        let holes = match &self.holes {
            Some(names) => names
                .split(',')
                .map(|name| grid.parse_square(name.trim()))
                .collect::<Result<Vec<_>, _>>()
                .map_err(Failure::input)?,
            None => Vec::new(),
        };
        Board::new(grid, leaper)
            .with_holes(&holes)
            .map_err(Failure::input)
    }
}

impl QuestionArgs {
    /// The question, checked.
    pub(crate) fn plan(&self) -> Result<Question, Failure> {
        let kind = if self.closed {
            Kind::Closed
        } else {
            Kind::Open
        };
        let board = self.board.plan()?;
        Ok(Question::new(board, kind))
    }
}

/// A square of a board by its name.
pub(crate) fn square(board: &Board, name: &Option<String>) -> Result<Option<Square>, Failure> {
    let name = name.as_deref();
    let square = name.map(|name| board.parse_square(name)).transpose();
    square.map_err(Failure::input)
}

/// A board in words: `8x8 board`, with its leaper and holes where they are not the usual ones.
pub(crate) fn board_words(board: &Board) -> String {
    let (grid, leaper) = (board.grid(), board.leaper());
    let mut words = format!("{grid} board");
    let holes = board.holes();
    if !holes.is_empty() && holes.len() <= 8 {
        let names: Vec<_> = holes.iter().map(|&hole| grid.name(hole)).collect();
        words += &format!(" without {}", names.join(","));
    } else if !holes.is_empty() {
        words += &format!(" without {} squares", holes.len());
    }
    if leaper != Leaper::KNIGHT {
        words += &format!(" for the ({leaper})-leaper");
    }
    words
}
