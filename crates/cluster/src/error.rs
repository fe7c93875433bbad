//! Why jobs were not run.

use std::io;

use everymove_kernel::files::FileError;
use everymove_kernel::run::{OverBudget, Stopped};
use thiserror::Error;

/// Why jobs were not run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// What is exchanged does not fit the memory budget.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A result cannot be written or read, or is damaged.
    #[error(transparent)]
    File(#[from] FileError),
    /// The folder has results of another question.
    #[error(
        "{path} is a result of another question: it is of {found}, asked for is {asked}; name another folder"
    )]
    OtherQuestion {
        /// The file.
        path: String,
        /// What it is of.
        found: String,
        /// What is asked for.
        asked: String,
    },
    /// There is no such job.
    #[error("there is no job {id}: expected one of the {count} jobs of {question}")]
    NoJob {
        /// The name that was given.
        id: String,
        /// How many jobs there are.
        count: usize,
        /// What they are of.
        question: String,
    },
    /// A job needs others that are not finished.
    #[error("job {id} comes after job {missing}, which is not finished")]
    TooEarly {
        /// The job.
        id: String,
        /// The first that it needs.
        missing: String,
    },
    /// A secret that is not 64 hexadecimal digits.
    #[error("the secret is not 64 hexadecimal digits")]
    Secret,
    /// A list of processes that cannot be read.
    #[error("{0}")]
    Hosts(String),
    /// The address on which processes are awaited cannot be used.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// Nobody answered.
    #[error("process 0 ({address}) was not reached within {seconds} s: {source}")]
    NotReached {
        /// Its address.
        address: String,
        /// How long it was tried.
        seconds: u64,
        /// The last failure.
        source: io::Error,
    },
    /// The other side does not take part in this run.
    #[error("process 0 ({address}) refused this process: {reason}")]
    Refused {
        /// Its address.
        address: String,
        /// Why.
        reason: String,
    },
    /// Not all processes joined that are to begin together.
    #[error("{joined} of {processes} processes joined within {seconds} s")]
    Incomplete {
        /// How many joined, process 0 with them.
        joined: usize,
        /// How many there should be.
        processes: usize,
        /// How long they were awaited.
        seconds: u64,
    },
    /// A process ended, or is no longer heard of.
    #[error("lost process {process} ({address}): {why}; {advice}")]
    Lost {
        /// Its number.
        process: usize,
        /// Its address.
        address: String,
        /// How that was noticed.
        why: String,
        /// What the user may do.
        advice: &'static str,
    },
    /// A process ended the run, of which it is a part.
    #[error("process {process} ({address}) ended the run: {reason}")]
    Ended {
        /// Its number.
        process: usize,
        /// Its address.
        address: String,
        /// Why.
        reason: String,
    },
}
