//! Parts of one computation in several processes, which begin and end together.
//!
//! Each process owns a part of what is computed, such as a layer of a search: a [`Part`]. The work is done in *rounds*. In
//! a round every process computes contributions to all parts and sends those to a part of another in *pieces* to its
//! owner, which joins them to the part. The round ends for all when every piece is joined:
//! 1. [`Exchange::begin`] with the empty part of this process;
//! 2. [`Exchange::send`] for pieces of other parts, [`Exchange::own`] for the own one;
//! 3. [`Exchange::end`], which returns the part.
//!
//! Between rounds [`Exchange::gather`] gives every process what each of them says: counts to add, digests to compare.
//!
//! # Memory
//! Whoever has sent [`WINDOW`] bytes that the other has not joined yet waits. So a process that joins slowly has at
//! most that many bytes from each of the others beside its part, and at most as many are on their way to each of them.
//!
//! # Loss
//! No process can do the work of another: when one is lost, all others end within some seconds with
//! [`ClusterError::Lost`] or [`ClusterError::Ended`].
//!
//! In reading order: `message`, `meeting` (every process is connected to every other), `shared` (what the threads of a
//! process share), [`words`] (bitmaps as parts), [`kept`] (pieces kept as they come).

pub mod kept;
mod meeting;
mod message;
mod shared;
pub mod words;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use everymove_kernel::run::Run;

use self::meeting::Meeting;
use self::message::Control;
use self::shared::{Outgoing, Shared};
use crate::error::ClusterError;
use crate::event::Observer;
use crate::hello::Hello;
use crate::link::{BEAT, Link, Port, Secret, TICK, Traffic};

/// Bytes of pieces that may be on their way to a process.
pub const WINDOW: u64 = 2 << 20;

/// Bytes that a link takes besides the pieces: records, messages being read or written, and the stacks of its threads.
const LINK: u64 = 1 << 20;

/// How long the reason of an end may take to be sent to the others.
const FAREWELL: Duration = Duration::from_secs(1);

/// The part of one process.
pub trait Part: Send {
    /// Joins a piece, in the form in which it was sent.
    ///
    /// # Errors
    /// What is wrong with a piece that does not belong to the part.
    fn join(&mut self, piece: &[u8]) -> Result<(), &'static str>;
}

/// Which process this is, and where the others are.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The number of this process, from 0.
    pub process: usize,
    /// How many processes there are.
    pub processes: usize,
    /// Where process 0 listens.
    pub address: &'a str,
    /// That address, if process 0 has taken it; otherwise it takes it for as long as the processes meet.
    pub port: Option<&'a Port>,
    /// Where this process, if it is not process 0, listens for others; otherwise on any free port of the network over which
    /// it reaches process 0.
    pub listen: Option<&'a str>,
    /// What they all know.
    pub secret: &'a Secret,
    /// How long the others are awaited, or process 0 is tried to be reached.
    pub patience: Duration,
    /// What the user may do when a process is lost, for its message.
    pub advice: &'static str,
}

/// Processes that are connected, each to every other.
pub struct Mesh {
    process: usize,
    processes: usize,
    links: BTreeMap<usize, Link>,
    advice: &'static str,
}

impl Mesh {
    /// Meets the other processes; all must be asked the same `question` with the same `digest`.
    ///
    /// # Errors
    /// [`ClusterError::Bind`], [`ClusterError::NotReached`], [`ClusterError::Incomplete`], [`ClusterError::Refused`],
    /// [`ClusterError::Lost`], [`ClusterError::OverBudget`], or the run is stopped.
    pub fn join(
        place: &Place<'_>,
        question: &str,
        digest: &str,
        run: &Run,
        observe: &Observer<'_>,
    ) -> Result<Self, ClusterError> {
        run.ram.require(LINKS, memory(place.processes))?;
        let meeting = Meeting {
            place,
            ours: Hello::new(place.process, question, digest),
            stop: &run.stop,
            observe,
            links: Mutex::default(),
        };
        meeting.mesh()
    }

    /// Does the work of this process; returns what it returned, and the bytes over the links of this process.
    ///
    /// # Errors
    /// Those of `work`; [`ClusterError::Lost`] or [`ClusterError::Ended`] if a process is lost or ends, when `work` gets
    /// [`ClusterError::Stopped`]. The run's stop flag is raised then.
    pub fn run<P: Part, T, E: From<ClusterError> + Display>(
        self,
        run: &Run,
        work: impl FnOnce(&mut Exchange<'_, P>) -> Result<T, E>,
    ) -> Result<(T, Traffic), E> {
        let held = run.ram.reserve(LINKS, memory(self.processes));
        let _held = held.map_err(ClusterError::from)?;
        let links = &self.links;
        let (shared, messages) = Shared::new(self.process, links, self.advice, run.stop.clone());
        let shared = &shared;
        let worked = thread::scope(|scope| {
            // Whatever happens, also a panic of the work, the threads of the links end.
            let closing = Closing(links);
            let senders = links.values().zip(messages);
            let senders =
                senders.map(|(link, messages)| scope.spawn(move || send(link, &messages)));
            let senders: Vec<_> = senders.collect();
            let receivers = links.iter();
            let receivers =
                receivers.map(|(&number, link)| scope.spawn(move || shared.receive(number, link)));
            let receivers: Vec<_> = receivers.collect();
            let worked = work(&mut Exchange {
                processes: self.processes,
                shared,
                round: 0,
                time: 0,
            });
            match &worked {
                Ok(_) => {
                    shared.finish();
                    for receiver in receivers {
                        // The scope passes on a panic.
                        let _ = receiver.join();
                    }
                    shared.post_all(|| Outgoing::End);
                }
                Err(error) => {
                    shared.give_up(error);
                    let end = Instant::now() + FAREWELL;
                    while !senders.iter().all(|sender| sender.is_finished()) && Instant::now() < end
                    {
                        thread::sleep(TICK / 5);
                    }
                }
            }
            drop(closing);
            worked
        });
        let mut traffic = Traffic::default();
        links.values().for_each(|link| traffic += link.traffic());
        match (worked, shared.take_end()) {
            (Ok(value), _) => Ok((value, traffic)),
            (Err(_), Some(error)) => Err(error.into()),
            (Err(error), None) => Err(error),
        }
    }
}

/// What the memory of links is asked for.
const LINKS: &str = "a link to each of the other processes";

/// Bytes that the links of each process take.
fn memory(processes: usize) -> u64 {
    (processes as u64 - 1).saturating_mul(2 * WINDOW + LINK)
}

/// Closes links when it is dropped.
struct Closing<'a>(&'a BTreeMap<usize, Link>);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.values().for_each(Link::close);
    }
}

/// Sends messages over a link until there are no more, and signs of life in between.
fn send(link: &Link, messages: &Receiver<Outgoing>) {
    let mut next = Instant::now() + BEAT;
    loop {
        let left = next.saturating_duration_since(Instant::now());
        let (sent, is_last) = match messages.recv_timeout(left) {
            Ok(Outgoing::Message(bytes)) => (link.send_bytes(&bytes), false),
            Ok(Outgoing::Ended(bytes)) => (link.send_bytes(&bytes), true),
            Err(RecvTimeoutError::Timeout) => (Control::Beat.send(link), false),
            Ok(Outgoing::End) | Err(RecvTimeoutError::Disconnected) => return,
        };
        // Whoever receives from the link gets the reason of a failure.
        if sent.is_err() || is_last {
            return;
        }
        next = Instant::now() + BEAT;
    }
}

fn lost(process: usize, address: &str, error: &io::Error, advice: &'static str) -> ClusterError {
    ClusterError::Lost {
        process,
        address: address.to_owned(),
        why: error.to_string(),
        advice,
    }
}

fn ended(process: usize, address: &str, reason: String) -> ClusterError {
    ClusterError::Ended {
        process,
        address: address.to_owned(),
        reason,
    }
}

/// The parts of all processes, as one of them sees them.
pub struct Exchange<'a, P> {
    processes: usize,
    shared: &'a Shared<P>,
    round: u32,
    time: u32,
}

impl<P: Part> Exchange<'_, P> {
    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.processes
    }

    /// The number of this process.
    pub fn process(&self) -> usize {
        self.shared.process
    }

    /// Begins a round with the part of this process. All processes begin the same rounds.
    ///
    /// # Errors
    /// [`ClusterError::Stopped`] if the run ends early, here and below.
    pub fn begin(&mut self, part: P) -> Result<(), ClusterError> {
        self.round += 1;
        self.shared.begin(self.round, part)
    }

    /// Sends a piece of the part of another process; waits while too many are on their way to it.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn send(&mut self, to: usize, piece: &[u8]) -> Result<(), ClusterError> {
        self.shared.send(to, self.round, piece)
    }

    /// Gives the part of this process to `join`.
    ///
    /// # Panics
    /// If no round has begun.
    pub fn own<T>(&mut self, join: impl FnOnce(&mut P) -> T) -> T {
        self.shared.own(join)
    }

    /// Ends the round: waits until every process has ended it and all pieces are joined, and returns the part.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    ///
    /// # Panics
    /// If no round has begun.
    pub fn end(&mut self) -> Result<P, ClusterError> {
        self.shared.await_joined()?;
        self.gather(Vec::new())?;
        Ok(self.shared.take_part())
    }

    /// Says some numbers to all processes; returns what each of them said, by its number. All processes say something in the
    /// same places of their work.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn gather(&mut self, values: Vec<u64>) -> Result<Vec<Vec<u64>>, ClusterError> {
        self.time += 1;
        self.shared.gather(self.time, values)
    }
}

#[cfg(test)]
mod tests;
