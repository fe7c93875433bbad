//! Errors of the crate `everymove-tables` as errors of a request.

use everymove_tables::TableError;

use crate::error::Error;

impl From<TableError> for Error {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Stopped(stopped) => stopped.into(),
            TableError::OverBudget(error) => error.into(),
            TableError::File(error) => error.into(),
            error => Self::input(None, error),
        }
    }
}
