//! Why a request has no answer.

use std::error::Error as StdError;
use std::io;

use everymove_engine::EngineError;
use everymove_kernel::files::FileError;
use everymove_kernel::input::InputError;
use everymove_kernel::run::{OverBudget, Ram, Stopped};
use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

/// Why a request has no answer. Its text is one line that says what is wrong and what is expected;
/// it names fields of the request, never the options of one interface.
#[derive(Debug, Error)]
#[error("{file}{source}{advice}")]
pub struct Error {
    kind: ErrorKind,
    field: Option<&'static str>,
    source: Box<dyn StdError + Send + Sync>,
    /// The file that is wrong, with what separates it from the reason.
    file: String,
    /// What the person can do about it, with what separates it from the reason.
    advice: String,
}

/// The kind of an error; an interface derives its exit code or status from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request, or a file that it names, is wrong: exit code 2.
    Input,
    /// The memory budget is too small: exit code 3.
    Memory {
        /// The budget that the work needs, in bytes.
        need: u64,
    },
    /// A disk is full, or the work failed for another reason of the machine: exit code 3.
    Machine,
    /// The run was stopped before the answer was complete: exit code 3.
    Stopped,
    /// Whoever read the output closed it: not an error for a person.
    Closed,
}

impl Error {
    /// A field of the request is wrong, for the reason `source`.
    pub fn input(
        field: Option<&'static str>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self {
            kind: ErrorKind::Input,
            field,
            source: source.into(),
            file: String::new(),
            advice: String::new(),
        }
    }

    /// The field `field` is wrong: for `map_err` on errors of libraries.
    pub fn field<E: StdError + Send + Sync + 'static>(
        field: &'static str,
    ) -> impl FnOnce(E) -> Self {
        move |source| Self::input(Some(field), source)
    }

    /// A field of the request is wrong, as the line says.
    pub fn message(field: Option<&'static str>, line: impl Into<String>) -> Self {
        Self::input(field, line.into())
    }

    /// The work failed for a reason that is not in the request.
    pub fn machine(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self {
            kind: ErrorKind::Machine,
            field: None,
            source: source.into(),
            file: String::new(),
            advice: String::new(),
        }
    }

    /// The same, with what the person can do about it.
    pub fn advising(self, advice: impl Into<String>) -> Self {
        let advice = format!(": {}", advice.into());
        Self { advice, ..self }
    }

    /// The same, of a text that is in a file of this name.
    pub(crate) fn in_file(self, name: &str) -> Self {
        let file = format!("{name}: ");
        Self { file, ..self }
    }

    /// The same, with what the person can do about a run that was stopped; of other errors nothing.
    pub(crate) fn advising_if_stopped(self, advice: &str) -> Self {
        match self.kind {
            ErrorKind::Stopped => self.advising(advice),
            _ => self,
        }
    }

    /// What it is, if it comes from an error of type `E`.
    pub fn downcast_ref<E: StdError + 'static>(&self) -> Option<&E> {
        self.source.downcast_ref()
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The field of the request that is wrong, where one is.
    pub fn wrong_field(&self) -> Option<&'static str> {
        self.field
    }
}

impl From<Stopped> for Error {
    fn from(source: Stopped) -> Self {
        Self {
            kind: ErrorKind::Stopped,
            field: None,
            source: source.into(),
            file: String::new(),
            advice: String::new(),
        }
    }
}

impl From<OverBudget> for Error {
    /// Names a thirty-second more than is known beside the program: what other parts of the work
    /// take varies a little.
    fn from(over: OverBudget) -> Self {
        let beside = over.need.saturating_sub(Ram::PROGRAM);
        let need = over.need.saturating_add(beside / 32);
        let source = OverBudget { need, ..over };
        Self {
            kind: ErrorKind::Memory { need },
            field: None,
            source: source.into(),
            file: String::new(),
            advice: String::new(),
        }
    }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::OverBudget(over) => over.into(),
            error => Self::machine(error),
        }
    }
}

impl From<FileError> for Error {
    fn from(source: FileError) -> Self {
        if let FileError::Io { source, .. } = &source
            && let Some(&stopped) = source.get_ref().and_then(|e| e.downcast_ref::<Stopped>())
        {
            return stopped.into();
        }
        let kind = match &source {
            FileError::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull
                | io::ErrorKind::QuotaExceeded
                | io::ErrorKind::FileTooLarge => ErrorKind::Machine,
                io::ErrorKind::BrokenPipe => ErrorKind::Closed,
                _ => ErrorKind::Input,
            },
            _ => ErrorKind::Input,
        };
        Self {
            kind,
            field: None,
            source: source.into(),
            file: String::new(),
            advice: String::new(),
        }
    }
}

impl From<InputError> for Error {
    fn from(source: InputError) -> Self {
        match source {
            InputError::OverBudget(error) => error.into(),
            InputError::Stopped(stopped) => stopped.into(),
            source => Self::input(None, source),
        }
    }
}

/// An error as programs read it, in place of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorAnswer {
    /// What is wrong and what is expected, in one line.
    pub error: String,
    /// `input`, `memory`, `machine` or `stopped`.
    pub kind: &'static str,
    /// The field of the request that is wrong, where one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'static str>,
    /// The memory budget that the work needs, in bytes, where that is the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub need_bytes: Option<u64>,
    /// The exit code of the program: 2 for a wrong input, 3 for everything else.
    pub exit_code: u8,
    /// The version of everymove.
    pub version: &'static str,
}

impl ErrorAnswer {
    /// The answer in place of `error`, with `line` as its text.
    pub fn new(error: &Error, line: String) -> Self {
        let (kind, exit_code, need_bytes) = match error.kind {
            ErrorKind::Input => ("input", 2, None),
            ErrorKind::Memory { need } => ("memory", 3, Some(need)),
            ErrorKind::Machine => ("machine", 3, None),
            ErrorKind::Stopped => ("stopped", 3, None),
            ErrorKind::Closed => ("closed", 0, None),
        };
        Self {
            error: line,
            kind,
            field: error.field,
            need_bytes,
            exit_code,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}
