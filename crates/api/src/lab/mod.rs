//! Experiments: one file for each command.

mod list;
mod run;
mod stored;

pub use list::ListRequest;
pub use run::RunRequest;
pub use stored::{StoredReport, StoredRun, stored_file, stored_run, stored_runs};

use everymove_kernel::text::nearest;
use everymove_lab::{LabError, UnknownExperiment};

use crate::error::Error;

/// The names of all experiments together, small and in full.
const SERIES: [&str; 2] = ["quick", "all"];

impl From<LabError> for Error {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Stopped(stopped) => stopped.into(),
            LabError::OverBudget(over) => over.into(),
            error => Self::machine(error),
        }
    }
}

impl From<UnknownExperiment> for Error {
    fn from(error: UnknownExperiment) -> Self {
        let names = everymove_lab::experiments().iter().map(|e| e.name);
        // A series is nearer than an experiment only if no experiment is near: their names are
        // longer.
        let line = match (error.nearest, nearest(&error.name, SERIES)) {
            (Some(_), _) => error.to_string(),
            (None, Some(series)) => format!("{error}: did you mean {series}?"),
            (None, None) => {
                let names = names.collect::<Vec<_>>().join(", ");
                format!("{error}: expected quick, all, or one of {names}")
            }
        };
        Self::message(Some("name"), line)
    }
}
