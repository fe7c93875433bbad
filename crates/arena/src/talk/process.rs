//! A child process that speaks in lines, and that cannot hang, flood or outlive the arena.
//!
//! A thread reads its output and stamps each line with the time at which it came, so that a busy arena does not cost
//! an engine time. The thread keeps a bounded number of bounded lines: an engine that writes without end waits in its
//! own pipe. Writing never waits. Dropping the process ends it: first politely, then its whole group is killed.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use everymove_kernel::run::Stop;

use super::{Fault, Patience, group};
use crate::program::Program;

/// Lines that wait to be looked at.
const WAITING: usize = 4096;

/// Longer lines are cut: no line of a protocol that matters is as long.
const LONGEST: u64 = 1 << 15;

/// How often a waiting arena looks at the stop flag.
const GLANCE: Duration = Duration::from_millis(100);

/// A running engine.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Heard>,
    stop: Stop,
    pub(super) patience: Patience,
    /// The word that asks it to end.
    farewell: &'static str,
    trusted: bool,
}

/// A line that an engine wrote, and when.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) line: String,
    pub(crate) at: Instant,
}

/// Why nothing was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    /// The time is over.
    Timeout,
    /// The engine closed its output.
    Closed,
    /// The match is being stopped.
    Stopped,
}

impl Process {
    /// Starts the program; the error says in words why it cannot be.
    pub(crate) fn start(program: &Program, patience: Patience, stop: Stop) -> Result<Self, String> {
        let mut command = Command::new(&program.command);
        command
            .args(&program.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some(folder) = &program.folder {
            command.current_dir(folder);
        }
        group::separate(&mut command);
        let mut child = command.spawn().map_err(|e| {
            let reason = match e.kind() {
                ErrorKind::NotFound => "there is no such program".to_owned(),
                ErrorKind::PermissionDenied => "it may not be run".to_owned(),
                _ => e.to_string(),
            };
            format!("cannot start {}: {reason}", program.command)
        })?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (sender, lines) = sync_channel(WAITING);
        if let Some(output) = output {
            thread::spawn(move || listen(output, &sender));
        }
        if let Some(input) = &input {
            // Without it a write may wait; the arena still works with engines that read.
            let _ = group::never_wait(input);
        }
        Ok(Self {
            child,
            input,
            lines,
            stop,
            patience,
            farewell: "quit",
            trusted: true,
        })
    }

    /// Writes a line.
    pub(crate) fn say(&mut self, line: &str) -> Result<(), Fault> {
        let mut text = line.to_owned();
        text.push('\n');
        let Some(input) = &mut self.input else {
            return Err(Fault::Crash("its input is closed".into()));
        };
        let mut rest = text.as_bytes();
        let begin = Instant::now();
        while !rest.is_empty() {
            match input.write(rest) {
                Ok(0) => return Err(self.crashed()),
                Ok(n) => rest = &rest[n..],
                Err(e) if e.kind() == ErrorKind::Interrupted => (),
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    if self.stop.is_raised() {
                        return Err(Fault::Stopped);
                    }
                    if begin.elapsed() > self.patience.answer {
                        return Err(self.stalled("does not read its input"));
                    }
                    thread::sleep(Duration::from_millis(5));
                }
                Err(_) => return Err(self.crashed()),
            }
        }
        Ok(())
    }

    /// The next line, until `deadline`. A line that came in time is heard even if the arena looks late.
    pub(crate) fn hear(&mut self, deadline: Instant) -> Result<Heard, Silence> {
        loop {
            if self.stop.is_raised() {
                return Err(Silence::Stopped);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(GLANCE)) {
                // A flood does not hold the arena beyond the deadline.
                Ok(heard) if heard.at > deadline => return Err(Silence::Timeout),
                Ok(heard) => return Ok(heard),
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Closed),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Silence::Timeout),
                Err(RecvTimeoutError::Timeout) => (),
            }
        }
    }

    /// Waits for a line that `wanted` turns into something; other lines are passed over.
    pub(crate) fn wait_for<T>(
        &mut self,
        patience: Duration,
        what: &str,
        mut wanted: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Fault> {
        let deadline = Instant::now() + patience;
        loop {
            match self.hear(deadline) {
                Ok(heard) => {
                    if let Some(found) = wanted(&heard.line) {
                        return Ok(found);
                    }
                }
                Err(silence) => {
                    let seconds = patience.as_secs_f64();
                    return Err(self.fault(silence, &format!("no {what} within {seconds} s")));
                }
            }
        }
    }

    /// The fault that a silence is.
    pub(crate) fn fault(&mut self, silence: Silence, what: &str) -> Fault {
        match silence {
            Silence::Stopped => {
                self.trusted = false;
                Fault::Stopped
            }
            Silence::Closed => self.crashed(),
            Silence::Timeout => self.stalled(what),
        }
    }

    /// The engine has stopped answering: it will get no time for its farewell.
    fn stalled(&mut self, what: &str) -> Fault {
        self.trusted = false;
        Fault::Stall(what.to_owned())
    }

    fn crashed(&mut self) -> Fault {
        self.trusted = false;
        Fault::Crash(self.epitaph())
    }

    /// How the process ended: `exit code 1`, `signal 11`.
    pub(crate) fn epitaph(&mut self) -> String {
        // Output closes a moment before the system knows the end.
        for _ in 0..20 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return match status.code() {
                    Some(code) => format!("exit code {code}"),
                    None => status.to_string(),
                };
            }
            thread::sleep(Duration::from_millis(10));
        }
        "it closed its output".into()
    }

    fn ended_within(&mut self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                Ok(None) => return false,
                _ => return true,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.trusted {
            let farewell = self.farewell;
            let _ = self.say(farewell);
            drop(self.input.take());
            let _ = self.ended_within(self.patience.quit);
        }
        // Even after a proper end: it may have left helpers behind.
        group::kill(&mut self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Passes the lines on until the output ends or nobody listens any more.
fn listen(output: ChildStdout, lines: &SyncSender<Heard>) {
    let mut output = BufReader::with_capacity(1 << 16, output);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match (&mut output).take(LONGEST).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => (),
        }
        let at = Instant::now();
        if bytes.last() != Some(&b'\n') && bytes.len() as u64 == LONGEST {
            // The rest of an endless line is not kept.
            if skip_line(&mut output).is_err() {
                return;
            }
        }
        let line = String::from_utf8_lossy(&bytes).trim().to_owned();
        if lines.send(Heard { line, at }).is_err() {
            return;
        }
    }
}

fn skip_line(output: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let bytes = output.fill_buf()?;
        if bytes.is_empty() {
            return Ok(());
        }
        match bytes.iter().position(|&b| b == b'\n') {
            Some(at) => {
                output.consume(at + 1);
                return Ok(());
            }
            None => {
                let n = bytes.len();
                output.consume(n);
            }
        }
    }
}
