//! `everymove tables stats`: counts, longest wins and mutual zugzwangs as text, or as pages.

use std::path::PathBuf;

use everymove_api::tables::{PagesRequest, StatsRequest};

use super::ask;
use super::counts::text as counts_text;
use crate::answer::{Outcome, Text, grouped, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tables stats`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: StatsRequest,
    /// Write a page for each ending and one that lists them into this directory; in place of an ending a directory of tables may be
    /// given
    #[arg(long, value_name = "DIR", conflicts_with_all = ["count", "metric"])]
    html: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let request = &args.request;
    match &args.html {
        None => counts(request, session),
        Some(out) => {
            let request = PagesRequest {
                material: request.material.clone(),
                tables: request.source.tables.clone(),
                number: request.number,
                out: out.clone(),
            };
            pages(&request, session)
        }
    }
}

fn pages(request: &PagesRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, "", session)?;
    let files = &answer.files;
    let text = Text {
        bare: files.iter().map(|file| format!("{file}\n")).collect(),
        full: files.iter().map(|file| format!("wrote {file}\n")).collect(),
    };
    show::<PagesRequest>(&answer, &text, session)
}

fn counts(request: &StatsRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, "", session)?;
    let mut lines = counts_text(&answer.stats, answer.metric);
    let mut list = |title: String, fens: &[String]| {
        lines += &format!("{title}\n");
        lines.extend(fens.iter().map(|fen| format!("  {fen}\n")));
    };
    list("longest wins:".to_owned(), &answer.longest_wins);
    list(
        format!(
            "mutual zugzwangs up to symmetry: {}",
            grouped(answer.mutual_zugzwangs)
        ),
        &answer.zugzwang_examples,
    );
    let text = Text {
        bare: lines.clone(),
        full: lines,
    };
    show::<StatsRequest>(&answer, &text, session)
}
