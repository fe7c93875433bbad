//! Work in independent jobs, on one machine or several.
//!
//! A problem describes its work as a [`JobList`]: jobs with weights, some after others. Each result is a file in a
//! folder of [`Results`], so that a job that is finished is never repeated, whoever ran it:
//! - a scheduler of the user's own (GNU parallel, Slurm) runs jobs one by one, each as a process: [`Chosen`];
//! - several processes take jobs from one of them, the largest first, over TCP: [`handout`].
//!
//! In reading order: [`job`], [`results`], `queue` (which job is next), [`hosts`] (where the processes are), `link`
//! (authenticated, encrypted connections), [`handout`].

mod error;
pub mod handout;
pub mod hosts;
pub mod job;
mod link;
mod queue;
pub mod results;

pub use error::ClusterError;
pub use job::{Chosen, Job, JobList, Source, Work};
pub use link::{Secret, Traffic};
pub use results::Results;
