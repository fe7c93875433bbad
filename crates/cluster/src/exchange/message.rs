//! What processes send to each other.
//!
//! A message begins with a byte: 0 before JSON; 1 before a piece of a part, which has the number of its round (u32,
//! little-endian) before its own bytes.

use std::io;

use serde::{Deserialize, Serialize};

use crate::hello::Hello;
use crate::link::{Link, invalid};

/// What a process that joins sends first.
#[derive(Serialize, Deserialize)]
pub(super) struct Greeting {
    pub(super) hello: Hello,
    /// How many processes there are, as far as it knows.
    pub(super) processes: usize,
    /// The port on which it listens for those with a higher number.
    pub(super) port: u16,
}

/// All messages but the pieces.
#[derive(Serialize, Deserialize)]
pub(super) enum Control {
    Hello(Greeting),
    Refused {
        reason: String,
    },
    /// All have joined: the addresses of the processes from 1 on.
    Start {
        addresses: Vec<String>,
    },
    /// A sign of life.
    Beat,
    /// The receiver's pieces of this many bytes were joined, or more of them.
    Joined {
        bytes: u64,
    },
    /// What a process says to all, for the time with a number; it is sent to process 0.
    Values {
        time: u32,
        values: Vec<u64>,
    },
    /// What all said, by process.
    AllValues {
        time: u32,
        values: Vec<Vec<u64>>,
    },
    /// The sender has its answer and sends no more.
    Bye,
    /// The sender ends without an answer.
    Ended {
        reason: String,
    },
}

/// A message that was received.
pub(super) enum Received {
    Control(Control),
    Piece { round: u32, bytes: Vec<u8> },
}

/// Bytes of a piece's message before its own.
const HEADER: usize = 5;

impl Control {
    pub(super) fn encode(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0];
        serde_json::to_writer(&mut bytes, self)?;
        Ok(bytes)
    }

    pub(super) fn send(&self, link: &Link) -> io::Result<()> {
        link.send_bytes(&self.encode()?)
    }

    /// Receives a message that is no piece.
    pub(super) fn receive(link: &Link) -> io::Result<Self> {
        match Received::from(link)? {
            Received::Control(control) => Ok(control),
            Received::Piece { .. } => Err(invalid("a piece of a part came too early")),
        }
    }
}

impl Received {
    pub(super) fn from(link: &Link) -> io::Result<Self> {
        let unknown = || invalid("a message is unknown");
        let mut message = link.receive_bytes()?;
        match message.first() {
            Some(0) => serde_json::from_slice(&message[1..])
                .map(Self::Control)
                .map_err(|_| unknown()),
            Some(1) => {
                let round = message
                    .get(1..HEADER)
                    .and_then(|bytes| bytes.try_into().ok());
                let round = u32::from_le_bytes(round.ok_or_else(unknown)?);
                message.drain(..HEADER);
                Ok(Self::Piece {
                    round,
                    bytes: message,
                })
            }
            _ => Err(unknown()),
        }
    }
}

/// The message of a piece.
pub(super) fn encode_piece(round: u32, piece: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + piece.len());
    bytes.push(1);
    bytes.extend(round.to_le_bytes());
    bytes.extend_from_slice(piece);
    bytes
}
