//! Chess: positions and their moves, the engine's moves, analysis of positions and games, the engine measured by itself. One file for each command.

mod analyse;
mod bench;
mod best_move;
mod compare;
mod datagen;
mod game;
pub mod notation;
mod perft;
mod position;
mod range;
mod train;

pub use analyse::{
    AnalyseAnswer, AnalysePlan, AnalyseRequest, EpdRow, GameAnalysis, GamesAnswer, LineOfPlay,
    MarkCounts, MoveAnalysis, PositionAnswer, PositionUpdate, SideSummary, TestAnswer, UpdateLine,
};
pub use bench::{BenchAnswer, BenchPlan, BenchPosition, BenchRequest};
pub use best_move::{MoveAnswer, MovePlan, MoveRequest};
pub use compare::{
    CompareAnswer, ComparePlan, CompareRequest, CompareUpdate, StrategySearch, Worker,
};
pub use datagen::{DatagenAnswer, DatagenPlan, DatagenRequest};
pub use game::GameRequest;
pub use perft::{PerftAnswer, PerftPlan, PerftRequest};
pub use position::{
    Ending, LegalMove, PlayedMove, PositionDetails, PositionPlan, PositionRequest, SideName,
};
pub use train::{EpochLosses, TrainAnswer, TrainPlan, TrainRequest};
