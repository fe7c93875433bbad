//! `jobs collect`: the answer of a question whose jobs are finished.

use std::collections::BTreeMap;
use std::path::PathBuf;

use everymove_kernel::run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RESULTS;
use super::question::{JobQuestion, JobWork, QuestionWords};
use super::results::Results;
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};
use crate::terminal::{OnTerminal, Shown, Source, Text};

/// The answer, once all results are there
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct CollectRequest {
    /// The directory of the results [default: jobs]
    #[arg(value_name = "DIR")]
    out: Option<PathBuf>,
    /// The question.
    #[arg(skip)]
    question: JobQuestion,
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
    question: String,
    /// How many jobs there are.
    jobs: usize,
    /// The jobs that are not finished.
    missing: Vec<String>,
    /// What the results come to, if all are there.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Collected>,
}

/// What the results come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Collected {
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

impl OnTerminal for CollectRequest {
    type View = QuestionWords;

    fn complete(&mut self, words: &mut QuestionWords, _: &Run) -> Result<Source, Error> {
        self.question = words.read()?;
        Ok(Source::default())
    }

    fn show(_: &CollectPlan, answer: &CollectAnswer, _: &QuestionWords) -> Result<Shown, Error> {
        let CollectAnswer {
            question,
            jobs,
            missing,
            result,
        } = answer;
        let in_lines = |names: &[String]| names.iter().map(|name| format!("{name}\n")).collect();
        let text = match result {
            None => Text {
                bare: in_lines(missing),
                full: format!(
                    "{question}: {} of {jobs} jobs are finished\nmissing: {}\n",
                    jobs - missing.len(),
                    missing.join(" ")
                ),
            },
            Some(Collected::Tours {
                count,
                directed,
                by_start,
            }) => {
                let direction = if *directed { ", directed" } else { "" };
                let mut full = format!("{count} tours: {question}{direction}, {jobs} jobs\n");
                for (square, count) in by_start.iter().flatten() {
                    full += &format!("{square} {count}\n");
                }
                Text {
                    bare: format!("{count}\n"),
                    full,
                }
            }
            Some(Collected::Tables { endings, directory }) => Text {
                bare: in_lines(endings),
                full: format!("{} tables are in {directory}\n", endings.len()),
            },
        };
        Ok(text.into())
    }
}

impl Answer for CollectAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.result.is_some())
    }
}
