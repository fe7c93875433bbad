//! Large questions in independent jobs, for a scheduler of the user's own.
//!
//! A problem describes its work as a `JobList`: jobs with weights, some after others. Each result
//! is a file in a folder of `Results`, so that a job that is finished is never repeated, whoever
//! ran it.

mod collect;
mod error;
mod job;
mod list;
mod question;
mod results;
mod run;
mod tables;
mod tours;

pub use collect::CollectRequest;
pub use list::ListRequest;
pub use question::JobQuestion;
pub use run::{JobRunner, RunRequest};

/// The directory of the results by default.
const RESULTS: &str = "jobs";
