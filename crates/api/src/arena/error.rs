//! Errors of the crate `everymove-arena` as errors of a request.

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
            error => Self::input(None, error),
        }
    }
}
