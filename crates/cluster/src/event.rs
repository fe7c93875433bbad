//! What happens in a run.

use serde::{Deserialize, Serialize};

/// What happened; for people who watch a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// Process 0 plans the jobs; processes that begin now may join at this address as soon as it listens.
    Planning {
        /// The address.
        address: String,
    },
    /// Processes may join at this address.
    Listening {
        /// The address.
        address: String,
        /// Jobs that were finished before.
        finished: usize,
        /// All jobs.
        jobs: usize,
    },
    /// Processes that are to begin together may join at this address.
    Awaiting {
        /// The address.
        address: String,
        /// How many processes there will be.
        processes: usize,
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
    /// A process that had joined ended before the others had.
    Left {
        /// Its number.
        process: usize,
        /// Its address.
        address: String,
        /// How that was noticed.
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

/// Receives what happens, from several threads.
pub type Observer<'a> = dyn Fn(Event) + Sync + 'a;
