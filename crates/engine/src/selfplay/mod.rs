//! Games of the engine against itself, in files of a few bytes a position: the data from which a
//! network is trained.
//!
//! In reading order: [`Plan`], [`generate`] (plays the games), [`GameRecord`] (one game as bytes),
//! [`Sample`] (a quiet position with score and result), [`GameFile`] and [`read_folder`] (files
//! that grow by whole games), [`Shuffled`] (random order in bounded memory), [`Statistics`].
//!
//! The game with a given number depends on the plan alone, and games are appended in the order of
//! their numbers. So a run that was interrupted is resumed by the same call, and the file does not
//! depend on the number of threads.

use std::sync::Arc;

use crate::eval::Network;

mod file;
mod generate;
mod play;
mod record;
mod sample;
mod shuffle;
mod statistics;

pub use file::{FoundBlock, GameFile, GameFiles, Header, read_folder};
pub use generate::{Generated, generate};
pub use record::{GameRecord, GameResult, RecordError};
pub use sample::{MOST_SCORE, Sample};
pub use shuffle::Shuffled;
pub use statistics::Statistics;

/// What to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Quiet positions that the file of this seed shall hold; it ends with the game that reaches
    /// the number.
    pub positions: u64,
    /// Nodes of a move after which no iteration of its search begins; it is stopped at eight times
    /// as many.
    pub nodes: u64,
    /// Seed of the openings.
    pub seed: u64,
    /// The network that evaluates; `None` for the classical evaluation.
    pub network: Option<Arc<Network>>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            positions: 1_000_000,
            nodes: 1500,
            seed: 1,
            network: None,
        }
    }
}
