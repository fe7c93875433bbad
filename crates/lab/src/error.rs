//! What can go wrong.

use everymove_engine::EngineError;
use everymove_kernel::run::{OverBudget, Stopped};
use thiserror::Error;

/// Why an experiment has no report.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabError {
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The memory budget is too small.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A part of the experiment failed.
    #[error("{part}: {reason}")]
    Part {
        /// Which.
        part: String,
        /// Its error.
        reason: String,
    },
}

impl From<EngineError> for LabError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::OverBudget(over) => over.into(),
            error => Self::part("engine", error),
        }
    }
}

impl LabError {
    /// The failure of a part of an experiment.
    pub(crate) fn part(part: impl Into<String>, reason: impl ToString) -> Self {
        Self::Part {
            part: part.into(),
            reason: reason.to_string(),
        }
    }

    /// The same failure with the name of the experiment before that of the part.
    pub(crate) fn within(self, experiment: &str) -> Self {
        match self {
            Self::Part { part, reason } => Self::Part {
                part: format!("{experiment}: {part}"),
                reason,
            },
            other => other,
        }
    }
}

/// A name that no experiment has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{name}' is not an experiment{}", suggestion(*nearest))]
pub struct UnknownExperiment {
    /// The name, fit for a message.
    pub name: String,
    /// The experiment that was most likely meant.
    pub nearest: Option<&'static str>,
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or(String::new(), |name| format!(": did you mean {name}?"))
}
