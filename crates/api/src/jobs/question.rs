//! The questions that fall into jobs.

use everymove_cluster::{JobList, Results, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collect::Collected;
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

/// The questions that several processes answer together: those that fall into jobs, and those whose layers they share. A
/// command and its request.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "command", content = "request")]
pub enum ClusterQuestion {
    /// A count of tours, in jobs.
    #[serde(rename = "tours count")]
    ToursCount(CountRequest),
    /// Endgame tables, in jobs.
    #[serde(rename = "tables build")]
    TablesBuild(BuildRequest),
    /// The positions that can be reached; each process owns a part of every layer.
    #[serde(rename = "pegs count")]
    PegsCount(crate::pegs::CountRequest),
}

impl From<JobQuestion> for ClusterQuestion {
    fn from(question: JobQuestion) -> Self {
        match question {
            JobQuestion::ToursCount(request) => Self::ToursCount(request),
            JobQuestion::TablesBuild(request) => Self::TablesBuild(request),
        }
    }
}

/// The work of a question, and how its results are put together.
pub trait JobWork: Work<Error = Error> + Send {
    /// Puts the results of all jobs together, which are there.
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
    pub fn work(&self) -> Result<Box<dyn JobWork>, Error> {
        Ok(match self {
            Self::ToursCount(request) => match ByStart::new(request)? {
                Some(starts) => Box::new(starts),
                None => Box::new(ByClass::new(request)?),
            },
            Self::TablesBuild(request) => Box::new(Endings::new(request)?),
        })
    }
}
