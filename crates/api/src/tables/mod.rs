//! Endgame tables: one file for each command.

mod batch;
mod build;
mod check;
mod closure;
mod convert;
mod counts;
mod error;
mod fairy;
mod pages;
mod positions;
mod probe;
mod service;
mod source;
mod stats;
mod verify;

pub use build::{BuildAnswer, BuildPlan, BuildRequest, Schedule};
pub use check::CheckRequest;
pub use closure::ClosureRequest;
pub use convert::ConvertRequest;
pub use fairy::{BareKing, FairyAnswer, FairyRequest, Stalemate};
pub use pages::PagesRequest;
pub use positions::PositionValue;
pub use probe::{AtClock, ProbeRequest, TablesKind, ValueName};
pub use service::{MainlineAnswer, ServiceError, StandardAnswer, TableService};
pub(crate) use source::KeptTables;
pub use source::{Distance, Metric, SourceRequest};
pub use stats::{Counting, StatsRequest};
pub use verify::VerifyRequest;
