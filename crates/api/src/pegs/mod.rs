//! Peg solitaire: one file for each command.

mod board;
mod boards;
mod count;
mod draw;
mod error;
mod estimate;
mod files;
mod game;
mod hint;
mod kept_sets;
mod names;
mod play;
mod puzzle;
mod replay;
mod review;
mod solve;
mod table;
mod winning;

pub use board::{BoardRequest, EndRequest, Lattice, ProblemRequest};
pub use boards::{BoardsAnswer, BoardsRequest, NamedBoard};
pub use count::{CountAnswer, CountPlan, CountRequest};
pub use draw::{DrawAnswer, DrawPlan, DrawRequest};
pub use estimate::{EstimateAnswer, EstimatePlan, EstimateRequest, LayersNeed};
pub use files::{Layers, LayersRequest};
pub use game::{Game, GameRequest};
pub use hint::{HintAnswer, HintFields, HintPlan, HintRequest, HintsAnswer, JumpAdvice};
pub(crate) use kept_sets::KeptSets;
pub use names::{
    Reason, counted, finish_name, game_file, game_lines, jump_name, start_name, title,
};
pub use play::{PlayAnswer, PlayPlan, PlayRequest};
pub use puzzle::{Kind, PuzzleAnswer, PuzzlePlan, PuzzleRequest};
pub use replay::{ReplayAnswer, ReplayPlan, ReplayRequest};
pub use review::{ReviewAnswer, ReviewPlan, ReviewRequest, ReviewedJump};
pub use solve::{MethodName, MethodRequest, SolveAnswer, SolvePlan, SolveRequest};
pub use table::{ColumnChoice, Row, TableAnswer, TablePlan, TableRequest};
pub use winning::{SetPlan, SetRequest, WinningAnswer, WinningPlan, WinningRequest};
