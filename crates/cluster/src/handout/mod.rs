//! Jobs handed out over the network by process 0, the largest first.
//!
//! Every process runs the same question. Process 0 also works; it needs nobody. Others may join at any time, and a job of
//! a process that is lost is given to another. A result is on the disk of process 0 before its worker gets the next
//! job. If process 0 is lost, the others end; the same command, with any number of processes, resumes from the folder.

mod coordinator;
mod worker;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::link::Traffic;

pub use coordinator::Coordinator;
pub use worker::Worker;

/// What happened; for people who watch a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// Processes may join at this address.
    Listening {
        /// The address.
        address: String,
        /// Jobs that were finished before.
        finished: usize,
        /// All jobs.
        jobs: usize,
    },
    /// A process joined.
    Joined {
        /// Its number.
        process: usize,
        /// Its address.
        address: String,
    },
    /// A connection was refused.
    Refused {
        /// Where it came from.
        address: String,
        /// Why.
        why: String,
    },
    /// A process is lost; its jobs are given to others.
    Lost {
        /// Its number.
        process: usize,
        /// Its address.
        address: String,
        /// How that was noticed.
        why: String,
        /// Its jobs.
        jobs: usize,
    },
    /// A job is finished.
    Finished {
        /// Its name.
        job: String,
        /// The process that ran it.
        process: usize,
        /// Jobs that are finished.
        finished: usize,
        /// All jobs.
        jobs: usize,
    },
}

/// What a worker did in a run that ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerReport {
    /// How many jobs it ran.
    pub jobs: usize,
    /// The bytes over its link.
    pub traffic: Traffic,
}

/// Receives what happens, from several threads.
pub type Observer<'a> = dyn Fn(Event) + Sync + 'a;

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

/// Who a worker is and what it works on.
#[derive(Serialize, Deserialize)]
struct Hello {
    version: String,
    process: usize,
    question: String,
    digest: String,
}

impl Hello {
    fn new(process: usize, list: &crate::job::JobList) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            process,
            question: list.question().to_owned(),
            digest: list.digest().to_owned(),
        }
    }

    /// Why a worker that says this cannot take part, if it cannot.
    fn refusal(&self, ours: &Self) -> Option<String> {
        if self.version != ours.version {
            let (theirs, ours) = (&self.version, &ours.version);
            return Some(format!(
                "it is version {theirs}, the others are version {ours}"
            ));
        }
        if (&self.question, &self.digest) != (&ours.question, &ours.digest) {
            return Some(format!(
                "it was asked for {} ({}), the others for {} ({})",
                self.question, self.digest, ours.question, ours.digest
            ));
        }
        None
    }
}

#[cfg(test)]
mod tests;
