//! Failures: one line on standard error, an exit code, and under `--json` an object on standard
//! output.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use everymove_api::error::ErrorAnswer;
use everymove_api::terminal::unwritten;
use everymove_api::{self as api, ErrorKind};
use everymove_kernel::files::FileError;
use everymove_kernel::run::Bytes;
use everymove_kernel::text::escaped;

use crate::output;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request or a file it names is wrong: exit code 2.
    Input(String),
    /// Memory, disk or time did not suffice, or the run was stopped: exit code 3.
    Resource(String),
    /// A request that failed; its kind gives the exit code.
    Request(api::Error),
    /// The reader of standard output closed it: exit code 0, nothing is written.
    Unread,
    /// The text that was asked for instead of an answer: help, version.
    Help(String),
}

impl Failure {
    /// A failure with exit code 2.
    pub(crate) fn input(error: impl Display) -> Self {
        Self::Input(error.to_string())
    }

    /// Writes the failure and returns the exit code.
    pub(crate) fn report(self, json: bool) -> ExitCode {
        let error = match self {
            Self::Input(line) => api::Error::message(None, line),
            Self::Resource(line) => api::Error::machine(line),
            Self::Request(error) => error,
            Self::Unread => return ExitCode::SUCCESS,
            Self::Help(text) => return help(&text),
        };
        let line = line(&error);
        let answer = ErrorAnswer::new(&error, line.clone());
        let object = json.then(|| serde_json::to_string(&answer).ok()).flatten();
        output::last_lines(object.as_deref(), &format!("everymove: {line}"));
        ExitCode::from(answer.exit_code)
    }
}

/// The line for people: the text of the error, with the option that helps.
fn line(error: &api::Error) -> String {
    // Whatever the text came from: it stays on its line and controls no terminal.
    let mut line = escaped(&error.to_string().replace('\n', " "));
    if let ErrorKind::Memory { need } = error.kind() {
        line += &format!(": give --ram {} or more", Bytes(need));
    }
    cut(line)
}

/// The most bytes of a line on standard error.
const LONGEST: usize = 2000;

/// A line of at most [`LONGEST`] bytes; what is cut is marked by `...`.
fn cut(mut line: String) -> String {
    if line.len() > LONGEST {
        line.truncate(line.floor_char_boundary(LONGEST - 3));
        line += "...";
    }
    line
}

/// Writes help or version text. Fails where standard output cannot be written, unless its reader
/// closed it.
fn help(text: &str) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => Failure::from(error).report(false),
    }
}

impl From<api::Error> for Failure {
    fn from(error: api::Error) -> Self {
        match error.kind() {
            ErrorKind::Closed => Self::Unread,
            _ => Self::Request(error),
        }
    }
}

impl From<io::Error> for Failure {
    /// For standard output: files have their own errors.
    fn from(error: io::Error) -> Self {
        unwritten(error).into()
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        api::Error::from(error).into()
    }
}
