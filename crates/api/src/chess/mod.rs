//! Chess: analysis of positions and games, and the engine measured by itself. One file for each command.

mod analyse;
mod bench;
pub mod notation;
mod perft;
mod tune;

pub use analyse::{
    AnalyseAnswer, AnalysePlan, AnalyseRequest, EpdRow, GameAnalysis, GamesAnswer, LineOfPlay,
    MarkCounts, MoveAnalysis, PositionAnswer, SideSummary, TestAnswer,
};
pub use bench::{BenchAnswer, BenchPlan, BenchPosition, BenchRequest};
pub use perft::{PerftAnswer, PerftPlan, PerftRequest};
pub use tune::{GameResults, TuneAnswer, TunePlan, TuneRequest};

use crate::command::CommandSchema;

/// The schemas of all commands about chess.
pub(crate) fn schemas() -> Vec<CommandSchema> {
    vec![
        CommandSchema::of::<AnalyseRequest>(),
        CommandSchema::of::<BenchRequest>(),
        CommandSchema::of::<PerftRequest>(),
        CommandSchema::of::<TuneRequest>(),
    ]
}
