//! `jobs list`: the jobs of a question.

use everymove_kernel::run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::question::{JobQuestion, JobWork, QuestionWords};
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Source, Text};

/// The jobs into which a question falls: those that share work in a row, each after those that it
/// needs
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct ListRequest {
    /// Only the jobs of this stage, from 0: jobs need only jobs of lower stages
    #[arg(long, value_name = "N")]
    stage: Option<usize>,
    /// The question.
    #[arg(skip)]
    question: JobQuestion,
}

/// The checked request.
pub struct ListPlan {
    stage: Option<usize>,
    work: Box<dyn JobWork>,
}

/// The jobs into which a question falls.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListAnswer {
    /// The question in words.
    question: String,
    /// The jobs, those that share work one after the other, the largest first, but after those
    /// that they need.
    jobs: Vec<JobSize>,
}

/// A job.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct JobSize {
    /// Its name.
    id: String,
    /// How large it is beside the others of the question.
    weight: u64,
    /// The jobs that must be finished before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
    /// The number of its stage: jobs need only jobs of lower stages.
    stage: usize,
    /// The number of its group, from 0: the jobs of a group share work and follow one another.
    group: usize,
}

impl Request for ListRequest {
    const COMMAND: &'static str = "jobs list";
    type Plan = ListPlan;
    type Answer = ListAnswer;

    fn plan(&self) -> Result<ListPlan, Error> {
        Ok(ListPlan {
            stage: self.stage,
            work: self.question.work()?,
        })
    }

    fn run(plan: &ListPlan, run: &Run) -> Result<ListAnswer, Error> {
        let list = plan.work.jobs(run)?;
        let mut jobs: Vec<JobSize> = Vec::new();
        for job in list.jobs() {
            // Jobs come after those that they need.
            let needs = jobs.iter().filter(|before| job.after.contains(&before.id));
            let stage = needs.map(|before| before.stage + 1).max().unwrap_or(0);
            let before = jobs.len().checked_sub(1).map(|i| &list.jobs()[i]);
            // Jobs without a path share nothing.
            let is_alone = job.path.is_empty() || before.is_none_or(|b| b.path != job.path);
            let group = jobs
                .last()
                .map_or(0, |last| last.group + usize::from(is_alone));
            jobs.push(JobSize {
                id: job.id.clone(),
                weight: job.weight,
                after: job.after.clone(),
                stage,
                group,
            });
        }
        jobs.retain(|job| plan.stage.is_none_or(|stage| stage == job.stage));
        Ok(ListAnswer {
            question: list.question().to_owned(),
            jobs,
        })
    }
}

impl OnTerminal for ListRequest {
    type View = QuestionWords;

    fn complete(&mut self, words: &mut QuestionWords, _: &Run) -> Result<Source, Error> {
        self.question = words.read()?;
        Ok(Source::default())
    }

    fn show(_: &ListPlan, answer: &ListAnswer, _: &QuestionWords) -> Result<Shown, Error> {
        let mut text = Text::default();
        for JobSize {
            id,
            weight,
            after,
            stage,
            ..
        } in &answer.jobs
        {
            text.bare += &format!("{id}\n");
            text.full += &format!("{id}  weight {weight}");
            if !after.is_empty() {
                text.full += &format!("  stage {stage}, after {}", after.join(" "));
            }
            text.full.push('\n');
        }
        Ok(text.into())
    }
}

impl Answer for ListAnswer {}
