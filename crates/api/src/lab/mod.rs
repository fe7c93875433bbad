//! Experiments: one file for each command.

mod list;
mod run;

pub use list::{ExperimentEntry, ListAnswer, ListPlan, ListRequest};
pub use run::{CheckAnswer, ExperimentAnswer, RunAnswer, RunPlan, RunRequest};

use everymove_lab::{LabError, UnknownExperiment};

use crate::command::CommandSchema;
use crate::error::Error;

/// The schemas of all commands about experiments.
pub(crate) fn schemas() -> Vec<CommandSchema> {
    vec![
        CommandSchema::of::<ListRequest>(),
        CommandSchema::of::<RunRequest>(),
    ]
}

impl From<LabError> for Error {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Stopped(stopped) => stopped.into(),
            error => Self::machine(error),
        }
    }
}

impl From<UnknownExperiment> for Error {
    fn from(error: UnknownExperiment) -> Self {
        let names = everymove_lab::experiments().iter().map(|e| e.name);
        let line = match error.nearest {
            Some(_) => error.to_string(),
            None => {
                let names = names.collect::<Vec<_>>().join(", ");
                format!("{error}: expected quick, all, or one of {names}")
            }
        };
        Self::message(Some("name"), line)
    }
}
