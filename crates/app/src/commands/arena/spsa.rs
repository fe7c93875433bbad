//! `everymove arena spsa`: options of an engine, tuned by games against itself.

use std::fmt::Write as _;
use std::path::PathBuf;

use everymove_api::Request;
use everymove_api::arena::{SpsaAnswer, SpsaRequest};
use everymove_kernel::files::{Disk, Storage};
use everymove_kernel::text::shown;

use crate::answer::{Outcome, Text};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove arena spsa`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: SpsaRequest,
    /// Keep every finished pair of games in this directory; the same command resumes from there
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.request.plan()?;
    let storage = args.checkpoint.as_deref().map(Disk::exclusive);
    let storage = storage.transpose()?;
    let storage = storage.as_ref().map(|disk| disk as &dyn Storage);
    let answer = session.work(|run| plan.tune(storage, run, &mut |_| ()))?;
    let bare = table(&answer);
    let text = Text {
        full: bare.clone(),
        bare,
    };
    let outcome = crate::answer::show::<SpsaRequest>(&answer, &text, session)?;
    if answer.complete {
        return Ok(outcome);
    }
    let advice = match &args.checkpoint {
        Some(directory) => format!("repeat the command to resume from {}", directory.display()),
        None => "with --checkpoint DIR a run can be resumed".to_owned(),
    };
    Err(Failure::Resource(format!(
        "stopped before all pairs were played: {advice}"
    )))
}

/// A line for each option: name, value at the start, value now.
fn table(answer: &SpsaAnswer) -> String {
    let width = answer.options.iter().map(|o| shown(&o.name).len()).max();
    let width = width.unwrap_or(0).max(6);
    let mut text = format!(
        "{:width$}  {:>10}  {:>10}   after {} pairs of games\n",
        "option", "start", "value", answer.pairs
    );
    for option in &answer.options {
        let name = shown(&option.name);
        let _ = writeln!(
            text,
            "{name:width$}  {:>10}  {:>10.1}",
            option.start, option.value
        );
    }
    text
}
