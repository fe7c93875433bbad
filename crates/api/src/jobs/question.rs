//! The questions that fall into jobs.

use everymove_kernel::run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collect::Collected;
use super::job::{Chosen, JobList};
use super::results::Results;
use super::tables::Endings;
use super::tours::{ByClass, ByStart};
use crate::error::Error;
use crate::tables::BuildRequest;
use crate::tours::CountRequest;

/// A question that falls into jobs: a command and its request.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "command", content = "request")]
pub enum JobQuestion {
    /// A count of tours: classes of a frontier, or the start squares if the tours of each are asked for or searched.
    #[serde(rename = "tours count")]
    ToursCount(CountRequest),
    /// The tables of an ending and those it needs, or of all endings of up to some number of pieces, each a job.
    #[serde(rename = "tables build")]
    TablesBuild(BuildRequest),
}

/// The work of a question in jobs, and how their results are put together.
pub(super) trait JobWork: Send + Sync {
    /// All jobs.
    ///
    /// # Errors
    /// If the work cannot be planned.
    fn jobs(&self, run: &Run) -> Result<JobList, Error>;

    /// Runs jobs until there are no more. What several of them need is computed once.
    ///
    /// # Errors
    /// If a job fails, or its result cannot be stored.
    fn work(&self, run: &Run, jobs: &mut Chosen<'_>) -> Result<(), Error>;

    /// Puts the results of all jobs together, which are there, after [`jobs`](Self::jobs).
    ///
    /// # Errors
    /// If a result cannot be read or contradicts the others.
    fn collected(&self, list: &JobList, results: &Results) -> Result<Collected, Error>;
}

impl JobQuestion {
    /// The work of the question, checked.
    ///
    /// # Errors
    /// As the plan of its request, or if it does not fall into jobs.
    pub(super) fn work(&self) -> Result<Box<dyn JobWork>, Error> {
        Ok(match self {
            Self::ToursCount(request) => match ByStart::new(request)? {
                Some(starts) => Box::new(starts),
                None => Box::new(ByClass::new(request)?),
            },
            Self::TablesBuild(request) => Box::new(Endings::new(request)?),
        })
    }
}
