//! Connections between processes that know one secret: authenticated, encrypted, with a sign of life every second.
//!
//! The protocol is Noise `NNpsk0` (Perrin, "The Noise Protocol Framework", revision 34) by the library `snow`: the first
//! bytes of a process that does not know the secret are refused, and nothing is answered to it. After the handshake
//! a message is one or several records of at most 65,535 bytes: two bytes of length, then the ciphertext, of which the
//! first byte of plaintext is 1 where another record of the message follows, otherwise 0.

mod handshake;
mod reach;
mod secret;

use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, TcpStream};
use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use snow::StatelessTransportState;

pub(crate) use handshake::{accept, connect};
pub use reach::Port;
pub(crate) use reach::{attempt, reach};
pub use secret::Secret;

/// Between two signs of life.
pub(crate) const BEAT: Duration = Duration::from_secs(1);
/// A process that is silent for so long is lost.
pub(crate) const SILENCE: Duration = Duration::from_secs(5);
/// How often threads that wait look whether the link is closed.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// The largest record, and the plaintext that it holds besides its first byte.
const RECORD: usize = 65_535;
const PART: usize = RECORD - 16 - 1;
/// Longer messages are refused.
const MESSAGE: usize = 64 << 20;

/// A connection after its handshake; several threads may send, one receives.
pub(crate) struct Link {
    transport: StatelessTransportState,
    sending: Mutex<Direction>,
    receiving: Mutex<Direction>,
    /// The same connection, for the end of it: threads that wait hold the locks of the directions.
    control: TcpStream,
    closed: AtomicBool,
    address: String,
    sent: AtomicU64,
    received: AtomicU64,
}

/// Bytes over the links of a process after their handshakes: encrypted records with their lengths, without the headers of TCP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Self) {
        self.sent += other.sent;
        self.received += other.received;
    }
}

struct Direction {
    stream: TcpStream,
    /// The number of records before this one.
    nonce: u64,
    record: Vec<u8>,
}

impl Link {
    fn new(stream: TcpStream, transport: StatelessTransportState) -> io::Result<Self> {
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(SILENCE))?;
        stream.set_nodelay(true)?;
        let address = stream.peer_addr()?.to_string();
        let direction = |stream| {
            Mutex::new(Direction {
                stream,
                nonce: 0,
                record: vec![0; 2 + RECORD],
            })
        };
        Ok(Self {
            transport,
            control: stream.try_clone()?,
            sending: direction(stream.try_clone()?),
            receiving: direction(stream),
            closed: AtomicBool::new(false),
            address,
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
        })
    }

    /// The host of the other side.
    pub(crate) fn peer(&self) -> io::Result<IpAddr> {
        Ok(self.control.peer_addr()?.ip())
    }

    /// The host of this side, as the other reaches it.
    pub(crate) fn own(&self) -> io::Result<IpAddr> {
        Ok(self.control.local_addr()?.ip())
    }

    /// The address of the other side.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The bytes of all records so far, in either direction.
    pub(crate) fn traffic(&self) -> Traffic {
        Traffic {
            sent: self.sent.load(Ordering::Relaxed),
            received: self.received.load(Ordering::Relaxed),
        }
    }

    /// Sends a message as JSON.
    pub(crate) fn send(&self, message: &impl Serialize) -> io::Result<()> {
        self.send_bytes(&serde_json::to_vec(message)?)
    }

    /// Sends a message of at least one byte.
    pub(crate) fn send_bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let mut sending = lock(&self.sending);
        let Direction {
            stream,
            nonce,
            record,
        } = &mut *sending;
        let mut plain = Vec::with_capacity(1 + bytes.len().min(PART));
        let mut parts = bytes.chunks(PART).peekable();
        while let Some(part) = parts.next() {
            plain.clear();
            plain.push(u8::from(parts.peek().is_some()));
            plain.extend_from_slice(part);
            let length = self
                .transport
                .write_message(*nonce, &plain, &mut record[2..]);
            let length = length.map_err(io::Error::other)?;
            *nonce += 1;
            record[..2].copy_from_slice(&(length as u16).to_be_bytes());
            stream.write_all(&record[..2 + length])?;
            self.sent.fetch_add(2 + length as u64, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Receives a message in JSON; fails if the other side is silent for [`SILENCE`].
    pub(crate) fn receive<M: DeserializeOwned>(&self) -> io::Result<M> {
        let message = self.receive_bytes()?;
        serde_json::from_slice(&message).map_err(|_| invalid("a message is unknown"))
    }

    /// Receives a message; fails if the other side is silent for [`SILENCE`].
    pub(crate) fn receive_bytes(&self) -> io::Result<Vec<u8>> {
        let mut receiving = lock(&self.receiving);
        let Direction {
            stream,
            nonce,
            record,
        } = &mut *receiving;
        let mut plain = vec![0; RECORD];
        let mut message = Vec::new();
        loop {
            let mut length = [0; 2];
            read(stream, &mut length)?;
            let length = usize::from(u16::from_be_bytes(length));
            read(stream, &mut record[..length])?;
            let bytes = self
                .transport
                .read_message(*nonce, &record[..length], &mut plain);
            let bytes = bytes.map_err(|_| invalid("a record is not authentic"))?;
            *nonce += 1;
            self.received
                .fetch_add(2 + length as u64, Ordering::Relaxed);
            let (&more, part) = plain[..bytes]
                .split_first()
                .ok_or_else(|| invalid("a record is empty"))?;
            if message.len() + part.len() > MESSAGE {
                return Err(invalid("a message is too long"));
            }
            message.extend_from_slice(part);
            if more == 0 {
                return Ok(message);
            }
        }
    }

    /// Sends `beat` every second until the link is closed or broken.
    pub(crate) fn keep_alive(&self, beat: &impl Serialize) {
        while !self.closed.load(Ordering::Relaxed) {
            if self.send(beat).is_err() {
                // Whoever receives gets the reason.
                break;
            }
            // By the clock: on a machine with much other work every sleep takes longer than it should.
            let next = Instant::now() + BEAT;
            while Instant::now() < next && !self.closed.load(Ordering::Relaxed) {
                std::thread::sleep(TICK);
            }
        }
    }

    /// Ends every thread that sends or receives.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        // The other side may have closed it before.
        let _ = self.control.shutdown(Shutdown::Both);
    }
}

/// Reads all of `bytes`; the reason of a failure is written for people.
fn read(stream: &mut TcpStream, bytes: &mut [u8]) -> io::Result<()> {
    stream
        .read_exact(bytes)
        .map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                let line = format!("silent for {} s", SILENCE.as_secs());
                io::Error::new(io::ErrorKind::TimedOut, line)
            }
            io::ErrorKind::UnexpectedEof => {
                io::Error::new(io::ErrorKind::UnexpectedEof, "the connection was closed")
            }
            _ => error,
        })
}

pub(crate) fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
