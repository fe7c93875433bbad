//! The errors of this crate.

use std::collections::TryReserveError;

use everymove_kernel::files::FileError;
use everymove_kernel::run::{OverBudget, Stopped};
use shakmaty::fen::ParseFenError;
use shakmaty::{Chess, PositionError};
use thiserror::Error;

/// A text that is not a playable position.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FenError {
    /// The text does not have the form of a FEN.
    #[error("'{fen}' is not a FEN: {source}")]
    Syntax {
        /// The text that was read.
        fen: String,
        /// The reason, from the reader of shakmaty.
        source: ParseFenError,
    },
    /// The pieces cannot be those of a game: no king, a king that could be captured, and so on.
    #[error("'{fen}' is not a legal position: {source}")]
    Illegal {
        /// The text that was read.
        fen: String,
        /// The reason, from the rules of shakmaty.
        source: Box<PositionError<Chess>>,
    },
}

/// The system refused the memory of a transposition table.
#[derive(Debug, Error)]
#[error("no memory for a hash table of {} MiB", bytes >> 20)]
#[non_exhaustive]
pub struct HashError {
    /// Bytes that were asked for.
    pub bytes: u64,
    /// What the allocator reported.
    pub source: TryReserveError,
}

/// Why an engine cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The memory budget is too small.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The system refused the memory of the transposition table.
    #[error(transparent)]
    Hash(#[from] HashError),
}

/// A search did without endgame tables that are damaged.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct DamagedTables(pub(crate) String);

/// A text that names no [`crate::Strategy`].
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a strategy: expected Sequential, RootSplitting, YBWC, ABDADA or LazySMP")]
pub struct UnknownStrategy(pub(crate) String);

/// The mate prover visited as many positions as it may without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("too many positions to decide whether there is a mate")]
pub struct NodeLimitReached;

/// A bench ended without its signature.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The stop flag was raised.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// No memory for the hash table.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// The system refuses a thread.
    #[error("the system refuses a thread to search with")]
    Thread,
}

/// Games could not be played, stored or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The memory budget does not suffice.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// No memory for the hash table of a player.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// The system refused a thread.
    #[error("the system refuses a thread to search with")]
    NoThread,
    /// A file cannot be written or read, or is damaged.
    #[error(transparent)]
    File(#[from] FileError),
    /// All games that were asked for are played; not returned to callers.
    #[doc(hidden)]
    #[error("all games are played")]
    Enough,
}

/// Training ended without a network.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The memory budget does not suffice.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A file cannot be written or read, or is damaged.
    #[error(transparent)]
    File(#[from] FileError),
    /// The games have too few positions.
    #[error(
        "the games have {learnt} quiet positions to learn from and {held_out} held out: expected at least 1000 to learn from"
    )]
    TooFew {
        /// Positions to learn from.
        learnt: u64,
        /// Positions of games that only measure the loss.
        held_out: u64,
    },
    /// A number of hidden units that is not offered.
    #[error("{0} hidden units: expected a multiple of 64 up to 512")]
    Hidden(usize),
    /// A network to begin with that has another number of hidden units.
    #[error("the network to begin with has {found} hidden units: expected one of {hidden}")]
    Start {
        /// Its hidden units.
        found: usize,
        /// Those wanted.
        hidden: usize,
    },
    /// The trained weights are beyond what the evaluation can add up.
    #[error("the trained weights cannot be used: {0}")]
    Weights(&'static str),
}
