//! `jobs run`: one job, or some.

use std::path::{Path, PathBuf};

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
    runner: JobRunner,
}

/// Runs jobs of a question in several calls; what several of them need is computed once and kept.
pub struct JobRunner(Box<dyn JobWork>);

impl JobRunner {
    /// No job is run yet.
    ///
    /// # Errors
    /// If the question is wrong or does not fall into jobs.
    pub fn new(question: &JobQuestion) -> Result<Self, Error> {
        Ok(Self(question.work()?))
    }

    /// Runs the jobs of `ids` whose results are not in `folder` yet. All runs must have the same memory budget.
    ///
    /// # Errors
    /// If there is no such job, one that it needs is not finished, it fails, or its result cannot be stored.
    pub fn run(&self, ids: &[String], folder: &Path, run: &Run) -> Result<RunAnswer, Error> {
        let list = self.0.jobs(run)?;
        for id in ids {
            list.job(id)?;
        }
        let results = Results::new(folder, &list)?;
        let mut chosen = Chosen::new(&list, ids, &results, run.stop.clone())?;
        self.0.work(run, &mut chosen)?;
        Ok(RunAnswer {
            question: list.question().to_owned(),
            run: ids.len() - chosen.found,
            found: chosen.found,
        })
    }
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
            runner: JobRunner::new(&self.question)?,
        })
    }

    fn run(plan: &RunPlan, run: &Run) -> Result<RunAnswer, Error> {
        plan.runner.run(&plan.ids, &plan.folder, run)
    }
}

impl Answer for RunAnswer {}
