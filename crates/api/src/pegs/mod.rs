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
mod picture;
mod play;
mod puzzle;
mod replay;
mod review;
mod solve;
mod table;
mod winning;

pub use board::{BoardRequest, EndRequest, ProblemRequest, open_board};
pub use boards::BoardsRequest;
pub use count::CountRequest;
pub use draw::DrawRequest;
pub use estimate::EstimateRequest;
pub use game::GameRequest;
pub use hint::HintRequest;
pub(crate) use kept_sets::KeptSets;
pub use names::{finish_name, game_file, game_lines, jump_name, start_name, title};
pub use picture::{characters, pegs_in_words};
pub use play::{PlayAnswer, PlayRequest};
pub use puzzle::PuzzleRequest;
pub use replay::ReplayRequest;
pub use review::ReviewRequest;
pub use solve::{MethodRequest, SolveRequest};
pub use table::TableRequest;
pub use winning::{SetRequest, WinningRequest};
