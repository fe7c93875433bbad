//! The beginning: every process is connected to every other.
//!
//! Processes join process 0. Once all are there, it sends them their addresses, and each connects to those with lower
//! numbers.

use std::collections::BTreeMap;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use everymove_kernel::run::Stop;

use super::message::{Control, Greeting};
use super::{Mesh, Place};
use crate::error::ClusterError;
use crate::event::{Event, Observer};
use crate::hello::Hello;
use crate::link::{self, BEAT, Link, Port};

/// How long processes may take to connect to each other once all have joined process 0.
const CONNECTING: Duration = Duration::from_secs(30);
/// Connections at a time whose handshake is not finished; more of them are closed at once.
const HANDSHAKES: usize = 64;

/// How often it is looked whether another process connects.
const POLL: Duration = Duration::from_millis(2);

/// A process that meets the others.
pub(super) struct Meeting<'a> {
    pub(super) place: &'a Place<'a>,
    pub(super) ours: Hello,
    pub(super) stop: &'a Stop,
    pub(super) observe: &'a Observer<'a>,
    /// The links so far, with the port on which the other side listens.
    pub(super) links: Mutex<BTreeMap<usize, (Link, u16)>>,
}

impl Meeting<'_> {
    /// Connects this process to all others.
    pub(super) fn mesh(self) -> Result<Mesh, ClusterError> {
        match self.place.process {
            0 if self.place.processes > 1 => self.await_all()?,
            0 => {}
            _ => self.join()?,
        }
        let links = self.links.into_inner();
        let links = links.unwrap_or_else(PoisonError::into_inner);
        Ok(Mesh {
            process: self.place.process,
            processes: self.place.processes,
            links: links.into_iter().map(|(n, (link, _))| (n, link)).collect(),
            advice: self.place.advice,
        })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, (Link, u16)>> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Process 0: waits for the others.
    fn await_all(&self) -> Result<(), ClusterError> {
        let place = self.place;
        let taken;
        let port = match place.port {
            Some(port) => port,
            None => {
                taken = Port::take(&crate::hosts::to_listen_on(place.address))?;
                &taken
            }
        };
        let listener = port.listener()?;
        (self.observe)(Event::Awaiting {
            address: port.address().to_string(),
            processes: place.processes,
        });
        self.with_beats(|| self.accept(&listener, 1..place.processes, place.patience))?;
        let links = self.lock();
        let address = |(link, port): &(Link, u16)| {
            let host = link.peer()?;
            Ok::<_, io::Error>(std::net::SocketAddr::new(host, *port).to_string())
        };
        for (number, (link, _)) in &*links {
            let addresses: io::Result<Vec<_>> = links.values().map(address).collect();
            let sent = addresses.and_then(|addresses| Control::Start { addresses }.send(link));
            sent.map_err(|error| super::lost(*number, link.address(), &error, place.advice))?;
        }
        Ok(())
    }

    /// The others: join process 0, and are connected to each other when it has all of them.
    fn join(&self) -> Result<(), ClusterError> {
        let place = self.place;
        let refused = |reason: String| ClusterError::Refused {
            address: place.address.to_owned(),
            reason,
        };
        let stream = link::reach(place.address, place.patience, self.stop)?;
        let link = link::connect(stream, place.secret).map_err(|e| refused(e.to_string()))?;
        let lost = |error: io::Error| super::lost(0, link.address(), &error, place.advice);
        let own = match place.listen {
            Some(address) => crate::hosts::to_listen_on(address),
            None => std::net::SocketAddr::new(link.own().map_err(lost)?, 0).to_string(),
        };
        let own = Port::take(&own)?;
        let listener = own.listener()?;
        self.greet(&link, own.address().port()).map_err(lost)?;
        let addresses = loop {
            self.stop.check()?;
            match Control::receive(&link).map_err(lost)? {
                Control::Beat => {}
                Control::Start { addresses } => break addresses,
                Control::Refused { reason } => return Err(refused(reason)),
                Control::Ended { reason } => return Err(super::ended(0, link.address(), reason)),
                _ => return Err(refused("its first message is no answer".to_owned())),
            }
        };
        self.lock().insert(0, (link, 0));
        self.with_beats(|| {
            thread::scope(|scope| {
                let higher = place.process + 1..place.processes;
                let accepted = scope.spawn(|| self.accept(&listener, higher, CONNECTING));
                let connected = (1..place.process).try_for_each(|number| {
                    let address = addresses.get(number - 1).map_or("", String::as_str);
                    let link = self.connect(address);
                    let link =
                        link.map_err(|error| super::lost(number, address, &error, place.advice))?;
                    self.lock().insert(number, (link, 0));
                    Ok(())
                });
                let accepted = accepted
                    .join()
                    .unwrap_or_else(|e| std::panic::resume_unwind(e));
                connected.and(accepted)
            })
        })
    }

    fn connect(&self, address: &str) -> io::Result<Link> {
        let link = link::connect(link::attempt(address)?, self.place.secret)?;
        self.greet(&link, 0)?;
        Ok(link)
    }

    fn greet(&self, link: &Link, port: u16) -> io::Result<()> {
        let hello = Control::Hello(Greeting {
            hello: self.ours.clone(),
            processes: self.place.processes,
            port,
        });
        hello.send(link)
    }

    /// Does some work, and sends signs of life over the links there are.
    fn with_beats<T>(
        &self,
        work: impl FnOnce() -> Result<T, ClusterError>,
    ) -> Result<T, ClusterError> {
        let (working, done) = mpsc::channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                loop {
                    self.beat();
                    if let Err(RecvTimeoutError::Disconnected) = done.recv_timeout(BEAT) {
                        return;
                    }
                }
            });
            let worked = work();
            drop(working);
            worked
        })
    }

    /// Sends a sign of life over each link; a process that does not take it has left, and may join again.
    fn beat(&self) {
        self.lock().retain(|&process, (link, _)| {
            let sent = Control::Beat.send(link);
            if let Err(error) = &sent {
                (self.observe)(Event::Left {
                    process,
                    address: link.address().to_owned(),
                    why: error.to_string(),
                });
            }
            // What happens to those that are connected already is found out by whoever receives.
            sent.is_ok() || self.place.process > 0
        });
    }

    /// Accepts the processes with these numbers.
    fn accept(
        &self,
        listener: &TcpListener,
        wanted: Range<usize>,
        patience: Duration,
    ) -> Result<(), ClusterError> {
        let end = Instant::now() + patience;
        let open = AtomicUsize::new(0);
        let (sender, greeted) = mpsc::channel::<(String, io::Result<(Link, Greeting)>)>();
        thread::scope(|scope| {
            loop {
                self.stop.check()?;
                while let Ok((address, greeted)) = greeted.try_recv() {
                    let joined = greeted.and_then(|greeted| self.admit(greeted, &wanted));
                    (self.observe)(match joined {
                        Ok(process) => Event::Joined { process, address },
                        Err(error) => Event::Refused {
                            address,
                            why: error.to_string(),
                        },
                    });
                }
                let joined = self.lock().range(wanted.clone()).count();
                if joined == wanted.len() {
                    return Ok(());
                }
                if Instant::now() >= end {
                    return Err(ClusterError::Incomplete {
                        joined: self.place.processes - (wanted.len() - joined),
                        processes: self.place.processes,
                        seconds: patience.as_secs(),
                    });
                }
                match listener.accept() {
                    Ok((stream, address)) if open.load(Ordering::Relaxed) < HANDSHAKES => {
                        open.fetch_add(1, Ordering::Relaxed);
                        let (sender, open) = (sender.clone(), &open);
                        scope.spawn(move || {
                            let greeted = self.greeted(stream);
                            open.fetch_sub(1, Ordering::Relaxed);
                            // Nobody waits for it once all are there.
                            let _ = sender.send((address.to_string(), greeted));
                        });
                    }
                    Ok(_) => {}
                    // Nobody is there, or a connection ended before it was accepted.
                    Err(_) => thread::sleep(POLL),
                }
            }
        })
    }

    /// The handshake, and what the other side says of itself.
    fn greeted(&self, stream: TcpStream) -> io::Result<(Link, Greeting)> {
        stream.set_nonblocking(false)?;
        let link = link::accept(stream, self.place.secret)?;
        match Control::receive(&link)? {
            Control::Hello(greeting) => Ok((link, greeting)),
            _ => Err(io::Error::other("its first message is no greeting")),
        }
    }

    /// Keeps the link of a process that is wanted, and was asked the same question.
    fn admit(
        &self,
        (link, greeting): (Link, Greeting),
        wanted: &Range<usize>,
    ) -> io::Result<usize> {
        let (number, processes) = (greeting.hello.process, self.place.processes);
        let reason = match greeting.hello.refusal(&self.ours) {
            Some(reason) => Some(reason),
            None if greeting.processes != processes => Some(format!(
                "it is one of {}, the others are {processes}",
                greeting.processes
            )),
            None if !wanted.contains(&number) => Some(format!(
                "its number is {number}: expected 1 to {}",
                processes - 1
            )),
            None if self.lock().contains_key(&number) => {
                Some(format!("another process has the number {number}"))
            }
            None => None,
        };
        if let Some(reason) = reason {
            let message = Control::Refused {
                reason: reason.clone(),
            };
            message.send(&link)?;
            return Err(io::Error::other(reason));
        }
        self.lock().insert(number, (link, greeting.port));
        Ok(number)
    }
}
