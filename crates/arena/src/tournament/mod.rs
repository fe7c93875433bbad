//! A match from the first game to the last, over any number of interruptions.
//!
//! - [`plan`](MatchPlan): engines, openings, limits; checked before the first game;
//! - `journal`: the finished games on disk, and the settings that must not change between two runs;
//! - [`report`](MatchReport): the games and results so far;
//! - [`play_match`]: games on several threads;
//! - [`PgnFile`]: the file to which the games are added.

mod journal;
mod pgn_file;
mod plan;
mod play;
mod report;

pub use journal::JOURNAL;
pub use pgn_file::PgnFile;
pub use plan::MatchPlan;
pub use play::play_match;
pub(crate) use play::{check_engines_start, settings};
pub use report::MatchReport;
