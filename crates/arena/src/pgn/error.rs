//! What can be wrong with a PGN text.

use everymove_kernel::input::InputError;
use everymove_kernel::run::OverBudget;
use thiserror::Error;

use crate::notation::MoveError;

/// A text that is not PGN, or a game that cannot be played.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PgnError {
    /// The input cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A line is not PGN.
    #[error("line {line}: {fault}")]
    Line {
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        fault: String,
    },
    /// A game cannot be played.
    #[error("game {number}: {source}")]
    Game {
        /// The game, counted from 1.
        number: u64,
        /// What is wrong with it.
        source: GameError,
    },
}

/// Why a game cannot be played.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum GameError {
    /// The rules are not those of chess.
    #[error("the variant {0} is not chess: expected chess or Chess960")]
    Variant(String),
    /// The position of the tag `FEN` is none.
    #[error("'{fen}' is not a position: {reason}")]
    Fen {
        /// The text.
        fen: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A move.
    #[error("move {number}{}: {source}", if *is_white { "" } else { "..." })]
    Move {
        /// The number of the move, as PGN counts.
        number: u32,
        /// Whether White moves.
        is_white: bool,
        /// What is wrong with it.
        source: MoveError,
    },
    /// The moves are written in letters of another language, in which they are not one legal game.
    #[error(
        "{source}; with these letters of {languages}, the moves are not legal, or not those of one game"
    )]
    Language {
        /// The languages.
        languages: String,
        /// The first word that is not a move.
        source: Box<GameError>,
    },
    /// A variation that takes the place of no move.
    #[error("move {number}: a variation begins before the move whose place it takes")]
    Variation {
        /// The number of the next move.
        number: u32,
    },
    /// Its tree of moves does not fit the budget.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
}
