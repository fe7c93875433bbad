//! Why there is no table, or no value.

use everymove_kernel::files::FileError;
use everymove_kernel::run::{OverBudget, Stopped};
use thiserror::Error;

/// Why there is no table, or no value.
#[derive(Debug, Error)]
pub enum FairyError {
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The memory does not suffice.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A file could not be read or written, or is damaged.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is no table.
    #[error("there is no table of {ending} ({name}) in {folder}")]
    Missing {
        /// The ending.
        ending: String,
        /// The file that is missing.
        name: String,
        /// Where it was looked for.
        folder: String,
    },
    /// A position that cannot be read, or that the rules forbid.
    #[error("{0}")]
    Position(String),
}
