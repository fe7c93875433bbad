//! `engine tune`: weights of the evaluation from own games.

use std::path::PathBuf;

use everymove_api::Request;
use everymove_api::chess::TuneRequest;
use everymove_kernel::files::Output;

use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::Session;

/// How much, and where from.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: TuneRequest,
    /// Where the new weights go
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.request.plan()?;
    // Tried before the games are played, which may take hours.
    let out = Output::prepare(&args.out)?;
    let answer = session.work(|run| TuneRequest::run(&plan, run))?;
    out.publish(|draft| draft.put(answer.file().as_bytes()))?;
    let results = answer.results;
    let full = format!(
        "{} positions of {} games (white +{} ={} -{})\nmean squared error on games not fitted: {:.6} -> {:.6}\nweights in {}\n",
        answer.positions,
        answer.games,
        results.white,
        results.draws,
        results.black,
        answer.error_before,
        answer.error_after,
        args.out.display()
    );
    let bare = format!("{:.6}\n", answer.error_after);
    show::<TuneRequest>(&answer, &Text { bare, full }, session)
}
