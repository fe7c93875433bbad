//! `lab list`: the experiments.

use everymove_kernel::run::Run;
use everymove_lab::{Size, experiments};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// The experiments
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct ListRequest {}

/// Nothing to check.
#[derive(Clone, Copy, Debug)]
pub struct ListPlan;

/// All experiments.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListAnswer {
    /// All experiments, in the order in which they are run.
    experiments: Vec<ExperimentEntry>,
}

/// An experiment in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct ExperimentEntry {
    /// Its name.
    name: &'static str,
    /// What it measures, in a line.
    about: &'static str,
    /// Seconds that it takes, about, at quick size on a machine with two cores.
    quick_seconds: u64,
    /// Seconds that it takes, about, at full size on a machine with two cores.
    full_seconds: u64,
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

impl OnTerminal for ListRequest {
    type View = ();

    fn show(_: &ListPlan, answer: &ListAnswer, (): &()) -> Result<Shown, Error> {
        let wide = answer.experiments.iter().map(|e| e.name.len()).max();
        let wide = wide.unwrap_or(0);
        let mut text = Text {
            bare: String::new(),
            full: format!("{:wide$}  {:>6}  {:>6}\n", "", "quick", "full"),
        };
        for e in &answer.experiments {
            let (quick, full) = (duration(e.quick_seconds), duration(e.full_seconds));
            text.bare += &format!("{}\n", e.name);
            text.full += &format!("{:wide$}  {quick:>6}  {full:>6}  {}\n", e.name, e.about);
        }
        Ok(text.into())
    }
}

fn duration(seconds: u64) -> String {
    match seconds {
        0..=99 => format!("{seconds} s"),
        _ => format!("{} min", seconds.div_ceil(60)),
    }
}

impl Answer for ListAnswer {}
