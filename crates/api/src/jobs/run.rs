//! `jobs run`: one job, or some.

use std::path::{Path, PathBuf};

use everymove_kernel::run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RESULTS;
use super::job::Chosen;
use super::question::{JobQuestion, JobWork, QuestionWords};
use super::results::Results;
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Source, Text};

/// Run jobs whose results are not there yet
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct RunRequest {
    /// The names of the jobs, in the order in which they are run; what several of them need is
    /// computed once.
    #[arg(required = true, value_name = "JOB", help = "The jobs")]
    ids: Vec<String>,
    /// The directory of the results, a file for each job [default: jobs]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The question.
    #[arg(skip)]
    question: JobQuestion,
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

    /// Runs the jobs of `ids` whose results are not in `folder` yet. All runs must have the same
    /// memory budget.
    ///
    /// # Errors
    /// If there is no such job, one that it needs is not finished, it fails, or its result cannot
    /// be stored.
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
    question: String,
    /// How many jobs were run.
    run: usize,
    /// How many results were there already.
    found: usize,
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

impl OnTerminal for RunRequest {
    type View = QuestionWords;

    fn complete(&mut self, words: &mut QuestionWords, _: &Run) -> Result<Source, Error> {
        self.question = words.read()?;
        Ok(Source::default())
    }

    fn show(_: &RunPlan, answer: &RunAnswer, _: &QuestionWords) -> Result<Shown, Error> {
        let found = match answer.found {
            0 => String::new(),
            found => format!(", found {found} finished"),
        };
        Ok(Shown::from(Text {
            bare: String::new(),
            full: format!("{}: ran {} jobs{found}\n", answer.question, answer.run),
        }))
    }

    fn advise(&self, error: Error) -> Error {
        error.advising_if_stopped("the same command runs the jobs that are not finished")
    }
}

impl Answer for RunAnswer {}
