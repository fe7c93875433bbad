//! A connection that is given up when its client accepts no more bytes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// A client that lets writes wait must accept this number of bytes within its patience.
const LEAST: usize = 1 << 20;

/// A stream whose writes fail once the client has accepted too few bytes for a while.
pub(crate) struct Transport {
    stream: TcpStream,
    pace: Pace,
    /// Wakes the writer at the end of the pace's time.
    alarm: Pin<Box<Sleep>>,
}

/// How fast a client accepts bytes.
struct Pace {
    patience: Duration,
    /// Bytes accepted since a write waited first; `None` before.
    accepted: Option<usize>,
    /// When [`LEAST`] bytes must have been accepted, if a write waits then.
    until: Instant,
    waits: bool,
    /// When the last wait ended.
    waited: Instant,
}

impl Pace {
    fn new(patience: Duration, now: Instant) -> Self {
        Self {
            patience,
            accepted: None,
            until: now,
            waits: false,
            waited: now,
        }
    }

    fn accepts(&mut self, bytes: usize, now: Instant) {
        if std::mem::take(&mut self.waits) {
            self.waited = now;
        }
        self.accepted = (self.accepted.map(|all| all + bytes)).filter(|all| *all < LEAST);
    }

    /// A write waits. Returns when it is given up.
    fn waits(&mut self, now: Instant) -> Instant {
        // A client that kept up for so long begins anew.
        if self.accepted.is_none() || !self.waits && now - self.waited > self.patience {
            self.accepted = Some(0);
            self.until = now + self.patience;
        }
        self.waits = true;
        self.until
    }
}

impl Transport {
    pub(crate) fn new(stream: TcpStream, patience: Duration) -> Self {
        Self {
            stream,
            pace: Pace::new(patience, Instant::now()),
            alarm: Box::pin(sleep(patience)),
        }
    }

    /// Counts what was accepted, or fails where the write has waited for too long.
    fn limit(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(result) = written {
            let bytes = result.as_ref().map_or(0, |bytes| *bytes);
            self.pace.accepts(bytes, Instant::now());
            return Poll::Ready(result);
        }
        let until = self.pace.waits(Instant::now());
        self.alarm.as_mut().reset(until);
        ready!(self.alarm.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Transport {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limit(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.limit(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_must_accept_enough() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let new = || Pace::new(Duration::from_secs(30), begin);
        // Bytes now and then do not put off the end.
        let mut pace = new();
        assert_eq!(pace.waits(at(100)), at(130));
        for seconds in [101, 110, 120, 129] {
            pace.accepts(1000, at(seconds));
            assert_eq!(pace.waits(at(seconds)), at(130));
        }
        assert_eq!(
            pace.waits(at(131)),
            at(130),
            "a wait without end is none of the client's pauses"
        );
        // Enough bytes do.
        let mut pace = new();
        pace.waits(at(0));
        pace.accepts(LEAST - 1, at(10));
        assert_eq!(pace.waits(at(20)), at(30));
        pace.accepts(1, at(25));
        assert_eq!(pace.waits(at(25)), at(55));
        // So does a while without waits.
        pace.accepts(1, at(26));
        pace.accepts(1, at(40));
        assert_eq!(pace.waits(at(57)), at(87));
    }
}
