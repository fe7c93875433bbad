//! The arena: matches between chess engines, openings, and statistics of results. One file for each command.

mod engines;
mod error;
mod numbers;
mod openings;
mod play;
mod sprt;
mod spsa;
mod standings;
mod stats;

pub use engines::{AdjudicationRequest, EnginesRequest, LimitsRequest};
pub use everymove_arena::PgnFile;
pub use openings::{
    GeneratorRequest, OpeningsAnswer, OpeningsFormat, OpeningsPlan, OpeningsRequest,
};
pub use play::{PlayAnswer, PlayPlan, PlayRequest, Tournament};
pub use sprt::{SprtAnswer, SprtModel, SprtRequest};
pub use spsa::{SpsaAnswer, SpsaPlan, SpsaRequest, TunedOption};
pub use standings::{EngineRow, PairingRow};
pub use stats::{
    EstimateAnswer, ResultsAnswer, SkippedGames, StatsAnswer, StatsPlan, StatsRequest,
};
