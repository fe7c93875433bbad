//! What can be wrong with a match, an engine's description, limits, openings and statistical tests.

use std::io;

use everymove_kernel::files::FileError;
use everymove_kernel::input::InputError;
use everymove_kernel::run::{OverBudget, Stopped};
use thiserror::Error;

use crate::fen::EpdError;
use crate::notation::MoveError;
use crate::pgn::PgnError;

/// A text that is not a time control.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "'{0}' is not a time control: expected seconds, moves/seconds, or either with +increment, for example 60+0.6 or 40/120"
)]
pub struct TimeControlError(pub(crate) String);

/// Limits that cannot be used together.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitsError {
    /// There is no limit.
    #[error(
        "nothing limits its search: expected a time control, a time for each move, a number of nodes or a depth"
    )]
    None,
    /// A clock and a fixed time for each move.
    #[error("a clock and a fixed time for each move exclude each other")]
    TwoTimes,
    /// A limit of 0 in this unit.
    #[error("a limit of 0 {0} allows no move")]
    Zero(&'static str),
}

/// A description of an engine that cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineConfigError {
    /// The command is missing.
    #[error("'{0}' names no program: expected cmd=PROGRAM, for example cmd=stockfish,name=fish")]
    NoCommand(String),
    /// An unknown key.
    #[error(
        "'{0}' is not a property of an engine: expected cmd, name, arg, dir, proto, option.NAME, ponder, tc, st, nodes or depth, each with =VALUE"
    )]
    Key(String),
    /// A property that all engines cannot have.
    #[error(
        "'{0}' is not a property of all engines: expected arg, dir, proto, option.NAME, ponder, tc, st, nodes or depth, each with =VALUE"
    )]
    Common(String),
    /// A value that does not fit its key.
    #[error("{key}={value}: {reason}")]
    Value {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What is expected.
        reason: String,
    },
}

/// An opening that cannot be played.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpeningError {
    /// The text is not a position in Forsyth-Edwards notation.
    #[error("'{fen}' is not a position: {reason}")]
    Fen {
        /// The text.
        fen: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A game of Chess960 where chess is played.
    #[error("it is a game of Chess960: expected chess")]
    Chess960,
    /// A move is not legal in the position before it.
    #[error("'{text}' is not a legal move in {fen}")]
    Move {
        /// The move.
        text: String,
        /// The position before it.
        fen: String,
    },
    /// The game is over after the opening.
    #[error("the game is over at {fen}: expected a position in which the game continues")]
    Over {
        /// The last position.
        fen: String,
    },
}

/// A file of openings that cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpeningsFileError {
    /// The input cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A line cannot be read or played.
    #[error("line {number}: {source}")]
    Line {
        /// The line, counted from 1.
        number: u64,
        /// What is wrong with it.
        source: LineError,
    },
    /// A PGN file cannot be read.
    #[error(transparent)]
    Pgn(#[from] PgnError),
    /// A game of a PGN file cannot be played.
    #[error("game {number}: {source}")]
    Game {
        /// The game, counted from 1.
        number: u64,
        /// What is wrong with it.
        source: OpeningError,
    },
    /// The openings do not fit the budget.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// It is no book of Polyglot.
    #[error(
        "the book ends within an entry: expected a book of Polyglot, whose entries have 16 bytes"
    )]
    Book,
    /// There are no openings in it.
    #[error("no openings: expected positions in EPD, games in PGN, or a book of Polyglot")]
    Empty,
}

/// Why a line of openings cannot be read or played.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineError {
    /// It is not EPD.
    #[error(transparent)]
    Epd(#[from] EpdError),
    /// One of its moves is none.
    #[error("move {ply}: {source}")]
    Move {
        /// The number of the ply, counted from 1.
        ply: usize,
        /// What is wrong with the move.
        source: MoveError,
    },
    /// The opening cannot be played.
    #[error(transparent)]
    Opening(#[from] OpeningError),
}

/// A sequential test with parameters that make no sense.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SprtError {
    /// The hypotheses are in the wrong order or not finite.
    #[error("cannot test Elo {0} against {1}: expected two numbers, the smaller one first")]
    Bounds(f64, f64),
    /// The error probabilities are not between 0 and 1/2.
    #[error("cannot test with error probabilities {0} and {1}: expected each between 0 and 0.5")]
    Errors(f64, f64),
    /// Not the name of a model.
    #[error("'{0}' is not a model of Elo: expected logistic or normalised")]
    Model(String),
}

/// Results from which no ratings can be computed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RatingError {
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A group of players has only wins, only losses or no games against the others.
    #[error(
        "the games fix no finite ratings: some players have no results, only wins or only losses against the others"
    )]
    Unbounded,
}

/// A match that cannot be played.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ArenaError {
    /// Fewer than two engines.
    #[error("a match needs two engines or more, not {0}")]
    Players(usize),
    /// Two engines have the same name.
    #[error("two engines are called {0}: give each a name of its own with name=")]
    SameName(String),
    /// No games.
    #[error("a match of no games: expected one pair of games or more")]
    NoGames,
    /// A sequential test in a match of more than two engines.
    #[error("a sequential test compares two engines, not {0}")]
    TestOfMany(usize),
    /// The limits of an engine are missing or contradict each other.
    #[error("{name}: {source}")]
    Limits {
        /// The engine's name.
        name: String,
        /// What is wrong with its limits.
        source: LimitsError,
    },
    /// An opening that cannot be played.
    #[error("opening {number}: {source}")]
    Opening {
        /// The opening, counted from 1.
        number: usize,
        /// What is wrong with it.
        source: OpeningError,
    },
    /// There are no openings.
    #[error("there are no openings")]
    NoOpenings,
    /// An engine that cannot be started or does not speak its protocol.
    #[error("{name}: {reason}")]
    Engine {
        /// The engine's name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There are too few processors for games that are bound to some of their own.
    #[error(
        "{games} games at once, each of up to {threads} threads, need {} processors and there are {there}: expected fewer of them",
        games * threads
    )]
    Processors {
        /// Games at once.
        games: usize,
        /// The most threads of a game.
        threads: usize,
        /// Processors that may be used; 0 where the system does not tell.
        there: usize,
    },
    /// The system starts no more threads.
    #[error("cannot start a thread for a game: {0}")]
    Thread(#[source] io::Error),
    /// The journal holds the games of a match with other settings.
    #[error("the checkpoint belongs to another match: {0}")]
    OtherMatch(&'static str),
    /// The journal holds the pairs of games of a tuning run with other settings.
    #[error(
        "the checkpoint belongs to another tuning run: its engine, limits, adjudication, parameters, pairs, rate or seed differ"
    )]
    OtherTuning,
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
}
