//! Errors of the crate `everymove-cluster` as errors of a request.

use everymove_cluster::ClusterError;

use crate::error::Error;

impl From<ClusterError> for Error {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Stopped(stopped) => stopped.into(),
            ClusterError::File(error) => error.into(),
            ClusterError::OverBudget(over) => over.into(),
            error @ (ClusterError::Bind { .. }
            | ClusterError::NotReached { .. }
            | ClusterError::Incomplete { .. }
            | ClusterError::Lost { .. }
            | ClusterError::Ended { .. }) => Self::machine(error),
            error @ ClusterError::Secret => Self::input(Some("secret_file"), error),
            error @ ClusterError::NoJob { .. } => Self::input(Some("ids"), error),
            error => Self::input(None, error),
        }
    }
}
