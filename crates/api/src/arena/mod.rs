//! The arena: matches between chess engines, openings, and statistics of results. One file for each
//! command.

mod engines;
mod error;
mod numbers;
mod openings;
mod play;
mod sprt;
mod spsa;
mod standings;
mod stats;

pub use everymove_arena::PgnFile;
pub use openings::OpeningsRequest;
pub use play::{PlayRequest, foreign_option};
pub use spsa::SpsaRequest;
pub use stats::StatsRequest;
