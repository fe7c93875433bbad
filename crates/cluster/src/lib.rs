//! Work on one machine or several: in independent jobs, or in parts whose owners exchange what they compute.
//!
//! A problem describes its work as a [`JobList`]: jobs with weights, some after others. Each result is a file in a
//! folder of [`Results`], so that a job that is finished is never repeated, whoever ran it:
//! - a scheduler of the user's own (GNU parallel, Slurm) runs jobs one by one, each as a process: [`Chosen`];
//! - several processes take jobs from one of them over TCP: [`handout`].
//!
//! Work that does not fall into jobs, such as the layers of a search, may fall into parts: each process owns one, and sends
//! to the owners of the others what belongs there: [`exchange`].
//!
//! In reading order: [`job`], [`results`], `queue` (which job is next), [`hosts`] (where the processes are), `link`
//! (authenticated, encrypted connections), `hello` (who may join), [`handout`], [`exchange`].

mod error;
mod event;
pub mod exchange;
pub mod handout;
mod hello;
pub mod hosts;
pub mod job;
mod link;
mod queue;
pub mod results;

pub use error::ClusterError;
pub use job::{Chosen, Job, JobList, Source, Work};
pub use link::{Port, Secret, Traffic};
pub use results::Results;
