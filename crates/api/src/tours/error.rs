//! Errors of the crate `everymove-tours` as errors of a request.

use everymove_tours::search::SearchError;

use crate::error::Error;

impl From<SearchError> for Error {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Stopped(stopped) => stopped.into(),
            error => Self::input(None, error),
        }
    }
}
