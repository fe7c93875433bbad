//! What can be wrong with a board, a position or a hole as written.

use thiserror::Error;

use super::Board;

/// Why a text is not a board, a position or a hole.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum BoardError {
    /// A name that no board has.
    #[error("'{0}' is not a board: expected a name ({known}) or rows of 'o' and '_' separated by '/'", known = super::names::known())]
    UnknownName(String),
    /// A character that stands for nothing.
    #[error(
        "row {row}, column {col}: '{found}' is not a place: expected 'o' (peg), '.' (empty hole), space or '_' (no place)"
    )]
    BadCharacter {
        /// The row from the top, from 1.
        row: usize,
        /// The column, from 1.
        col: usize,
        /// What stands there.
        found: char,
    },
    /// Rows of different lengths.
    #[error(
        "the rows are ragged: row {row} is {len} long but row 1 is {expected}; fill up with '_' where there is no place"
    )]
    Ragged {
        /// The row from the top, from 1.
        row: usize,
        /// Its length.
        len: usize,
        /// The length of the first row.
        expected: usize,
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
    /// The holes lie too far apart for one word.
    #[error(
        "the {holes} holes lie scattered over {rows} rows and {cols} columns: no row and column strides lay them out in 64 bits"
    )]
    TooSparse {
        /// How many holes.
        holes: usize,
        /// Over how many rows.
        rows: usize,
        /// Over how many columns.
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
    /// A position of another shape.
    #[error("the position has another shape than the {name} board: expected '{shape}', row by row, with 'o' for pegs and '.' for empty holes", name = .board.name(), shape = .board.line(.board.full()))]
    OtherShape {
        /// The board.
        board: Board,
    },
}
