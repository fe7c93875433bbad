//! Knight's tours: one file for each command, or for a few that belong together.

mod board;
mod collect;
mod complete;
mod count;
mod error;
mod estimate;
mod exists;
mod files;
mod find;
mod kept_drawers;
mod list;
mod numbered;
mod picture;
mod range;
mod stream;
mod symmetric;
mod text;
mod words;

pub use board::{BoardRequest, Kind, KindRequest, QuestionRequest, named_pieces};
pub use complete::CompleteRequest;
pub use count::{CountRequest, MethodChoice};
pub use estimate::EstimateRequest;
pub use exists::{Existence, ExistsRequest};
pub use files::{DrawRequest, VerifyRequest};
pub use find::FindRequest;
pub(crate) use kept_drawers::KeptDrawers;
pub use list::ListRequest;
pub use numbered::{RankRequest, SampleRequest, UnrankRequest};
pub use range::RangeRequest;
pub use symmetric::{Rotation, SymmetricRequest};
pub use text::TourText;
