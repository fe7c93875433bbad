//! Why a text or bytes are not read as tours.

use std::io;

use everymove_kernel::grid::GridError;
use everymove_kernel::input::InputError;
use everymove_kernel::run::{OverBudget, Stopped};
use thiserror::Error;

use super::Place;
use super::bin::BinError;
use crate::board::BoardError;
use crate::check::Fault;

/// Why a text or bytes are not read as tours.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The source failed.
    #[error("cannot read the tours: {0}")]
    Io(#[source] io::Error),
    /// The source is larger than allowed, for example.
    #[error(transparent)]
    Input(InputError),
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Nothing there.
    #[error(
        "there is no tour in it: expected a grid of step numbers, squares such as a1-b3-c5, CSV, JSON, or a binary tour"
    )]
    Empty,
    /// The first line is of no known format.
    #[error(
        "line {line}: '{start}' begins no tour: expected a grid of step numbers, squares such as a1-b3-c5, CSV, JSON, or a binary tour"
    )]
    NotRecognised {
        /// Counted from 1.
        line: u64,
        /// How it starts.
        start: String,
    },
    /// A cell that is not a step number.
    #[error(
        "line {line}: '{cell}' is not a step number: expected a number from 0 or 1 up, or . for a hole"
    )]
    NotAStep {
        /// Counted from 1.
        line: u64,
        /// The cell.
        cell: String,
    },
    /// Several squares have the step 0.
    #[error(
        "{place}: {zeros} squares have the step 0: expected steps from 0 or from 1, and . for a hole"
    )]
    Zeros {
        /// Where the board begins.
        place: Place,
        /// How many squares.
        zeros: usize,
    },
    /// Pairs of coordinates, or a list of numbers.
    #[error(
        "{place}: coordinates and lists of numbers are not read: expected squares such as a1-b3-c5, or rows of step numbers"
    )]
    Numbers {
        /// Where.
        place: Place,
    },
    /// A bracket that is opened and not closed.
    #[error("line {line}: the brackets of this tour are not closed")]
    Unclosed {
        /// Counted from 1.
        line: u64,
    },
    /// A text of two bytes a character.
    #[error("the text is UTF-16: save it as UTF-8")]
    Utf16,
    /// Rows of different lengths.
    #[error("line {line}: a row of {got} squares, but the rows above have {expected}")]
    Ragged {
        /// Counted from 1.
        line: u64,
        /// Squares in this row.
        got: usize,
        /// Squares in the first row.
        expected: usize,
    },
    /// A name that is no square, or none of this board.
    #[error("line {line}: {error}")]
    Square {
        /// Counted from 1.
        line: u64,
        /// What is wrong with it.
        error: GridError,
    },
    /// The text describes an impossible board.
    #[error("{place}: {error}")]
    Board {
        /// Where.
        place: Place,
        /// What is wrong with it.
        error: BoardError,
    },
    /// Another board than the one asked for.
    #[error("{place}: the tour is of {found}, but {expected} was asked for")]
    OtherBoard {
        /// Where.
        place: Place,
        /// The board in the text.
        found: String,
        /// The board that was asked for.
        expected: String,
    },
    /// The text is well formed, but no tour has these steps.
    #[error("{place}: {fault}")]
    Fault {
        /// Where.
        place: Place,
        /// What is wrong with the tour.
        fault: Fault,
    },
    /// Not JSON.
    #[error("this is not JSON of tours: {0}")]
    Json(#[source] serde_json::Error),
    /// A JSON object that is no tour.
    #[error("tour {number}: {problem}")]
    Object {
        /// Which of the tours, counted from 1.
        number: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// Bytes that are not a binary tour, or a damaged one.
    #[error("binary tour {number}: {error}")]
    Bin {
        /// Which of the tours, counted from 1.
        number: u64,
        /// What is wrong with it.
        error: BinError,
    },
    /// The tours do not fit the memory budget.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
}

impl From<io::Error> for ReadError {
    /// Recovers the error that an [`Input`](everymove_kernel::input::Input) wrapped.
    fn from(error: io::Error) -> Self {
        match InputError::from_io("the tours", error) {
            InputError::Stopped(stopped) => stopped.into(),
            InputError::OverBudget(over) => over.into(),
            InputError::Io { source, .. } => Self::Io(source),
            other => Self::Input(other),
        }
    }
}

impl From<serde_json::Error> for ReadError {
    fn from(error: serde_json::Error) -> Self {
        match error.is_io() {
            true => io::Error::from(error).into(),
            false => Self::Json(error),
        }
    }
}

impl ReadError {
    /// The error of the binary tour with this number.
    pub(super) fn of_bin(number: u64, error: BinError) -> Self {
        match error {
            BinError::OverBudget(over) => over.into(),
            BinError::Io(error) => error.into(),
            error => Self::Bin { number, error },
        }
    }
}
