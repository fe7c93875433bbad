//! Standard output whose reader may be slow, or may have stopped reading.

use std::io::{self, LineWriter, Write};

use everymove_kernel::run::Stop;
use everymove_kernel::system::{Reader, write_part};

/// Standard output by lines. A write that the reader does not take ends with an error once the run
/// is stopped.
pub(crate) type Out = LineWriter<Stoppable<io::Stdout>>;

/// Standard output under a stop flag.
pub(crate) fn standard(stop: &Stop) -> Out {
    LineWriter::new(Stoppable::new(io::stdout(), stop))
}

/// Writes a line to standard output and one to standard error, as far as their readers take them at
/// once.
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

impl<S: Reader> Write for Stoppable<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_part(&mut self.stream, bytes, &self.stop)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
