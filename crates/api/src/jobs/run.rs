//! `jobs run`: one job, or some.

use std::path::PathBuf;

use everymove_kernel::run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RESULTS;
use super::job::Chosen;
use super::question::{JobQuestion, JobWork};
use super::results::Results;
use crate::error::Error;
use crate::request::{Answer, Request};

/// Runs jobs whose results are not there yet.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunRequest {
    /// The names of the jobs, in the order in which they are run; what several of them need is computed once.
    pub ids: Vec<String>,
    /// The directory of the results, a file for each job. Default: `jobs`.
    #[serde(default)]
    pub out: Option<PathBuf>,
    /// The question.
    pub question: JobQuestion,
}

/// The checked request.
pub struct RunPlan {
    ids: Vec<String>,
    folder: PathBuf,
    work: Box<dyn JobWork>,
}

/// What was run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunAnswer {
    /// The question in words.
    pub question: String,
    /// How many jobs were run.
    pub run: usize,
    /// How many results were there already.
    pub found: usize,
}

impl Request for RunRequest {
    const COMMAND: &'static str = "jobs run";
    type Plan = RunPlan;
    type Answer = RunAnswer;

    fn plan(&self) -> Result<RunPlan, Error> {
        Ok(RunPlan {
            ids: self.ids.clone(),
            folder: self.out.clone().unwrap_or_else(|| RESULTS.into()),
            work: self.question.work()?,
        })
    }

    fn run(plan: &RunPlan, run: &Run) -> Result<RunAnswer, Error> {
        let list = plan.work.jobs(run)?;
        for id in &plan.ids {
            list.job(id)?;
        }
        let results = Results::new(&plan.folder, &list)?;
        let mut chosen = Chosen::new(&list, &plan.ids, &results, run.stop.clone())?;
        plan.work.work(run, &mut chosen)?;
        Ok(RunAnswer {
            question: list.question().to_owned(),
            run: plan.ids.len() - chosen.found,
            found: chosen.found,
        })
    }
}

impl Answer for RunAnswer {}
