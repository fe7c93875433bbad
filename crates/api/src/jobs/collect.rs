//! `jobs collect`: the answer of a question whose jobs are finished.

use std::collections::BTreeMap;
use std::path::PathBuf;

use everymove_kernel::run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RESULTS;
use super::question::{JobQuestion, JobWork};
use super::results::Results;
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};

/// Puts the results of all jobs together.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CollectRequest {
    /// The directory of the results. Default: `jobs`.
    #[serde(default)]
    pub out: Option<PathBuf>,
    /// The question.
    pub question: JobQuestion,
}

/// The checked request.
pub struct CollectPlan {
    folder: PathBuf,
    work: Box<dyn JobWork>,
}

/// The answer, or the jobs that are missing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CollectAnswer {
    /// The question in words.
    pub question: String,
    /// How many jobs there are.
    pub jobs: usize,
    /// The jobs that are not finished.
    pub missing: Vec<String>,
    /// What the results come to, if all are there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Collected>,
}

/// What the results come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Collected {
    /// A count of tours.
    Tours {
        /// The number of tours, in decimal.
        count: String,
        /// Whether a tour and its reverse are counted as two.
        directed: bool,
        /// The directed open tours from each square, by its name, in decimal, if asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        by_start: Option<BTreeMap<String, String>>,
    },
    /// Endgame tables.
    Tables {
        /// The endings whose tables are there.
        endings: Vec<String>,
        /// The directory of the tables.
        directory: String,
    },
}

impl Request for CollectRequest {
    const COMMAND: &'static str = "jobs collect";
    type Plan = CollectPlan;
    type Answer = CollectAnswer;

    fn plan(&self) -> Result<CollectPlan, Error> {
        let folder = self.out.clone().unwrap_or_else(|| RESULTS.into());
        if !folder.is_dir() {
            let line = format!("{}: there is no such directory", folder.display());
            return Err(Error::message(Some("out"), line));
        }
        Ok(CollectPlan {
            folder,
            work: self.question.work()?,
        })
    }

    fn run(plan: &CollectPlan, run: &Run) -> Result<CollectAnswer, Error> {
        let list = plan.work.jobs(run)?;
        let results = Results::new(&plan.folder, &list)?;
        let mut missing = Vec::new();
        for job in list.jobs() {
            if results.get(&job.id)?.is_none() {
                missing.push(job.id.clone());
            }
        }
        let result = match missing.is_empty() {
            true => Some(plan.work.collected(&list, &results)?),
            false => None,
        };
        Ok(CollectAnswer {
            question: list.question().to_owned(),
            jobs: list.jobs().len(),
            missing,
            result,
        })
    }
}

impl Answer for CollectAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.result.is_some())
    }
}
