//! A child process with line-based input and output, which cannot block, flood or outlive the
//! arena.
//!
//! A thread reads its output and stamps each line with its time of arrival, so that a busy arena
//! costs the engine no time. The queue has a bounded number of lines of bounded length; an engine
//! that writes more blocks in its own pipe. Writing never blocks. Dropping the process sends
//! `quit`, waits for [`Timeouts::quit`], and kills its process group.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use everymove_kernel::run::Stop;
use everymove_kernel::system::{Group, bound_to};

use super::{EngineLog, Fault, Timeouts};
use crate::engine_config::EngineConfig;

/// The largest number of received lines in the queue.
const QUEUE_LINES: usize = 4096;

/// Longer lines are cut, in bytes; no line that the protocols need is as long.
const MAX_LINE: u64 = 1 << 15;

/// How often the stop flag is checked during a wait.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The wait after `quit` when the match was stopped: a person waits for the program to end.
const QUIT_WHEN_STOPPED: Duration = Duration::from_millis(100);

/// A running engine.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: Group,
    input: Option<ChildStdin>,
    lines: Receiver<ReceivedLine>,
    stop: Stop,
    log: Option<NamedLog>,
    pub(super) timeouts: Timeouts,
    /// Whether it may get time to end by itself: not after a fault.
    responsive: bool,
}

/// A line that an engine wrote, with its time of arrival.
#[derive(Debug)]
pub(crate) struct ReceivedLine {
    /// Without surrounding white space; control characters are escaped.
    pub(crate) text: String,
    pub(crate) at: Instant,
}

/// Why no line was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReceiveError {
    /// The deadline has passed.
    Timeout,
    /// The engine closed its output.
    Closed,
    /// The match is being stopped.
    Stopped,
}

impl Process {
    /// Starts the program; the error is a message.
    pub(crate) fn start(
        config: &EngineConfig,
        processors: &[usize],
        timeouts: Timeouts,
        log: Option<&EngineLog>,
        stop: Stop,
    ) -> Result<Self, String> {
        let program = program(config)?;
        let mut command = Command::new(&program);
        command
            .args(&config.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(if log.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            });
        if let Some(directory) = &config.directory {
            command.current_dir(directory);
        }
        Group::prepare(&mut command);
        let spawned = match processors {
            [] => command.spawn(),
            _ => bound_to(processors, || command.spawn()),
        };
        let mut child = spawned.map_err(|e| {
            let reason = match (e.kind(), &config.directory) {
                (ErrorKind::NotFound, _) if program.is_file() => {
                    "the program that its first line names is missing".to_owned()
                }
                (ErrorKind::NotFound, None) => "there is no such program".to_owned(),
                (ErrorKind::NotFound, Some(directory)) => {
                    format!(
                        "there is no such program, nor one in {}",
                        directory.display()
                    )
                }
                (ErrorKind::PermissionDenied, _) => "permission denied".to_owned(),
                _ => e.to_string(),
            };
            format!("cannot start {}: {reason}", config.command)
        })?;
        let group = Group::of(&child);
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let log = log.map(|log| NamedLog {
            log: log.clone(),
            name: format!("{}[{}]", config.name, child.id()),
        });
        if let (Some(log), Some(errors)) = (log.clone(), child.stderr.take()) {
            let each = move |line: ReceivedLine| {
                log.line("!!", &line.text);
                true
            };
            // Without the thread only the log lacks these lines.
            let _ = thread::Builder::new().spawn(move || read_lines(errors, each));
        }
        let (sender, lines) = sync_channel(QUEUE_LINES);
        if let Some(output) = output {
            let builder = thread::Builder::new();
            let log = log.clone();
            let each = move |line: ReceivedLine| {
                log.iter().for_each(|log| log.line("->", &line.text));
                sender.send(line).is_ok()
            };
            if let Err(e) = builder.spawn(move || read_lines(output, each)) {
                group.kill(&mut child);
                let _ = child.wait();
                return Err(format!("cannot start a thread that reads its output: {e}"));
            }
        }
        if let Some(input) = &input {
            // If this fails a write may block, which only matters with engines that do not read.
            let _ = Group::set_nonblocking(input);
        }
        Ok(Self {
            child,
            group,
            input,
            lines,
            stop,
            log,
            timeouts,
            responsive: true,
        })
    }

    /// Writes a line.
    pub(crate) fn send(&mut self, line: &str) -> Result<(), Fault> {
        self.log.iter().for_each(|log| log.line("<-", line));
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
                    if begin.elapsed() > self.timeouts.response {
                        return Err(self.stalled("does not read its input"));
                    }
                    thread::sleep(Duration::from_millis(5));
                }
                Err(_) => return Err(self.crashed()),
            }
        }
        Ok(())
    }

    /// Returns the next line that arrived before `deadline`, however late this is called.
    pub(crate) fn receive(&mut self, deadline: Instant) -> Result<ReceivedLine, ReceiveError> {
        loop {
            if self.stop.is_raised() {
                return Err(ReceiveError::Stopped);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(STOP_CHECK_INTERVAL)) {
                // A flood of lines does not extend the deadline.
                Ok(line) if line.at > deadline => return Err(ReceiveError::Timeout),
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(ReceiveError::Closed),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(ReceiveError::Timeout);
                }
                Err(RecvTimeoutError::Timeout) => (),
            }
        }
    }

    /// Waits for a line for which `wanted` returns a value, and ignores all others. `what` is its
    /// name in the fault.
    pub(crate) fn wait_for<T>(
        &mut self,
        timeout: Duration,
        what: &str,
        mut wanted: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Fault> {
        let deadline = Instant::now() + timeout;
        loop {
            match self.receive(deadline) {
                Ok(line) => {
                    if let Some(found) = wanted(&line.text) {
                        return Ok(found);
                    }
                }
                Err(error) => {
                    let seconds = timeout.as_secs_f64();
                    return Err(self.fault(error, &format!("no {what} within {seconds} s")));
                }
            }
        }
    }

    /// The fault of an engine from which no line was received; `what` describes a timeout.
    pub(crate) fn fault(&mut self, error: ReceiveError, what: &str) -> Fault {
        match error {
            ReceiveError::Stopped => {
                self.responsive = false;
                Fault::Stopped
            }
            ReceiveError::Closed => self.crashed(),
            ReceiveError::Timeout => self.stalled(what),
        }
    }

    /// The engine has stopped answering: it is killed without `quit`.
    fn stalled(&mut self, what: &str) -> Fault {
        self.responsive = false;
        Fault::Stall(what.to_owned())
    }

    fn crashed(&mut self) -> Fault {
        self.responsive = false;
        Fault::Crash(self.exit_description())
    }

    /// How the process ended: `exit code 1`, `signal 11`.
    pub(crate) fn exit_description(&mut self) -> String {
        // Output is closed a moment before the exit status is available.
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

    fn ended_within(&mut self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
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
        if self.responsive {
            let _ = self.send("quit");
            drop(self.input.take());
            let limit = if self.stop.is_raised() {
                QUIT_WHEN_STOPPED
            } else {
                Duration::MAX
            };
            let _ = self.ended_within(self.timeouts.quit.min(limit));
        }
        // Also after a normal exit: child processes of it may still run.
        self.group.kill(&mut self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program to start: the one in the engine's directory if it is there, otherwise the one that
/// the command means to this process.
fn program(config: &EngineConfig) -> Result<PathBuf, String> {
    let command = PathBuf::from(&config.command);
    let Some(directory) = &config.directory else {
        return Ok(command);
    };
    if !directory.is_dir() {
        let (name, directory) = (&config.command, directory.display());
        return Err(format!(
            "cannot start {name}: there is no directory {directory}"
        ));
    }
    // The process starts in the directory, where paths relative to this process's mean something
    // else.
    let found = [directory.join(&command), command.clone()];
    let names_path = command.components().count() > 1;
    let found = found.into_iter().enumerate().find(|(i, path)| {
        // A bare name beside the directory is searched for by the system.
        (*i == 0 || names_path) && path.is_file()
    });
    match found {
        Some((_, path)) => std::path::absolute(path).map_err(|e| e.to_string()),
        None => Ok(command),
    }
}

/// The log of a process.
#[derive(Clone, Debug)]
struct NamedLog {
    log: EngineLog,
    name: String,
}

impl NamedLog {
    fn line(&self, direction: &str, text: &str) {
        self.log.line(&self.name, direction, text);
    }
}

/// Gives the lines to `each` until the output ends or `each` wants no more.
fn read_lines(output: impl Read, mut each: impl FnMut(ReceivedLine) -> bool) {
    let mut output = BufReader::with_capacity(1 << 16, output);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match (&mut output).take(MAX_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => (),
        }
        let at = Instant::now();
        if bytes.last() != Some(&b'\n') && bytes.len() as u64 == MAX_LINE {
            // The rest of a line that is too long is dropped.
            if skip_line(&mut output).is_err() {
                return;
            }
        }
        let text = escape_controls(String::from_utf8_lossy(&bytes).trim());
        if !each(ReceivedLine { text, at }) {
            return;
        }
    }
}

/// Escapes control characters (`\u{1b}`), so that an engine's output can be shown on a terminal. A
/// tab separates words and becomes a blank.
fn escape_controls(text: &str) -> String {
    if !text.contains(char::is_control) {
        return text.to_owned();
    }
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\t' => escaped.push(' '),
            c if c.is_control() => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    escaped
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
