//! Listening on an address, and reaching it.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::thread;
use std::time::{Duration, Instant};

use everymove_kernel::run::Stop;

use crate::error::ClusterError;

/// Between two attempts to reach process 0.
const RETRY: Duration = Duration::from_millis(200);
/// One attempt takes no longer.
const ATTEMPT: Duration = Duration::from_secs(2);

/// Listens on an address without waiting for connections; port 0 is any free port.
pub(crate) fn listen(address: &str) -> Result<(TcpListener, SocketAddr), ClusterError> {
    let error = |source| ClusterError::Bind {
        address: address.to_owned(),
        source,
    };
    let listener = TcpListener::bind(address).map_err(error)?;
    listener.set_nonblocking(true).map_err(error)?;
    let address = listener.local_addr().map_err(error)?;
    Ok((listener, address))
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
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, ATTEMPT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
