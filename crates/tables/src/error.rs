//! Errors of building, reading and checking tables.

use everymove_kernel::files::FileError;
use everymove_kernel::run::Stopped;
use thiserror::Error;

use crate::position::material::MaterialError;

/// Why there is no table, or no answer from one.
#[derive(Debug, Error)]
pub enum TableError {
    /// A table that is needed is not in the folder.
    #[error(
        "there is no table {name} in {folder}: make it with `everymove tables build {material}`"
    )]
    Missing {
        /// The file.
        name: String,
        /// Where it was looked for.
        folder: String,
        /// The ending.
        material: String,
    },
    /// A file cannot be read, written or believed.
    #[error(transparent)]
    File(#[from] FileError),
    /// Not an ending.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// Stopped before the end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// More memory than allowed.
    #[error(transparent)]
    OverBudget(#[from] everymove_kernel::run::OverBudget),
    /// Distances that do not fit.
    #[error("{half} has wins of more moves than can be stored where another ending needs them")]
    TooDeep {
        /// The half of the table.
        half: String,
    },
    /// A position that tables do not know.
    #[error("{0}")]
    Position(String),
    /// A table and the rules disagree.
    #[error("{path} is wrong: {what}")]
    Wrong {
        /// The file.
        path: String,
        /// Where and how.
        what: String,
    },
}
