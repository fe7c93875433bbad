//! Errors of the crate `everymove-pegs` as errors of a request.

use everymove_pegs::PegError;

use crate::error::Error;

impl From<PegError> for Error {
    fn from(error: PegError) -> Self {
        match error {
            PegError::Stopped(stopped) => stopped.into(),
            PegError::OverBudget(over) => over.into(),
            PegError::File(file) => file.into(),
            error @ PegError::FewestMovesBySearch => Self::input(Some("method"), error),
            error @ PegError::OtherProblem { .. } => Self::input(Some("winning_set"), error),
            error @ PegError::Board(_) => Self::input(None, error),
            error => Self::machine(error),
        }
    }
}
