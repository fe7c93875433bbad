//! Why a question has no answer.

use everymove_kernel::files::FileError;
use everymove_kernel::run::{Bytes, OverBudget, Stopped};
use thiserror::Error;

use crate::board::BoardError;

/// Why a question about a board was not answered.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PegError {
    /// The board, a position or a hole is wrong.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The work does not fit the memory budget.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The layers do not fit the disk, or what may be used of it.
    #[error(
        "{what} needs about {need} of disk, but {limit} may be used",
        need = Bytes(*need),
        limit = Bytes(*limit)
    )]
    OverDisk {
        /// What is found.
        what: String,
        /// Bytes needed, estimated.
        need: u64,
        /// Bytes that may be used.
        limit: u64,
    },
    /// A file could not be read or written, or is not what it should be.
    #[error(transparent)]
    File(#[from] FileError),
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A depth-first search reached its limit.
    #[error("gave up after {nodes} positions{}", refusals(*refused))]
    GaveUp {
        /// Positions examined.
        nodes: u64,
        /// Failed positions that the full memory did not take.
        refused: usize,
    },
    /// Depth-first search finds some solution, not one with the fewest moves.
    #[error("a depth-first search does not find the fewest moves: use the method auto or layers")]
    FewestMovesBySearch,
    /// Two independent counts differ: a fault of this program.
    #[error("two ways of counting disagree: {games} and {layers} solutions")]
    Disagreement {
        /// Solutions among all games.
        games: u128,
        /// Solutions counted over the winning set.
        layers: u128,
    },
    /// A solution that the independent checker refuses: a fault of this program.
    #[error("a wrong solution was found: {0}")]
    WrongSolution(String),
    /// A winning set that was loaded belongs to another problem.
    #[error("the winning set is of another problem ({found}), not of {expected}")]
    OtherProblem {
        /// The problem of the set.
        found: String,
        /// The problem that was asked about.
        expected: String,
    },
    /// A number has more than 128 bits.
    #[error("the number of {what} does not fit 128 bits")]
    Overflow {
        /// What was counted.
        what: &'static str,
    },
}

fn refusals(refused: usize) -> String {
    match refused {
        0 => String::new(),
        n => format!("; the memory of failed positions was full and refused {n}"),
    }
}
