//! Errors of the crate `everymove-tours` as errors of a request.

use everymove_tours::CountError;
use everymove_tours::columns::ColumnsError;
use everymove_tours::construct::FindError;
use everymove_tours::formats::ReadError;
use everymove_tours::frontier::FrontierError;
use everymove_tours::search::SearchError;
use everymove_tours::symmetric::SymmetricError;
use everymove_tours::theory::ExistenceError;

use crate::error::Error;

impl From<SearchError> for Error {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Stopped(stopped) => stopped.into(),
            SearchError::OverBudget(over) => over.into(),
            error => Self::input(None, error),
        }
    }
}

impl From<ExistenceError> for Error {
    fn from(error: ExistenceError) -> Self {
        match error {
            ExistenceError::Stopped(stopped) => stopped.into(),
            ExistenceError::OverBudget(over) => over.into(),
        }
    }
}

impl From<FrontierError> for Error {
    fn from(error: FrontierError) -> Self {
        match error {
            FrontierError::Stopped(stopped) => stopped.into(),
            FrontierError::OverBudget(over) => over.into(),
            FrontierError::File(error) => error.into(),
            error @ FrontierError::OverDisk { .. } => Self::machine(error),
            error => Self::input(None, error),
        }
    }
}

impl From<SymmetricError> for Error {
    fn from(error: SymmetricError) -> Self {
        match error {
            SymmetricError::Stopped(stopped) => stopped.into(),
            SymmetricError::Search(error) => error.into(),
            error => Self::input(None, error),
        }
    }
}

impl From<CountError> for Error {
    fn from(error: CountError) -> Self {
        match error {
            CountError::Stopped(stopped) => stopped.into(),
            CountError::OverBudget(over) => over.into(),
            CountError::Search(error) => error.into(),
            CountError::Frontier(error) => error.into(),
            CountError::Symmetric(error) => error.into(),
            CountError::Columns(error @ ColumnsError::Modulus(_)) => {
                Self::input(Some("modulus"), error)
            }
            CountError::Columns(error) => Self::input(Some("board"), error),
            error => Self::input(None, error),
        }
    }
}

impl From<FindError> for Error {
    fn from(error: FindError) -> Self {
        match error {
            FindError::Stopped(stopped) => stopped.into(),
            FindError::OverBudget(over) => over.into(),
            FindError::NoSquare { .. } => Self::input(None, error),
            error => Self::machine(error),
        }
    }
}

impl Error {
    /// The error of the file that the field `file` names and messages call `name`.
    pub(super) fn of_tours(name: &str, error: ReadError) -> Self {
        match error {
            ReadError::Stopped(stopped) => stopped.into(),
            ReadError::OverBudget(over) => over.into(),
            error => Self::message(Some("file"), format!("{name}: {error}")),
        }
    }
}
