//! Jobs handed out over the network by process 0: those that share work to the same process.
//!
//! Every process runs the same question. Process 0 also works; it needs nobody. Others may join at any time, and a job of
//! a process that is lost is given to another. A result is on the disk of process 0 before its worker gets the next
//! job. If process 0 is lost, the others end; the same command, with any number of processes, resumes from the folder.

mod coordinator;
mod worker;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::event::{Event, Observer};
use crate::hello::Hello;
use crate::link::Traffic;

pub use coordinator::Coordinator;
pub use worker::Worker;

/// What a worker did in a run that ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerReport {
    /// How many jobs it ran.
    pub jobs: usize,
    /// The bytes over its link.
    pub traffic: Traffic,
}

/// What a worker sends.
#[derive(Serialize, Deserialize)]
enum FromWorker {
    Hello(Hello),
    Ask,
    Result { id: String, result: Value },
    Failed { reason: String },
    Beat,
}

/// What process 0 sends.
#[derive(Serialize, Deserialize)]
enum FromCoordinator {
    Welcome,
    Refused { reason: String },
    Job { id: String },
    End,
    Ended { reason: String },
    Beat,
}

impl Hello {
    /// A process that works on the jobs of a list.
    fn of(process: usize, list: &crate::job::JobList) -> Self {
        Self::new(process, list.question(), list.digest())
    }
}

#[cfg(test)]
mod tests;
