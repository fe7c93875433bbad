//! What can go wrong with an input.

use std::io;

use thiserror::Error;

use crate::run::{Bytes, OverBudget, Stopped};

/// Why an input could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InputError {
    /// The system refused.
    #[error("cannot read {name}: {}", reason(source))]
    Io {
        /// How messages call the input: a path, for example.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The input is larger than what is read of it.
    #[error("{name} is larger than {}", Bytes(*limit))]
    TooLarge {
        /// How messages call the input.
        name: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// A line is longer than any of this format.
    #[error("{name}, line {line} is longer than {}", Bytes(*limit))]
    LongLine {
        /// How messages call the input.
        name: String,
        /// The number of the line, from 1.
        line: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A line is not UTF-8.
    #[error("{name}, line {line} is not text in UTF-8")]
    NotText {
        /// How messages call the input.
        name: String,
        /// The number of the line, from 1.
        line: u64,
    },
    /// A text begins with the byte order mark of UTF-16.
    #[error("{name} is text in UTF-16: expected UTF-8")]
    Utf16 {
        /// How messages call the input.
        name: String,
    },
    /// A text holds a byte 0, as only devices and binary files do.
    #[error("{name} is not text: byte {at} is 0")]
    ZeroByte {
        /// How messages call the input.
        name: String,
        /// The position of the byte, from 1.
        at: u64,
    },
    /// The text does not fit the budget.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl InputError {
    /// The error of an input called `name`: the one that [`Input`](super::Input) put into an
    /// [`io::Error`], or else what the system reported.
    pub fn from_io(name: &str, error: io::Error) -> Self {
        error.downcast().unwrap_or_else(|source| Self::Io {
            name: name.to_owned(),
            source,
        })
    }
}

impl From<InputError> for io::Error {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Io { source, .. } => source,
            other => Self::other(other),
        }
    }
}

/// The usual reasons in plain words, others in the system's.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => crate::files::plain(error),
    }
}
