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
mod kept_samplers;
mod list;
mod numbered;
mod symmetric;
mod text;

pub use board::{BoardRequest, Kind, KindRequest, QuestionRequest};
pub use complete::{CompleteAnswer, CompletePlan, CompleteRequest, NextSquare, Possible};
pub use count::{
    BySymmetry, CountAnswer, CountMethod, CountPlan, CountRequest, Layers, MethodChoice,
};
pub use estimate::{EstimateAnswer, EstimatePlan, EstimateRequest, WayEstimate};
pub use exists::{Existence, ExistsAnswer, ExistsPlan, ExistsRequest};
pub use files::{
    DrawAnswer, DrawRequest, FilePlan, FileRequest, VerifyAnswer, VerifyPlan, VerifyRequest,
};
pub use find::{FindAnswer, FindMethod, FindPlan, FindRequest};
pub(crate) use kept_samplers::KeptSamplers;
pub use list::{ListAnswer, ListPlan, ListRequest};
pub use numbered::{
    RankAnswer, RankPlan, RankRequest, SampleAnswer, SamplePlan, SampleRequest, UnrankAnswer,
    UnrankPlan, UnrankRequest,
};
pub use symmetric::{Rotation, SymmetricAnswer, SymmetricPlan, SymmetricRequest, SystemType};
pub use text::TourText;
