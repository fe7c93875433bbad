//! Tours as text and bytes: written in five formats, read back from any of them.
//!
//! | format | one tour | several |
//! |---|---|---|
//! | `grid` | step numbers from 1 in aligned columns, the top row of the board first, `.` for a hole | a blank line between |
//! | `squares` | `a1-b3-c5-...`, one line | one line each |
//! | `csv` | step numbers from 1, the top row first, nothing for a hole (`.` on a board of one column) | a blank line between |
//! | `json` | an object with `board`, `leaper`, `kind`, `holes`, `start`, `end` and `steps`, rows from the top, `null` for a hole | one object a line |
//! | `bin` | see [`bin`] for every byte | one after the other |
//!
//! In the first three `#` begins a line that is not read. They say neither piece nor kind: these come from [`Hints`], or
//! else the piece is the knight, and a tour whose ends are a move apart is closed. A grid gives its own board; a line of
//! squares is taken to lie on the smallest board that has them all.
//!
//! ```
//! use everymove_kernel::run::Ram;
//! use everymove_tours::formats::{Format, Hints, Reader, Writer};
//!
//! let text = " 3  6  9 12\n 8 11  2  5\n 1  4  7 10\n";
//! let tours: Vec<_> = Reader::new(text.as_bytes(), Hints::default(), &Ram::unlimited())?
//!     .collect::<Result<_, _>>()?;
//! let mut out = Writer::new(Vec::new(), Format::Squares);
//! out.write(&tours[0])?;
//! assert_eq!(out.finish()?, b"a1-c2-a3-b1-d2-b3-c1-a2-c3-d1-b2-d3\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bin;
mod claim;
mod json;
mod lines;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::fmt;
use std::str::FromStr;

use everymove_kernel::grid::GridError;
use everymove_kernel::run::OverBudget;
use thiserror::Error;

use crate::board::{Board, BoardError, Kind, Leaper};
use crate::check::Fault;
pub use json::Json;
pub use read::Reader;
pub use write::Writer;

/// How a tour is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Aligned step numbers as a chess board is seen, the top row first.
    Grid,
    /// The squares in the order of the visit.
    Squares,
    /// Step numbers separated by commas.
    Csv,
    /// One JSON object a tour.
    Json,
    /// Checked bytes, four a square.
    Bin,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Grid, Self::Squares, Self::Csv, Self::Json, Self::Bin];
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Grid => "grid",
            Self::Squares => "squares",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Bin => "bin",
        })
    }
}

/// A text that names no format.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a format: expected grid, squares, csv, json or bin")]
pub struct NotAFormat(String);

impl FromStr for Format {
    type Err = NotAFormat;

    fn from_str(text: &str) -> Result<Self, NotAFormat> {
        let found = Self::ALL.into_iter().find(|f| f.to_string() == text);
        found.ok_or_else(|| NotAFormat(text.to_owned()))
    }
}

/// What a reader knows beforehand.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// The board; a text that says otherwise is refused. Without it the text decides.
    pub board: Option<Board>,
    /// The piece, where neither a board nor the text says it; the knight if not given.
    pub leaper: Option<Leaper>,
    /// What the tours are claimed to be. Without it the text decides, or whether the ends are a move apart.
    pub kind: Option<Kind>,
}

/// Where in the text something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a line, counted from 1.
    Line(u64),
    /// In a tour, counted from 1.
    Tour(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Tour(number) => write!(f, "tour {number}"),
        }
    }
}

/// Why a text or bytes are not read as tours.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The source failed.
    #[error("cannot read the tours: {0}")]
    Io(#[from] std::io::Error),
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
        "line {line}: '{cell}' is not a step number: expected a number from 1 up, or . for a hole"
    )]
    NotAStep {
        /// Counted from 1.
        line: u64,
        /// The cell.
        cell: String,
    },
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
    /// The text is well formed, but no tour can be what it says.
    #[error("{place}: {fault}")]
    Fault {
        /// Where.
        place: Place,
        /// What is wrong with the tour.
        fault: Fault,
    },
    /// Not JSON.
    #[error("this is not JSON of tours: {0}")]
    Json(#[from] serde_json::Error),
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
        error: bin::BinError,
    },
    /// The tours do not fit the memory budget.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
}

/// What a board is, in words for an error.
fn describe(board: &Board) -> String {
    let mut text = format!("a {} board", board.grid());
    if board.leaper() != Leaper::KNIGHT {
        text += &format!(" with a {} leaper", board.leaper());
    }
    if !board.holes().is_empty() {
        text += &format!(" with {} hole(s)", board.holes().len());
    }
    text
}

/// At most 20 characters of something unreadable, for an error.
fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]);
    let mut short: String = text.chars().take(20).collect();
    if text.chars().count() > 20 || bytes.len() > 80 {
        short.push_str("...");
    }
    short
}
