//! Why jobs were not run.

use everymove_kernel::files::FileError;
use everymove_kernel::run::Stopped;
use thiserror::Error;

/// Why jobs were not run.
#[derive(Debug, Error)]
pub(super) enum JobError {
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A result cannot be written or read, or is damaged.
    #[error(transparent)]
    File(#[from] FileError),
    /// The folder has results of another question.
    #[error(
        "{path} is a result of another question: it is of {found}, asked for is {asked}; name another folder"
    )]
    OtherQuestion {
        /// The file.
        path: String,
        /// What it is of.
        found: String,
        /// What is asked for.
        asked: String,
    },
    /// There is no such job.
    #[error("there is no job {id}: expected one of the {count} jobs of {question}")]
    NoJob {
        /// The name that was given.
        id: String,
        /// How many jobs there are.
        count: usize,
        /// What they are of.
        question: String,
    },
    /// A job needs others that are not finished.
    #[error("job {id} comes after job {missing}, which is not finished")]
    TooEarly {
        /// The job.
        id: String,
        /// The first that it needs.
        missing: String,
    },
}

impl From<JobError> for crate::error::Error {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Stopped(stopped) => stopped.into(),
            JobError::File(error) => error.into(),
            error @ JobError::NoJob { .. } => Self::input(Some("ids"), error),
            error => Self::input(None, error),
        }
    }
}
