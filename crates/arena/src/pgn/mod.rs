//! Portable Game Notation (PGN): games written with the engines' evaluations, games read, results read.
//!
//! - [`write()`]: a finished game as PGN;
//! - [`games`]: tags, moves and results of the games of a text;
//! - [`results`]: only the results of a file of games, for statistics.

pub mod games;
pub mod results;
mod write;

pub use write::{Header, WrappedText, write};
