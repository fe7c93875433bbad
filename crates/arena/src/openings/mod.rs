//! Openings: generated from the rules alone, or read from files of positions, moves or games.
//!
//! - [`Generator`]: random legal moves from the initial position, kept if a small search finds the
//!   result balanced;
//! - [`read`]: positions of an EPD or FEN file, lines of moves, the first moves of the games of a
//!   PGN file, or the lines of a book of Polyglot;
//! - [`Openings`]: the openings of a match, generated when they are needed or given as a list;
//! - [`chess960`]: the 960 initial positions of Chess960.

mod balance;
pub mod chess960;
mod generator;
mod polyglot;
mod read;
mod source;

pub use generator::{Generator, GeneratorOptions, generate};
pub use read::{FileFormat, OpeningList, read};
pub use source::Openings;
