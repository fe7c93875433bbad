//! Why a question cannot be searched.

use everymove_kernel::grid::Grid;
use everymove_kernel::run::{OverBudget, Stopped};
use thiserror::Error;

use super::options::MAX_SQUARES;
use crate::question::Which;
use crate::theory::ExistenceError;

/// Why a question cannot be searched.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchError {
    /// The board is too large for the bit sets.
    #[error("the {grid} board has {playable} squares to visit: search takes boards of at most {max}", max = MAX_SQUARES)]
    TooLarge {
        /// The board.
        grid: Grid,
        /// Its playable squares.
        playable: usize,
    },
    /// A start or end that is a hole or not on the board.
    #[error(
        "the {which} square {square} is not one to visit on this {grid} board: name a square without a hole"
    )]
    NotPlayable {
        /// Which of the two ends.
        which: Which,
        /// The square.
        square: String,
        /// The board.
        grid: Grid,
    },
    /// An end square for closed tours.
    #[error("a closed tour has no end square: give an end only for open tours")]
    ClosedEnd,
    /// The memory budget is too small.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl From<ExistenceError> for SearchError {
    fn from(error: ExistenceError) -> Self {
        match error {
            ExistenceError::OverBudget(over) => over.into(),
            ExistenceError::Stopped(stopped) => stopped.into(),
        }
    }
}
