//! One run of the program: what is done to it, and whether it kept the rules.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::values::Random;
use crate::resident::peak_kib as peak_resident_kib;

/// A child is interrupted after this long if nothing else was asked for.
const LONGEST: Duration = Duration::from_millis(2500);
/// Output beyond this is read and forgotten.
const KEPT: usize = 1 << 20;
/// Bytes of the longest line of a message.
const LONGEST_LINE: usize = 4096;
/// What the resident size may be above `--ram`: pages of the program that a system may count.
const SLACK_KIB: u64 = 8 << 10;

/// What is done to a child.
#[derive(Clone, Copy, Debug)]
pub(super) enum Treatment {
    /// Interrupted after a while.
    Signal { after: Duration, signal: Signal },
    /// Standard output is closed.
    Closed,
    /// Standard output is full.
    Full,
    /// Standard output is a pipe that nobody reads until the child is interrupted.
    Stalled,
    /// The largest size of a file, in blocks of 512 bytes.
    FileSize { blocks: usize },
    /// The limit of the address space, in KiB.
    Memory { kib: usize },
}

impl Treatment {
    pub(super) fn any(random: &mut Random) -> Self {
        match random.below(11) {
            0 => Self::Closed,
            1 => Self::Full,
            2 => Self::FileSize {
                blocks: random.below(64),
            },
            3 => Self::Memory {
                kib: (400 << 10) + random.below(2 << 20),
            },
            4 => Self::Stalled,
            n => Self::Signal {
                after: match n {
                    5 | 6 => Duration::from_millis(random.below(300) as u64),
                    _ => LONGEST,
                },
                signal: *random.pick(&[Signal::INT, Signal::TERM]),
            },
        }
    }
}

/// Standard input of a child.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Empty,
    /// A pipe to which nobody writes.
    Silent,
    File(PathBuf),
}

/// A child to be run.
pub(super) struct Child<'a> {
    pub(super) program: &'a Path,
    pub(super) folder: &'a Path,
    pub(super) words: Vec<OsString>,
    pub(super) input: Input,
    pub(super) treatment: Treatment,
    pub(super) patience: Duration,
}

/// How a child ended.
pub(super) struct Ended {
    status: ExitStatus,
    output: Vec<u8>,
    /// Whether all of the output was kept.
    is_whole: bool,
    errors: Vec<u8>,
    peak_kib: u64,
}

impl Child<'_> {
    /// Runs it. An error says which rule was broken on the way.
    pub(super) fn run(&self) -> Result<Ended, String> {
        let say = |e: std::io::Error| format!("cannot run it: {e}");
        let mut command = self.command();
        let silent = match &self.input {
            Input::Empty => {
                command.stdin(Stdio::null());
                false
            }
            Input::Silent => {
                command.stdin(Stdio::piped());
                true
            }
            Input::File(path) => {
                command.stdin(File::open(path).map_err(say)?);
                false
            }
        };
        command.stdout(match self.treatment {
            Treatment::Full => File::options()
                .write(true)
                .open("/dev/full")
                .map_err(say)?
                .into(),
            _ => Stdio::piped(),
        });
        let mut child = command
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(say)?;
        let pid = Pid::from_child(&child);
        let pipe = silent.then(|| child.stdin.take());
        let output = child
            .stdout
            .take()
            .filter(|_| !matches!(self.treatment, Treatment::Closed));
        let is_stalled = matches!(self.treatment, Treatment::Stalled);
        let (stalled, output) = match is_stalled {
            true => (output, None),
            false => (None, output),
        };
        let output = output.map(|pipe| thread::spawn(move || read(pipe)));
        let errors = child
            .stderr
            .take()
            .map(|pipe| thread::spawn(move || read(pipe)));

        let (after, signal) = match self.treatment {
            Treatment::Signal { after, signal } => (after, signal),
            _ => (LONGEST, Signal::TERM),
        };
        let start = Instant::now();
        let (mut signalled, mut peak_kib) = (None, 0);
        let status = loop {
            if let Some(status) = child.try_wait().map_err(say)? {
                break Ok(status);
            }
            peak_kib = peak_kib.max(peak_resident_kib(child.id()));
            match signalled {
                None if start.elapsed() >= after => {
                    let _ = kill_process(pid, signal);
                    signalled = Some(Instant::now());
                }
                Some(at) if at.elapsed() > self.patience => {
                    let status = std::fs::read_to_string(format!("/proc/{}/wchan", child.id()));
                    let _ = kill_process(pid, Signal::KILL);
                    let _ = child.wait();
                    let what = status.unwrap_or_default();
                    break Err(format!(
                        "deaf to {signal:?} for {} s ({what})",
                        self.patience.as_secs()
                    ));
                }
                _ => thread::sleep(Duration::from_millis(4)),
            }
        };
        // Programs that it started, if it left any.
        let _ = kill_process_group(pid, Signal::KILL);
        drop((pipe, stalled));
        let (output, is_whole) = joined(output);
        let (errors, _) = joined(errors);
        Ok(Ended {
            status: status?,
            output,
            is_whole,
            errors,
            peak_kib,
        })
    }

    fn command(&self) -> Command {
        let limits = match self.treatment {
            // A write beyond the limit then fails instead of ending the process.
            Treatment::FileSize { blocks } => format!("trap '' XFSZ; ulimit -f {blocks}; "),
            Treatment::Memory { kib } => format!("ulimit -v {kib}; "),
            _ => String::new(),
        };
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(limits + "exec \"$0\" \"$@\"")
            .arg(self.program);
        command.args(&self.words).current_dir(self.folder);
        command.env_remove("RUST_BACKTRACE");
        command
    }

    /// Says which rule a child broke, if any.
    pub(super) fn judge(&self, ended: &Ended) -> Result<(), String> {
        let errors = String::from_utf8_lossy(&ended.errors);
        let last = errors.lines().last().unwrap_or_default();
        if errors.contains("panicked at") || errors.contains("memory allocation of") {
            return Err(format!("panic or abort: {}", errors.trim()));
        }
        if let Some(signal) = ended.status.signal() {
            // Before it listens for interrupts, an interrupt ends it as any program.
            if let Treatment::Signal {
                after,
                signal: sent,
            } = self.treatment
                && sent.as_raw() == signal
                && after < LONGEST
            {
                return Ok(());
            }
            return Err(format!("ended by signal {signal}: {last}"));
        }
        let code = ended.status.code().unwrap_or(-1);
        if !(0..=3).contains(&code) {
            return Err(format!("exit code {code}: {last}"));
        }
        if let Some(long) = errors.lines().find(|line| line.len() > LONGEST_LINE) {
            return Err(format!("a message of {} bytes", long.len()));
        }
        if let Some(c) = errors.chars().find(|&c| c.is_control() && c != '\n') {
            return Err(format!("control character {c:?} in a message: {last:?}"));
        }
        if code >= 2 && !errors.lines().any(|line| line.starts_with("everymove: ")) {
            return Err(format!("exit code {code} without a reason: {last:?}"));
        }
        if let Some(budget) = self.budget_kib()
            && ended.peak_kib > budget + SLACK_KIB
        {
            return Err(format!(
                "{} MiB resident with a budget of {} MiB",
                ended.peak_kib >> 10,
                budget >> 10
            ));
        }
        let has = |word: &str| self.words.iter().any(|given| given == word);
        let talks = ["uci", "play", "completions", "man"]
            .iter()
            .any(|word| has(word));
        if has("--json") && !talks && code <= 1 && ended.is_whole && !is_json(&ended.output) {
            return Err("the output of --json is no JSON".into());
        }
        Ok(())
    }

    /// The last `--ram` if it is a plain number of M.
    fn budget_kib(&self) -> Option<u64> {
        let at = self.words.iter().rposition(|word| word == "--ram")?;
        let mib = self.words.get(at + 1)?.to_str()?.strip_suffix('M')?;
        Some(mib.parse::<u64>().ok()? << 10)
    }

    /// The command line as a shell reads it.
    pub(super) fn shown(&self) -> String {
        let mut line = format!(
            "{:?} in {}: everymove",
            self.treatment,
            self.folder.display()
        );
        for word in &self.words {
            let word = word.to_string_lossy();
            let word: String = word.chars().take(200).collect();
            let is_plain = !word.is_empty()
                && word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_./,=+".contains(c));
            line += &if is_plain {
                format!(" {word}")
            } else {
                format!(" {word:?}")
            };
        }
        match &self.input {
            Input::Empty => line,
            Input::Silent => line + " < a silent pipe",
            Input::File(path) => format!("{line} < {}", path.display()),
        }
    }
}

fn is_json(output: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(output) else {
        return false;
    };
    let reads = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    text.trim().is_empty() || reads(text) || text.lines().all(reads)
}

/// Everything from a pipe, its first part kept; true if that is all.
fn read(mut pipe: impl Read) -> (Vec<u8>, bool) {
    let (mut kept, mut is_whole) = (Vec::new(), true);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) | Err(_) => return (kept, is_whole),
            Ok(n) if kept.len() + n <= KEPT => kept.extend_from_slice(&buffer[..n]),
            Ok(_) => is_whole = false,
        }
    }
}

fn joined(reader: Option<thread::JoinHandle<(Vec<u8>, bool)>>) -> (Vec<u8>, bool) {
    reader
        .and_then(|reader| reader.join().ok())
        .unwrap_or((Vec::new(), false))
}
