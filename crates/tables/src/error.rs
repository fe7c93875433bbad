//! Errors of building, reading and checking tables.

use everymove_kernel::files::FileError;
use everymove_kernel::run::Stopped;
use thiserror::Error;

/// Errors of parsing an ending.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MaterialError {
    /// The text does not have the form of an ending.
    #[error(
        "'{0}' is not an ending: expected two sides joined by v, each a K and then Q, R, B, N or P, for example KRBvKR"
    )]
    Form(String),
    /// The ending has too many pieces.
    #[error("'{text}' has {pieces} pieces, but tables are made for at most {max}")]
    TooMany {
        /// The text.
        text: String,
        /// Number of pieces, kings included.
        pieces: usize,
        /// The largest number that is supported.
        max: usize,
    },
}

/// Errors of building, reading and checking tables.
#[derive(Debug, Error)]
pub enum TableError {
    /// A table is not in the directory.
    #[error(
        "there is no table {name} in {folder}: make it with `everymove tables build {material}`"
    )]
    Missing {
        /// The file name.
        name: String,
        /// The directory.
        folder: String,
        /// The ending.
        material: String,
    },
    /// A file cannot be read, written or trusted.
    #[error(transparent)]
    File(#[from] FileError),
    /// A text is no ending.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// The run was stopped before the end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// More memory is needed than the budget allows.
    #[error(transparent)]
    OverBudget(#[from] everymove_kernel::run::OverBudget),
    /// A distance does not fit the format.
    #[error("{half} has wins of more moves than can be stored where another ending needs them")]
    TooDeep {
        /// The half of the table.
        half: String,
    },
    /// A position that tables do not cover.
    #[error("{0}")]
    Position(String),
    /// A table contradicts the rules.
    #[error("{path} is wrong: {what}")]
    Wrong {
        /// The file.
        path: String,
        /// The position, the stored and the derived value.
        what: String,
    },
}
