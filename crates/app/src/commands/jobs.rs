//! `everymove jobs`: a question in independent jobs, for a scheduler of the user's own.

use std::path::PathBuf;

use everymove_api::jobs::{
    CollectAnswer, CollectRequest, Collected, JobQuestion, ListRequest, RunRequest,
};

use crate::answer::{Outcome, Text, ask, show};
use crate::failure::Failure;
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Only the jobs of this stage, from 0: jobs need only jobs of lower stages
    #[arg(long, value_name = "N")]
    stage: Option<usize>,
    #[command(flatten)]
    question: Question,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The jobs
    #[arg(required = true, value_name = "JOB")]
    ids: Vec<String>,
    /// The directory of the results, a file for each job [default: jobs]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    question: Question,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CollectArgs {
    /// The directory of the results [default: jobs]
    #[arg(value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    question: Question,
}

/// The question, as a command line of its own.
#[derive(Debug, clap::Args)]
pub(crate) struct Question {
    /// The question, such as tours count or tables build, with its options
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl Question {
    fn read(&self) -> Result<JobQuestion, Failure> {
        Ok(JobQuestion::from_words(&self.command)?)
    }
}

pub(super) fn list(args: &ListArgs, session: &Session) -> Result<Outcome, Failure> {
    let request = ListRequest {
        stage: args.stage,
        question: args.question.read()?,
    };
    let answer = ask(&request, session)?;
    let mut text = Text::default();
    for job in &answer.jobs {
        text.bare += &format!("{}\n", job.id);
        text.full += &format!("{}  weight {}", job.id, job.weight);
        if !job.after.is_empty() {
            text.full += &format!("  stage {}, after {}", job.stage, job.after.join(" "));
        }
        text.full.push('\n');
    }
    show::<ListRequest>(&answer, &text, session)
}

pub(super) fn run_jobs(args: RunArgs, session: &Session) -> Result<Outcome, Failure> {
    let request = RunRequest {
        ids: args.ids,
        out: args.out,
        question: args.question.read()?,
    };
    let advice = "the same command runs the jobs that are not finished";
    let answer = ask(&request, session).map_err(|failure| failure.advise_if_stopped(advice))?;
    let found = match answer.found {
        0 => String::new(),
        found => format!(", found {found} finished"),
    };
    let text = Text {
        bare: String::new(),
        full: format!("{}: ran {} jobs{found}\n", answer.question, answer.run),
    };
    show::<RunRequest>(&answer, &text, session)
}

pub(super) fn collect(args: CollectArgs, session: &Session) -> Result<Outcome, Failure> {
    let request = CollectRequest {
        out: args.out,
        question: args.question.read()?,
    };
    let answer = ask(&request, session)?;
    show::<CollectRequest>(&answer, &collected(&answer), session)
}

/// What the results come to as text.
fn collected(answer: &CollectAnswer) -> Text {
    let Some(result) = &answer.result else {
        return Text {
            bare: answer.missing.iter().map(|id| format!("{id}\n")).collect(),
            full: format!(
                "{}: {} of {} jobs are finished\nmissing: {}\n",
                answer.question,
                answer.jobs - answer.missing.len(),
                answer.jobs,
                answer.missing.join(" ")
            ),
        };
    };
    let jobs = answer.jobs;
    match result {
        Collected::Tours {
            count,
            directed,
            by_start,
        } => {
            let direction = if *directed { ", directed" } else { "" };
            let mut full = format!(
                "{count} tours: {}{direction}, {jobs} jobs\n",
                answer.question
            );
            for (square, count) in by_start.iter().flatten() {
                full += &format!("{square} {count}\n");
            }
            Text {
                bare: format!("{count}\n"),
                full,
            }
        }
        Collected::Tables { endings, directory } => Text {
            bare: endings.iter().map(|ending| format!("{ending}\n")).collect(),
            full: format!("{} tables are in {directory}\n", endings.len()),
        },
    }
}
