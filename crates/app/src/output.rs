//! Standard output whose reader may be slow, or may have stopped reading.

use std::io::{self, LineWriter, Write};

use everymove_kernel::run::Stop;

/// Standard output by lines. A write that the reader does not take ends with an error once the run is stopped.
pub(crate) type Out = LineWriter<Stoppable<io::Stdout>>;

/// Standard output under a stop flag.
pub(crate) fn standard(stop: &Stop) -> Out {
    LineWriter::new(Stoppable::new(io::stdout(), stop))
}

/// Writes a line to standard output and one to standard error, as far as their readers take them at once.
pub(crate) fn last_lines(output: Option<&str>, error: &str) {
    let stopped = Stop::default();
    stopped.raise();
    // Where the streams are closed or full the exit code still reports the failure.
    if let Some(line) = output {
        let _ = writeln!(standard(&stopped), "{line}");
    }
    let _ = LineWriter::new(Stoppable::new(io::stderr(), &stopped))
        .write_all(format!("{error}\n").as_bytes());
}

/// A stream whose writes wait for its reader only until a stop flag is raised.
#[derive(Debug)]
pub(crate) struct Stoppable<S> {
    stream: S,
    stop: Stop,
}

impl<S> Stoppable<S> {
    fn new(stream: S, stop: &Stop) -> Self {
        Self {
            stream,
            stop: stop.clone(),
        }
    }
}

/// A pipe that polls as ready takes as many bytes at once (`PIPE_BUF`).
#[cfg(unix)]
const AT_ONCE: usize = 4096;

#[cfg(unix)]
impl<S: Write + std::os::fd::AsFd> Write for Stoppable<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        use everymove_kernel::run::Stopped;
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let every = Timespec {
            tv_sec: 0,
            tv_nsec: 50_000_000,
        };
        loop {
            let mut ready = [PollFd::new(&self.stream, PollFlags::OUT)];
            match poll(&mut ready, Some(&every)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {
                    if self.stop.is_raised() {
                        return Err(io::Error::other(Stopped));
                    }
                }
                // What cannot be waited for is written to at once, and reports itself what is wrong.
                _ => break,
            }
        }
        let part = &bytes[..bytes.len().min(AT_ONCE)];
        // The standard library's own buffer is emptied at once: its lines would wait for the reader.
        self.stream.write_all(part)?;
        self.stream.flush()?;
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(not(unix))]
impl<S: Write> Write for Stoppable<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
