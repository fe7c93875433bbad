//! `lab list`: the experiments.

use everymove_kernel::run::Run;
use everymove_lab::{Size, experiments};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::request::{Answer, Request};

/// Which experiments there are.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct ListRequest {}

/// Nothing to check.
#[derive(Clone, Copy, Debug)]
pub struct ListPlan;

/// All experiments.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListAnswer {
    /// All experiments, in the order in which they are run.
    pub experiments: Vec<ExperimentEntry>,
}

/// An experiment in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExperimentEntry {
    /// Its name.
    pub name: &'static str,
    /// What it measures, in a line.
    pub about: &'static str,
    /// Seconds that it takes, about, at quick size on a machine with two cores.
    pub quick_seconds: u64,
    /// Seconds that it takes, about, at full size on a machine with two cores.
    pub full_seconds: u64,
}

impl Request for ListRequest {
    const COMMAND: &'static str = "lab list";
    const IS_SERVED: bool = true;
    type Plan = ListPlan;
    type Answer = ListAnswer;

    fn plan(&self) -> Result<ListPlan, Error> {
        Ok(ListPlan)
    }

    fn run(_: &ListPlan, _: &Run) -> Result<ListAnswer, Error> {
        let entry = |e: &everymove_lab::Experiment| ExperimentEntry {
            name: e.name,
            about: e.about,
            quick_seconds: e.duration(Size::Quick).as_secs(),
            full_seconds: e.duration(Size::Full).as_secs(),
        };
        Ok(ListAnswer {
            experiments: experiments().iter().map(entry).collect(),
        })
    }
}

impl Answer for ListAnswer {}
