//! What can be wrong with a board, a position or a hole as written.

use thiserror::Error;

use crate::board::Board;

/// Why a text is not a board, a position or a hole.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum BoardError {
    /// A name that no board has.
    #[error("'{name}' is not a board: {}expected a name ({known}) or rows of 'o' and '_' separated by '/'", did_you_mean(.meant.as_deref()), known = crate::board::names::known())]
    UnknownName {
        /// The name as written.
        name: String,
        /// The name that was probably meant.
        meant: Option<String>,
    },
    /// A character that has no meaning in a drawing.
    #[error(
        "row {row}, column {col}: '{found}' is not a place: expected 'o' (peg), '.' (empty hole), space or '_' (no place)"
    )]
    BadCharacter {
        /// The row from the top, from 1.
        row: usize,
        /// The column, from 1.
        col: usize,
        /// The character.
        found: char,
    },
    /// Both `x` and `o` in one drawing: either could be the peg.
    #[error(
        "row {row}, column {col}: 'x' and 'o' in one drawing, which of them is a peg? write 'o' for pegs and '.' for empty holes"
    )]
    MixedPegs {
        /// The row from the top, from 1.
        row: usize,
        /// The column, from 1.
        col: usize,
    },
    /// No place at all.
    #[error("the board has no holes: write 'o' or '.' for each")]
    NoHoles,
    /// A position without pegs.
    #[error("the position has no pegs: write 'o' for each")]
    NoPegs,
    /// More holes than a word has bits.
    #[error("the board has {holes} holes, but at most {max} fit", max = Board::MAX_HOLES)]
    TooManyHoles {
        /// How many it has.
        holes: usize,
    },
    /// More columns than letters.
    #[error("the board has {cols} columns, but at most {max} have letters", max = Board::MAX_COLS)]
    TooWide {
        /// How many it has.
        cols: usize,
    },
    /// A text that is no hole's name.
    #[error(
        "'{0}' is not a hole: expected one letter for the column and a number for the row, for example d4"
    )]
    NotAHole(String),
    /// A hole that this board does not have.
    #[error("the {name} board has no hole {hole}: its holes are {list}", name = .board.name(), list = .board.ranges())]
    Outside {
        /// The hole as written.
        hole: String,
        /// The board.
        board: Board,
    },
    /// A named board on a lattice that it does not lie on.
    #[error("the {} board is {}", .board.name(), .board.lattice())]
    OtherLattice {
        /// The board.
        board: Board,
    },
    /// A position of another shape.
    #[error("the position has another shape than the {name} board: expected '{shape}', row by row, with 'o' for pegs and '.' for empty holes", name = .board.name(), shape = .board.line(.board.full()))]
    OtherShape {
        /// The board.
        board: Board,
    },
}

fn did_you_mean(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!("did you mean {name}? "))
}
