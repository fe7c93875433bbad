//! What goes wrong: one line on standard error and an exit code.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use everymove_kernel::files::FileError;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The question or a file it names is wrong: exit code 2.
    Input(String),
    /// The machine could not: memory, disk, a stopped run: exit code 3.
    Resource(String),
    /// Nobody reads any more: a pipe was closed. Not worth a word.
    Unread,
    /// The text that was asked for instead of an answer: help, version.
    Help(String),
}

impl Failure {
    /// The question is wrong.
    pub(crate) fn input(error: impl Display) -> Self {
        Self::Input(error.to_string())
    }

    /// The machine could not.
    pub(crate) fn resource(error: impl Display) -> Self {
        Self::Resource(error.to_string())
    }

    /// Says it and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        let (line, code) = match self {
            Self::Input(line) => (line, 2),
            Self::Resource(line) => (line, 3),
            Self::Unread => return ExitCode::SUCCESS,
            Self::Help(text) => {
                let _ = io::stdout().write_all(text.as_bytes());
                return ExitCode::SUCCESS;
            }
        };
        // If even standard error is closed, the exit code still tells.
        let _ = writeln!(io::stderr(), "everymove: {}", line.replace('\n', " "));
        ExitCode::from(code)
    }
}

impl From<io::Error> for Failure {
    /// For standard output: files have their own errors.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Unread,
            _ => FileError::io("write to", "standard output", error).into(),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        match &error {
            FileError::Io { source, .. }
                if matches!(
                    source.kind(),
                    io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
                ) =>
            {
                Self::resource(error)
            }
            FileError::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => {
                Self::Unread
            }
            _ => Self::input(error),
        }
    }
}
