//! The questions that fall into jobs.

use clap::Parser;
use clap::error::ErrorKind;
use everymove_kernel::run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collect::Collected;
use super::job::{Chosen, JobList};
use super::results::Results;
use super::tables::Endings;
use super::tours::{ByClass, ByStart};
use crate::command::one_line;
use crate::error::Error;
use crate::tables::BuildRequest;
use crate::tours::CountRequest;

/// A question that falls into jobs: a command and its request.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Subcommand)]
#[serde(tag = "command", content = "request")]
pub enum JobQuestion {
    /// A count of tours: classes of a frontier, or the start squares if the tours of each are asked
    /// for or searched.
    #[serde(rename = "tours count")]
    #[command(name = "tours count")]
    ToursCount(CountRequest),
    /// The tables of an ending and those it needs, or of all endings of up to some number of
    /// pieces, each a job.
    #[serde(rename = "tables build")]
    #[command(name = "tables build")]
    TablesBuild(BuildRequest),
}

/// The words of a question on a terminal.
#[derive(Debug, clap::Args)]
pub struct QuestionWords {
    /// The question, such as tours count or tables build, with its options
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl QuestionWords {
    /// Reads the question.
    pub(super) fn read(&self) -> Result<JobQuestion, Error> {
        JobQuestion::from_words(&self.command)
    }
}

impl Default for JobQuestion {
    /// The question before its words are read.
    fn default() -> Self {
        Self::TablesBuild(BuildRequest::default())
    }
}

/// A question as a command line.
#[derive(clap::Parser)]
#[command(
    name = "everymove",
    disable_help_flag = true,
    disable_help_subcommand = true
)]
struct CommandLine {
    #[command(subcommand)]
    question: JobQuestion,
}

/// The work of a question in jobs, and how their results are put together.
pub(super) trait JobWork: Send + Sync {
    /// All jobs.
    ///
    /// # Errors
    /// If the work cannot be planned.
    fn jobs(&self, run: &Run) -> Result<JobList, Error>;

    /// Runs jobs until there are no more. What several of them need is computed once and kept for
    /// further calls, whose runs must have the same memory budget.
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
    /// Reads a question that is written as a command line, such as `tours count 6x8 --closed`, in
    /// words.
    ///
    /// # Errors
    /// If it is wrong, or the command does not fall into jobs.
    pub fn from_words(words: &[String]) -> Result<Self, Error> {
        // The two words of a command are one name here.
        let (command, arguments) = words.split_at(words.len().min(2));
        let command = command.join(" ");
        let words = ["everymove", &command].into_iter();
        let words = words.chain(arguments.iter().map(String::as_str));
        let is_about_run = |word: &String| {
            let name = word.split('=').next();
            matches!(name, Some("--threads" | "--ram" | "--json" | "--quiet"))
        };
        let line = CommandLine::try_parse_from(words).map_err(|error| {
            let line = match error.kind() {
                ErrorKind::InvalidSubcommand => format!(
                    "'{command}' does not fall into jobs: expected tours count or tables build"
                ),
                ErrorKind::UnknownArgument if arguments.iter().any(is_about_run) => {
                    "threads, memory and the form of the answer are no part of a question"
                        .to_owned()
                }
                _ => one_line(&error),
            };
            Error::message(Some("question"), line)
        })?;
        Ok(line.question)
    }

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
