//! Why no tour was constructed.

use everymove_kernel::grid::Square;
use everymove_kernel::run::{OverBudget, Stopped};
use thiserror::Error;

use crate::theory::{ExistenceError, Theorem};

/// Why no tour was constructed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FindError {
    /// A theorem says that there is none.
    #[error("there is no such tour: {0}")]
    Impossible(Theorem),
    /// The search visited the whole search space.
    #[error("there is no such tour: the search has tried all possibilities ({nodes} nodes)")]
    Exhausted {
        /// The nodes it took.
        nodes: u64,
    },
    /// The search reached its limit of nodes.
    #[error(
        "no tour was found within {nodes} nodes of search, which does not prove that there is none"
    )]
    Limit {
        /// The nodes spent.
        nodes: u64,
    },
    /// The given ends are not brought together by any layout that was tried.
    #[error(
        "no tour with these ends was found: on a board of {squares} squares they must fit into a rectangle of at most {limit} squares, and a search there failed or was not possible"
    )]
    Ends {
        /// The squares of the board.
        squares: usize,
        /// The squares of the largest rectangle.
        limit: usize,
    },
    /// An end that is a hole or outside.
    #[error("square number {square} is not on this board: an end must be one of its squares")]
    NoSquare {
        /// The square.
        square: Square,
    },
    /// It does not fit the memory budget.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// It was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl From<ExistenceError> for FindError {
    fn from(error: ExistenceError) -> Self {
        match error {
            ExistenceError::OverBudget(over) => over.into(),
            ExistenceError::Stopped(stopped) => stopped.into(),
        }
    }
}

impl FindError {
    /// Whether this is a sound answer, "no such tour", and no failure.
    pub fn is_answer(&self) -> bool {
        matches!(self, Self::Impossible(_) | Self::Exhausted { .. })
    }
}
