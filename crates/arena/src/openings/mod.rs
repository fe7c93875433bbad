//! Openings: made from the rules alone, or read from EPD and PGN files.
//!
//! - [`Maker`]: random legal moves from the first position, kept if a small search finds the result balanced;
//! - [`read`]: positions of an EPD or FEN file, or the first moves of the games of a PGN file;
//! - [`chess960`]: the 960 first positions of Chess960.

mod balance;
pub mod chess960;
mod files;
mod maker;

pub use files::{FileFormat, ReadError, read};
pub use maker::{Maker, Recipe};
