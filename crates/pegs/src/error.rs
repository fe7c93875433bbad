//! Why a question has no answer.

use everymove_kernel::files::FileError;
use everymove_kernel::run::{OverBudget, Stopped};
use thiserror::Error;

use crate::board::BoardError;

/// Why a question about a board was not answered.
#[derive(Debug, Error)]
pub enum PegError {
    /// The board, a position or a hole is wrong.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The work does not fit the memory budget.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A file could not be read or written, or is not what it should be.
    #[error(transparent)]
    File(#[from] FileError),
    /// A checkpoint belongs to another question.
    #[error("{path} holds '{found}', not '{expected}': give each question a folder of its own")]
    OtherQuestion {
        /// The file.
        path: String,
        /// What it belongs to.
        found: String,
        /// What was asked.
        expected: String,
    },
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A number has more than 128 bits.
    #[error("the number of {what} does not fit 128 bits")]
    Overflow {
        /// What was counted.
        what: &'static str,
    },
}
