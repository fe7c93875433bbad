//! Listening on an address, and reaching it.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::thread;
use std::time::{Duration, Instant};

use everymove_kernel::run::Stop;
use socket2::{Domain, Socket, Type};

use crate::error::ClusterError;

/// Between two attempts to reach process 0.
const RETRY: Duration = Duration::from_millis(200);
/// One attempt takes no longer.
const ATTEMPT: Duration = Duration::from_secs(2);

/// Connections that wait to be accepted, at most.
const BACKLOG: i32 = 128;

/// An address that this process has taken; connections to it are refused until it listens.
#[derive(Debug)]
pub struct Port {
    socket: Socket,
    address: SocketAddr,
}

impl Port {
    /// Takes an address, HOST:PORT; port 0 is any free port.
    ///
    /// # Errors
    /// [`ClusterError::Bind`].
    pub fn take(address: &str) -> Result<Self, ClusterError> {
        bound(address).map_err(|source| not_bound(address, source))
    }

    /// The address, with the port that was chosen.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Listens without waiting for connections. All listeners of a port share its connections.
    pub(crate) fn listener(&self) -> Result<TcpListener, ClusterError> {
        let listening = || {
            self.socket.listen(BACKLOG)?;
            self.socket.set_nonblocking(true)?;
            Ok(self.socket.try_clone()?.into())
        };
        listening().map_err(|source| not_bound(&self.address.to_string(), source))
    }
}

fn bound(address: &str) -> io::Result<Port> {
    let mut last = no_address();
    for address in address.to_socket_addrs()? {
        let bound = || {
            let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
            // A run may begin where another has just ended. A port that the system chooses must be no one else's.
            #[cfg(unix)]
            socket.set_reuse_address(address.port() != 0)?;
            socket.bind(&address.into())?;
            let address = socket.local_addr()?.as_socket().unwrap_or(address);
            Ok(Port { socket, address })
        };
        match bound() {
            Ok(bound) => return Ok(bound),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn not_bound(address: &str, source: io::Error) -> ClusterError {
    ClusterError::Bind {
        address: address.to_owned(),
        source,
    }
}

fn no_address() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "the host has no address")
}

/// A connection to process 0 at an address, which is tried for `patience` to be reached.
pub(crate) fn reach(
    address: &str,
    patience: Duration,
    stop: &Stop,
) -> Result<TcpStream, ClusterError> {
    let end = Instant::now() + patience;
    loop {
        stop.check()?;
        match attempt(address) {
            Ok(stream) => return Ok(stream),
            Err(source) if Instant::now() >= end => {
                return Err(ClusterError::NotReached {
                    address: address.to_owned(),
                    seconds: patience.as_secs(),
                    source,
                });
            }
            Err(_) => thread::sleep(RETRY),
        }
    }
}

/// One attempt to connect to any of the addresses of a host.
pub(crate) fn attempt(address: &str) -> io::Result<TcpStream> {
    let mut last = no_address();
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, ATTEMPT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
