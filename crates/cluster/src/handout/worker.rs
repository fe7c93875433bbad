//! The other processes: they ask process 0 for jobs.

use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use everymove_kernel::run::{Run, Stopped};
use serde_json::Value;

use super::{FromCoordinator, FromWorker, Hello, WorkerReport};
use crate::error::ClusterError;
use crate::job::{JobList, Source, Work};
use crate::link::{self, Link, Secret, reach};

/// What may be done when process 0 is lost.
const RESUMES: &str = "the same command resumes from the finished jobs";

/// A process that has joined a run.
pub struct Worker {
    link: Link,
    address: String,
}

impl Worker {
    /// Joins the run of process 0 at an address as the process with a number; tries for `patience` to reach it.
    ///
    /// # Errors
    /// [`ClusterError::NotReached`], [`ClusterError::Refused`], or the run is stopped.
    pub fn join(
        address: &str,
        process: usize,
        list: &JobList,
        secret: &Secret,
        patience: Duration,
        run: &Run,
    ) -> Result<Self, ClusterError> {
        let stream = reach(address, patience, &run.stop)?;
        let refused = |reason: String| ClusterError::Refused {
            address: address.to_owned(),
            reason,
        };
        let joined = || -> io::Result<(Link, FromCoordinator)> {
            let link = link::connect(stream, secret)?;
            link.send(&FromWorker::Hello(Hello::of(process, list)))?;
            let answer = link.receive()?;
            Ok((link, answer))
        };
        match joined().map_err(|error| refused(error.to_string()))? {
            (link, FromCoordinator::Welcome) => Ok(Self {
                link,
                address: address.to_owned(),
            }),
            (_, FromCoordinator::Refused { reason }) => Err(refused(reason)),
            _ => Err(refused("its first message is no answer".to_owned())),
        }
    }

    /// Runs jobs until there are none left.
    ///
    /// # Errors
    /// If a job fails or the run is stopped; [`ClusterError::Lost`] or [`ClusterError::Ended`] if process 0 is lost or
    /// ends its run. The run's stop flag is raised then.
    pub fn run<W: Work + ?Sized>(self, work: &W, run: &Run) -> Result<WorkerReport, W::Error> {
        let Self { link, address } = self;
        let (sender, messages) = mpsc::channel();
        let end = Mutex::new(None);
        thread::scope(|scope| {
            scope.spawn(|| link.keep_alive(&FromWorker::Beat));
            let listener = scope.spawn(|| {
                let ended = listen(&link, &address, &sender);
                if let Some(error) = ended {
                    *end.lock().unwrap_or_else(|e| e.into_inner()) = Some(error);
                    run.stop.raise();
                }
                drop(sender);
            });
            let mut source = There {
                link: &link,
                messages,
                run,
                jobs: 0,
                is_broken: false,
            };
            let worked = work.work(run, &mut source);
            let jobs = source.jobs;
            if source.is_broken {
                // The thread that listens finds the link broken, too, and records the reason.
                let _ = listener.join();
            }
            if let Err(error) = &worked
                && end.lock().unwrap_or_else(|e| e.into_inner()).is_none()
            {
                let reason = error.to_string();
                // If process 0 does not get it, it finds the link closed.
                let _ = link.send(&FromWorker::Failed { reason });
            }
            link.close();
            let end = end.lock().unwrap_or_else(|e| e.into_inner()).take();
            match (worked, end) {
                (Ok(()), _) => Ok(WorkerReport {
                    jobs,
                    traffic: link.traffic(),
                }),
                (Err(_), Some(error)) => Err(error.into()),
                (Err(error), None) => Err(error),
            }
        })
    }
}

/// Passes on jobs until the run ends; the reason if it does not end well.
fn listen(link: &Link, address: &str, jobs: &Sender<Option<String>>) -> Option<ClusterError> {
    loop {
        let passed = match link.receive() {
            Ok(FromCoordinator::Beat | FromCoordinator::Welcome) => continue,
            Ok(FromCoordinator::Job { id }) => jobs.send(Some(id)),
            Ok(FromCoordinator::End) => {
                // Whoever works does not ask any more if this fails.
                let _ = jobs.send(None);
                return None;
            }
            Ok(FromCoordinator::Ended { reason } | FromCoordinator::Refused { reason }) => {
                return Some(ClusterError::Ended {
                    process: 0,
                    address: address.to_owned(),
                    reason,
                });
            }
            Err(error) => {
                return Some(ClusterError::Lost {
                    process: 0,
                    address: address.to_owned(),
                    why: error.to_string(),
                    advice: RESUMES,
                });
            }
        };
        if passed.is_err() {
            return None;
        }
    }
}

/// The jobs that process 0 names.
struct There<'a> {
    link: &'a Link,
    messages: Receiver<Option<String>>,
    run: &'a Run,
    jobs: usize,
    /// Whether a message could not be sent.
    is_broken: bool,
}

impl There<'_> {
    /// Sends a message; if that fails, the thread that listens gets the reason.
    fn send(&mut self, message: &FromWorker) -> Result<(), ClusterError> {
        self.link.send(message).map_err(|_| {
            self.is_broken = true;
            Stopped.into()
        })
    }
}

impl Source for There<'_> {
    fn next(&mut self) -> Result<Option<String>, ClusterError> {
        self.run.stop.check()?;
        self.send(&FromWorker::Ask)?;
        loop {
            match self.messages.recv_timeout(Duration::from_millis(50)) {
                Ok(job) => return Ok(job),
                Err(mpsc::RecvTimeoutError::Timeout) => self.run.stop.check()?,
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(Stopped.into()),
            }
        }
    }

    fn done(&mut self, id: &str, result: Value) -> Result<(), ClusterError> {
        self.jobs += 1;
        self.send(&FromWorker::Result {
            id: id.to_owned(),
            result,
        })
    }
}
