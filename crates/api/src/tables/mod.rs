//! Endgame tables: one file for each command.

mod batch;
mod build;
mod check;
mod closure;
mod convert;
mod counts;
mod error;
mod pages;
mod positions;
mod probe;
mod service;
mod source;
mod stats;
mod verify;

pub use batch::{BatchAnswer, EstimateAnswer, MissingEnding};
pub use build::{BuildAnswer, BuildPlan, BuildRequest, EndingAnswer, Schedule};
pub use check::{CheckAnswer, CheckPlan, CheckRequest};
pub use closure::{ClosureAnswer, ClosurePlan, ClosureRequest};
pub use convert::{ConvertAnswer, ConvertPlan, ConvertRequest};
pub use counts::{Histogram, SideCounts};
pub use pages::{PagesAnswer, PagesPlan, PagesRequest, TableCounts};
pub use positions::{PositionValue, Positions};
pub(crate) use probe::KeptTables;
pub use probe::{AtClock, MoveValue, ProbeAnswer, ProbePlan, ProbeRequest, TablesKind, ValueName};
pub use service::{MainlineAnswer, ServiceError, StandardAnswer, TableService};
pub use source::{Metric, SourceRequest};
pub use stats::{Counting, StatsAnswer, StatsPlan, StatsRequest};
pub use verify::{VerifyAnswer, VerifyPlan, VerifyRequest};
