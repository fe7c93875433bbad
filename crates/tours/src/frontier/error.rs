//! Why a count by frontier has no answer.

use everymove_kernel::files::FileError;
use everymove_kernel::grid::Grid;
use everymove_kernel::run::{Bytes, OverBudget, Stopped};
use thiserror::Error;

use crate::question::Which;

/// The words of another way that needs less disk.
fn with_memory(bytes: Option<u64>) -> String {
    let words = |bytes| {
        format!(
            "; with about {} of memory less disk may be enough",
            Bytes(bytes)
        )
    };
    bytes.map_or_else(String::new, words)
}

/// Why a count by frontier has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FrontierError {
    /// The run's stop flag was raised.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The run's memory budget is too small.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The layers do not fit the disk, or what may be used of it.
    #[error(
        "{what} needs about {need} of disk, but {limit} may be used{other}",
        need = Bytes(*need),
        limit = Bytes(*limit),
        other = with_memory(*or_memory)
    )]
    OverDisk {
        /// What is counted.
        what: String,
        /// Bytes needed, estimated.
        need: u64,
        /// Bytes that may be used.
        limit: u64,
        /// Bytes of memory with which files of fewer bytes may be enough, where that is so.
        or_memory: Option<u64>,
    },
    /// The narrow side of the board is too wide for the method.
    #[error(
        "the {board} board needs a frontier of {slots} squares, but {most} is the most: its narrow side is too wide, so that only a search can visit its tours"
    )]
    TooWide {
        /// The board.
        board: Grid,
        /// Frontier squares needed.
        slots: usize,
        /// Frontier squares possible.
        most: usize,
    },
    /// A checkpoint file cannot be written or read, or is damaged.
    #[error(transparent)]
    File(#[from] FileError),
    /// The checkpoint folder belongs to another count.
    #[error(
        "{path} belongs to another count: it is of {found}, asked for is {asked}; name another folder"
    )]
    OtherCheckpoint {
        /// The manifest.
        path: String,
        /// What the folder is of.
        found: String,
        /// What is asked for.
        asked: String,
    },
    /// An end square that is a hole or not on the board.
    #[error(
        "the {which} square {square} is not one to visit on this {board} board: name a square without a hole"
    )]
    NotPlayable {
        /// Which of the two ends.
        which: Which,
        /// The square.
        square: String,
        /// The board.
        board: Grid,
    },
    /// Both ends of open tours, or the last move of closed ones, are given.
    #[error(
        "the frontier counts open tours with at most one given end, and closed tours only without a last square"
    )]
    BothEnds,
    /// The count may have more than a thousand bits, beyond what its bound can express.
    #[error("the count may be larger than 2^1000: the board is too long for the method")]
    TooMany,
    /// A count by classes has no class of this number.
    #[error("the count has no class {class}")]
    NoClass {
        /// The number.
        class: u32,
    },
    /// A single degree vector has more states than a chunk can address.
    #[error("a block of states is larger than 4 GiB: the board's narrow side is too wide")]
    BlockTooLarge,
}

impl FrontierError {
    /// A refusal over memory of work that is known to need `need` bytes in all, where that is more.
    pub(crate) fn at_least(self, need: u64) -> Self {
        match self {
            Self::OverBudget(over) => over.at_least(need).into(),
            other => other,
        }
    }
}
