//! Tours as text and bytes: written in six formats, read back from any of them.
//!
//! | format | one tour | several |
//! |---|---|---|
//! | `grid` | step numbers from 1 in aligned columns, the top row of the board first, `.` for a hole | a blank line between |
//! | `squares` | `a1-b3-c5-...`, one line | one line each |
//! | `csv` | step numbers from 1, the top row first, nothing for a hole (`.` on a board of one column) | a blank line between |
//! | `csv-row` | `a1,b3,c5,...`, one line | one line each |
//! | `json` | an object with `board`, `leaper`, `kind`, `holes`, `start`, `end` and `steps`, rows from the top, `null` for a hole | one object a line |
//! | `bin` | see [`bin`] for every byte | one after the other, and their number at the end |
//!
//! In the first four `#` begins a comment line. They contain neither piece nor kind: these come
//! from [`Hints`], or else the piece is the knight, and a tour whose ends are a move apart is
//! closed. A grid defines its board; a line of squares is taken for a tour of the smallest board
//! that has them all.
//!
//! The reader takes what other people and programs write, too: steps from 0, and as floats; cells
//! in quotes, between bars or semicolons; the picture of a board around its numbers; rows in
//! brackets (`[[1, 2], [3, 4]]`, `{{1,2},{3,4}}`); the letter of a piece (`Na1`), arrows and
//! numbers of moves between squares, and one square a line. Coordinates as pairs of numbers are
//! refused, since nothing says which of the two is the column.
//!
//! A reader reserves memory from the budget of its [`Run`](everymove_kernel::run::Run) before it
//! allocates, whatever size the input claims, and ends when the run is stopped.
//!
//! ```
//! use everymove_kernel::run::Run;
//! use everymove_tours::formats::{Format, Hints, Reader, Writer};
//!
//! let text = " 3  6  9 12\n 8 11  2  5\n 1  4  7 10\n";
//! let tours: Vec<_> = Reader::new(text.as_bytes(), Hints::default(), &Run::serial())?
//!     .collect::<Result<_, _>>()?;
//! let mut out = Writer::new(Vec::new(), Format::Squares);
//! out.write(&tours[0])?;
//! assert_eq!(out.finish()?, b"a1-c2-a3-b1-d2-b3-c1-a2-c3-d1-b2-d3\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bin;
mod cells;
mod error;
mod json;
mod lines;
mod nested;
mod parsed;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::{Board, Kind, Leaper};
pub use error::ReadError;
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
    /// The squares in the order of the visit, separated by commas: a row of a table for each tour.
    CsvRow,
    /// One JSON object a tour.
    Json,
    /// Checked bytes, four a square.
    Bin,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 6] = [
        Self::Grid,
        Self::Squares,
        Self::Csv,
        Self::CsvRow,
        Self::Json,
        Self::Bin,
    ];
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Grid => "grid",
            Self::Squares => "squares",
            Self::Csv => "csv",
            Self::CsvRow => "csv-row",
            Self::Json => "json",
            Self::Bin => "bin",
        })
    }
}

/// A text that names no format.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a format: expected grid, squares, csv, csv-row, json or bin")]
pub struct NotAFormat(String);

impl FromStr for Format {
    type Err = NotAFormat;

    fn from_str(text: &str) -> Result<Self, NotAFormat> {
        let found = Self::ALL.into_iter().find(|f| f.to_string() == text);
        found.ok_or_else(|| NotAFormat(text.to_owned()))
    }
}

/// What is known about the tours before they are read.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// The board; a text about another board is refused. By default as in the text.
    pub board: Option<Board>,
    /// The piece, where neither a board nor the text contains it; by default the knight.
    pub leaper: Option<Leaper>,
    /// The kind of the tours. By default as in the text, or closed if the ends are a move apart.
    pub kind: Option<Kind>,
}

/// A place in the text.
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

/// What a board is, in words for an error.
fn describe(board: &Board) -> String {
    let mut text = format!("a {} board", board.grid());
    if *board.leaper() != Leaper::KNIGHT {
        text += &format!(" with a {}", board.leaper().words());
    }
    if !board.holes().is_empty() {
        text += &format!(" with {} hole(s)", board.holes().len());
    }
    text
}

/// At most 20 characters of something unreadable, for an error; control characters are escaped.
fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]);
    let mut short: String = text.chars().take(20).collect();
    if text.chars().count() > 20 || bytes.len() > 80 {
        short.push_str("...");
    }
    everymove_kernel::text::shown(&short)
}
