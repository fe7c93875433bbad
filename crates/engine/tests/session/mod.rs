//! A UCI session with an input that can wait for results.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use everymove_engine::uci;
use everymove_kernel::run::{Ram, Run};

/// In a script: waits until every `go` before it has its `bestmove`.
pub(crate) const WAIT: &str = "#wait";

type Text = Arc<(Mutex<Vec<u8>>, Condvar)>;

struct Output(Text);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.lock().unwrap().extend_from_slice(bytes);
        self.0.1.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Script {
    lines: VecDeque<Vec<u8>>,
    /// `go` commands sent so far.
    searches: usize,
    output: Text,
}

fn best_moves(text: &[u8]) -> usize {
    let lines = text.split(|&b| b == b'\n');
    lines.filter(|line| line.starts_with(b"bestmove ")).count()
}

impl Read for Script {
    /// Returns one line a call.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.lines.front().is_some_and(|line| line == b"#wait\n") {
            self.lines.pop_front();
            let text = self.output.0.lock().unwrap();
            let missing = |text: &mut Vec<u8>| best_moves(text) < self.searches;
            let limit = Duration::from_secs(300);
            let (_text, waited) = self
                .output
                .1
                .wait_timeout_while(text, limit, missing)
                .unwrap();
            assert!(!waited.timed_out(), "a search without an end");
        }
        let Some(mut line) = self.lines.pop_front() else {
            return Ok(0);
        };
        self.searches += usize::from(line.starts_with(b"go"));
        if line.len() > buffer.len() {
            self.lines.push_front(line.split_off(buffer.len()));
        }
        buffer[..line.len()].copy_from_slice(&line);
        Ok(line.len())
    }
}

/// What the engine sends for an input, which ends at once unless it waits.
pub(crate) fn run_session(input: &[u8]) -> String {
    let output = Text::default();
    let script = Script {
        lines: input
            .split_inclusive(|&b| b == b'\n')
            .map(<[u8]>::to_vec)
            .collect(),
        searches: 0,
        output: Arc::clone(&output),
    };
    let run = Run::new(1, Ram::limited(256 << 20));
    uci::serve(BufReader::new(script), Output(Arc::clone(&output)), &run);
    let text = output.0.lock().unwrap().clone();
    String::from_utf8(text).expect("the engine sends UTF-8")
}
