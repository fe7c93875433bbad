//! The beginning of a connection.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use snow::{Builder, HandshakeState};

use super::{Link, Secret, invalid};

/// The pattern, curve, cipher and hash of the links.
pub(super) const PATTERN: &str = "Noise_NNpsk0_25519_AESGCM_BLAKE2s";
/// What both sides must have in common besides the secret.
const PROLOGUE: &[u8] = b"everymove cluster 1";
/// A handshake takes no longer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Messages of the handshake: an ephemeral key and an authentication tag.
const MESSAGE: usize = 32 + 16;

/// Opens a connection to a process that accepts it.
pub(crate) fn connect(stream: TcpStream, secret: &Secret) -> io::Result<Link> {
    let mut noise = builder(secret)?
        .build_initiator()
        .map_err(io::Error::other)?;
    write(&stream, &mut noise)?;
    read(&stream, &mut noise).map_err(|error| {
        let line = format!("{error} during the handshake: is the secret the same?");
        io::Error::new(io::ErrorKind::PermissionDenied, line)
    })?;
    link(stream, noise)
}

/// Accepts a connection. Whoever does not know the secret gets no answer.
pub(crate) fn accept(stream: TcpStream, secret: &Secret) -> io::Result<Link> {
    let mut noise = builder(secret)?
        .build_responder()
        .map_err(io::Error::other)?;
    read(&stream, &mut noise)?;
    write(&stream, &mut noise)?;
    link(stream, noise)
}

fn builder(secret: &Secret) -> io::Result<Builder<'_>> {
    let pattern = PATTERN.parse().map_err(io::Error::other)?;
    let builder = Builder::new(pattern).psk(0, secret.bytes());
    let builder = builder.and_then(|builder| builder.prologue(PROLOGUE));
    builder.map_err(io::Error::other)
}

fn link(stream: TcpStream, noise: HandshakeState) -> io::Result<Link> {
    let transport = noise
        .into_stateless_transport_mode()
        .map_err(io::Error::other)?;
    Link::new(stream, transport)
}

fn write(mut stream: &TcpStream, noise: &mut HandshakeState) -> io::Result<()> {
    let mut message = [0; MESSAGE];
    let length = noise
        .write_message(&[], &mut message)
        .map_err(io::Error::other)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(&message[..length])
}

/// Reads a message of the handshake, whose length is known, so that nothing is read of what others send.
fn read(mut stream: &TcpStream, noise: &mut HandshakeState) -> io::Result<()> {
    let end = Instant::now() + PATIENCE;
    let mut message = [0; MESSAGE];
    let mut at = 0;
    while at < MESSAGE {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "no answer"));
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut message[at..]) {
            Ok(0) => {
                let line = "the connection was closed";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, line));
            }
            Ok(n) => at += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    let read = noise.read_message(&message, &mut []);
    read.map(drop)
        .map_err(|_| invalid("it does not know the secret"))
}
