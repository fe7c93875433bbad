//! `jobs list`: the jobs of a question.

use everymove_kernel::run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::question::{JobQuestion, JobWork};
use crate::error::Error;
use crate::request::{Answer, Request};

/// The jobs into which a question falls.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListRequest {
    /// Only the jobs of this stage, from 0: jobs need only jobs of lower stages. Default: all.
    #[serde(default)]
    pub stage: Option<usize>,
    /// The question.
    pub question: JobQuestion,
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
    pub question: String,
    /// The jobs, those that share work one after the other, the largest first, but after those that they need.
    pub jobs: Vec<JobSize>,
}

/// A job.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct JobSize {
    /// Its name.
    pub id: String,
    /// How large it is beside the others of the question.
    pub weight: u64,
    /// The jobs that must be finished before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// The number of its stage: jobs need only jobs of lower stages.
    pub stage: usize,
    /// The number of its group, from 0: the jobs of a group share work and follow one another.
    pub group: usize,
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

impl Answer for ListAnswer {}
