//! Process 0: it hands out the jobs, stores the results, and works itself.

use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};
use std::time::Duration;

use everymove_kernel::run::{Run, Stop};
use serde_json::Value;

use super::{Event, FromCoordinator, FromWorker, Hello, Observer};
use crate::error::ClusterError;
use crate::job::{JobList, Source, Work};
use crate::link::{self, Link, Port, Secret, Traffic};
use crate::queue::{Next, Queue};
use crate::results::Results;

/// Between two looks at what a thread waits for.
const TICK: Duration = Duration::from_millis(50);
/// Connections at a time whose handshake is not finished; more of them are closed at once.
const HANDSHAKES: usize = 16;

/// A process that others join.
pub struct Coordinator {
    port: Port,
}

impl Coordinator {
    /// A process that listens on a port when it runs jobs. Workers that come before that try again.
    pub fn new(port: Port) -> Self {
        Self { port }
    }

    /// Runs all jobs of `list` that `results` lacks, here and in the processes that join; returns when all are
    /// finished, with the bytes over the links of all workers, also of those that were lost.
    ///
    /// # Errors
    /// [`ClusterError::Bind`] if another process listens on the port; if a job fails here, a result cannot be stored, or the
    /// run is stopped. The others end then, too.
    pub fn run<W: Work + ?Sized>(
        self,
        work: &W,
        list: &JobList,
        results: &Results,
        secret: &Secret,
        run: &Run,
        observe: &Observer<'_>,
    ) -> Result<Traffic, W::Error> {
        let address = self.port.address().to_string();
        let listener = self.port.listener()?;
        let mut queue = Queue::new(list);
        for job in list.jobs() {
            if results.get(&job.id)?.is_some() {
                queue.finish(&job.id);
            }
        }
        observe(Event::Listening {
            address,
            finished: queue.finished(),
            jobs: queue.len(),
        });
        let shared = Shared {
            state: Mutex::new(State {
                queue,
                links: BTreeMap::new(),
                strangers: BTreeMap::new(),
                traffic: Traffic::default(),
                end: None,
            }),
            changed: Condvar::new(),
            results,
            secret,
            ours: Hello::of(0, list),
            stop: &run.stop,
            observe,
        };
        let worked = thread::scope(|scope| {
            scope.spawn(|| shared.accept(&listener, scope));
            let worked = work.work(run, &mut Here { shared: &shared });
            let failed = shared.end(match &worked {
                Ok(()) => End::Finished,
                Err(_) => End::Failed("it failed or was stopped".to_owned()),
            });
            match failed {
                // What a thread could not store is the reason for which the work was stopped.
                Some(error) => Err(error.into()),
                None => worked,
            }
        });
        worked.map(|()| shared.lock().traffic)
    }
}

/// How a run ended.
enum End {
    Finished,
    Failed(String),
    /// A result could not be stored.
    NotStored(ClusterError),
}

struct State {
    queue: Queue,
    /// The links of the workers, by the number of their connection.
    links: BTreeMap<usize, Arc<Link>>,
    /// Connections whose handshake is not finished.
    strangers: BTreeMap<usize, TcpStream>,
    /// Bytes over the links that have ended.
    traffic: Traffic,
    end: Option<End>,
}

struct Shared<'a> {
    state: Mutex<State>,
    changed: Condvar,
    results: &'a Results,
    secret: &'a Secret,
    ours: Hello,
    stop: &'a Stop,
    observe: &'a Observer<'a>,
}

/// What a worker that asks gets.
enum Given {
    Job(String),
    End,
    Ended(String),
}

impl Shared<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next job of a worker.
    fn next(&self, worker: usize) -> Given {
        let mut state = self.lock();
        loop {
            match &state.end {
                Some(End::Finished) => return Given::End,
                Some(End::Failed(reason)) => return Given::Ended(reason.clone()),
                Some(End::NotStored(error)) => return Given::Ended(error.to_string()),
                None => {}
            }
            match state.queue.take(worker) {
                Next::Job(id) => return Given::Job(id),
                Next::End => return Given::End,
                Next::Wait => {}
            }
            if self.stop.is_raised() {
                return Given::Ended("it was stopped".to_owned());
            }
            let waited = self.changed.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Stores the result of a job.
    fn store(&self, process: usize, id: &str, result: Value) -> Result<(), ClusterError> {
        self.results.put(id, result)?;
        let mut state = self.lock();
        state.queue.finish(id);
        let (finished, jobs) = (state.queue.finished(), state.queue.len());
        drop(state);
        self.changed.notify_all();
        (self.observe)(Event::Finished {
            job: id.to_owned(),
            process,
            finished,
            jobs,
        });
        Ok(())
    }

    /// Ends the run: all workers get the reason and their links are closed. Returns the error of a result that could
    /// not be stored.
    fn end(&self, end: End) -> Option<ClusterError> {
        let mut state = self.lock();
        let before = state.end.take();
        let message = match &end {
            End::Finished => FromCoordinator::End,
            End::Failed(reason) => FromCoordinator::Ended {
                reason: reason.clone(),
            },
            End::NotStored(error) => FromCoordinator::Ended {
                reason: error.to_string(),
            },
        };
        state.end = Some(end);
        let links: Vec<_> = state.links.values().cloned().collect();
        for stranger in state.strangers.values() {
            // The other side may have closed it.
            let _ = stranger.shutdown(Shutdown::Both);
        }
        drop(state);
        self.changed.notify_all();
        for link in links {
            // A worker that does not get it finds the link closed.
            let _ = link.send(&message);
            link.close();
        }
        match before {
            Some(End::NotStored(error)) => Some(error),
            _ => None,
        }
    }

    /// Accepts connections until the run ends.
    fn accept<'scope>(&'scope self, listener: &TcpListener, scope: &'scope Scope<'scope, '_>) {
        for connection in 1.. {
            let (stream, address) = loop {
                if self.lock().end.is_some() {
                    return;
                }
                match listener.accept() {
                    Ok(accepted) => break accepted,
                    // Nobody is there, or a connection ended before it was accepted.
                    Err(_) => thread::sleep(TICK),
                }
            };
            let Ok(stranger) = stream.try_clone() else {
                continue;
            };
            let mut state = self.lock();
            if state.strangers.len() >= HANDSHAKES {
                continue;
            }
            if state.end.is_some() {
                return;
            }
            state.strangers.insert(connection, stranger);
            drop(state);
            scope.spawn(move || {
                let greeted = self.greet(stream);
                self.lock().strangers.remove(&connection);
                match greeted {
                    Ok((link, process)) => self.serve(connection, process, &link),
                    Err(error) => (self.observe)(Event::Refused {
                        address: address.to_string(),
                        why: error.to_string(),
                    }),
                }
            });
        }
    }

    /// The handshake, and the check that the worker has the same question.
    fn greet(&self, stream: TcpStream) -> io::Result<(Arc<Link>, usize)> {
        stream.set_nonblocking(false)?;
        let link = link::accept(stream, self.secret)?;
        let hello = match link.receive()? {
            FromWorker::Hello(hello) => hello,
            _ => return Err(io::Error::other("its first message is no greeting")),
        };
        if let Some(reason) = hello.refusal(&self.ours) {
            link.send(&FromCoordinator::Refused {
                reason: reason.clone(),
            })?;
            return Err(io::Error::other(reason));
        }
        link.send(&FromCoordinator::Welcome)?;
        Ok((Arc::new(link), hello.process))
    }

    /// Serves a worker until the run ends or it is lost.
    fn serve(&self, connection: usize, process: usize, link: &Arc<Link>) {
        let mut state = self.lock();
        if state.end.is_some() {
            drop(state);
            // It joined too late; that it finds the link closed is enough.
            let _ = link.send(&FromCoordinator::End);
            return link.close();
        }
        state.links.insert(connection, link.clone());
        drop(state);
        (self.observe)(Event::Joined {
            process,
            address: link.address().to_owned(),
        });
        let lost = thread::scope(|scope| {
            scope.spawn(|| link.keep_alive(&FromCoordinator::Beat));
            let lost = self.converse(connection, process, link).err();
            link.close();
            lost
        });
        let mut state = self.lock();
        state.links.remove(&connection);
        state.traffic += link.traffic();
        let jobs = state.queue.give_back(connection);
        let is_over = state.end.is_some();
        drop(state);
        self.changed.notify_all();
        if let (Some(why), false) = (lost, is_over) {
            (self.observe)(Event::Lost {
                process,
                address: link.address().to_owned(),
                why: why.to_string(),
                jobs,
            });
        }
    }

    fn converse(&self, worker: usize, process: usize, link: &Link) -> io::Result<()> {
        loop {
            match link.receive()? {
                FromWorker::Beat => {}
                FromWorker::Ask => match self.next(worker) {
                    Given::Job(id) => link.send(&FromCoordinator::Job { id })?,
                    Given::End => return link.send(&FromCoordinator::End),
                    Given::Ended(reason) => return link.send(&FromCoordinator::Ended { reason }),
                },
                FromWorker::Result { id, result } => {
                    if !self.lock().queue.has(worker, &id) {
                        return Err(io::Error::other("it sent the result of a job of others"));
                    }
                    if let Err(error) = self.store(process, &id, result) {
                        self.end(End::NotStored(error));
                        self.stop.raise();
                        return Ok(());
                    }
                }
                FromWorker::Failed { reason } => return Err(io::Error::other(reason)),
                FromWorker::Hello(_) => return Err(io::Error::other("it greeted twice")),
            }
        }
    }
}

/// The jobs that process 0 runs itself.
struct Here<'a, 'b> {
    shared: &'a Shared<'b>,
}

impl Source for Here<'_, '_> {
    fn next(&mut self) -> Result<Option<String>, ClusterError> {
        self.shared.stop.check()?;
        match self.shared.next(0) {
            Given::Job(id) => Ok(Some(id)),
            Given::End => Ok(None),
            Given::Ended(_) => Err(everymove_kernel::run::Stopped.into()),
        }
    }

    fn done(&mut self, id: &str, result: Value) -> Result<(), ClusterError> {
        self.shared.store(0, id, result)
    }
}
