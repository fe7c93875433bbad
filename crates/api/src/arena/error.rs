//! Errors of the crate `everymove-arena` as errors of a request.

use std::path::PathBuf;

use everymove_arena::{ArenaError, LimitsError};

use crate::error::Error;

impl From<ArenaError> for Error {
    fn from(error: ArenaError) -> Self {
        match error {
            ArenaError::File(error) => error.into(),
            ArenaError::Thread(_) => Self::machine(error),
            ArenaError::Limits {
                source: LimitsError::None,
                ..
            } => Self::input(Some("tc"), error),
            ArenaError::OtherMatch(_) | ArenaError::OtherTuning => {
                Self::input(Some("checkpoint"), error)
            }
            ArenaError::Processors { .. } => Self::input(Some("affinity"), error),
            error => Self::input(None, error),
        }
    }
}

/// A match or another `work` was `stopped`; how it can be resumed.
pub(super) fn resumable(stopped: &'static str, work: &str, checkpoint: &Option<PathBuf>) -> Error {
    Error::machine(stopped).advising(match checkpoint {
        Some(folder) => format!("repeat the command to resume from {}", folder.display()),
        None => format!("with --checkpoint DIR {work} can be resumed"),
    })
}
