//! Chess: positions and their moves, the engine's moves, analysis of positions and games, the
//! engine measured by itself. One file for each command.

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

pub use analyse::AnalyseRequest;
pub use bench::BenchRequest;
pub use best_move::MoveRequest;
pub use compare::CompareRequest;
pub use datagen::DatagenRequest;
pub use perft::PerftRequest;
pub use position::PositionRequest;
pub use train::TrainRequest;
