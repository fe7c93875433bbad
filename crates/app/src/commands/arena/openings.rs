//! `everymove arena openings`: balanced openings generated from the rules alone.

use std::path::PathBuf;

use everymove_api::arena::OpeningsRequest;
use everymove_kernel::files::Output;

use crate::answer::{Outcome, Text, ask, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove arena openings`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: OpeningsRequest,
    /// Write them into this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let out = args.out.as_deref().map(Output::prepare).transpose()?;
    let answer = ask(&args.request, session)?;
    let lines = answer.openings.iter();
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let shown = match out {
        None => text,
        Some(out) => {
            let path = out.path().display().to_string();
            out.publish(|draft| draft.put(text.as_bytes()))?;
            format!("wrote {path} ({} openings)\n", answer.openings.len())
        }
    };
    let text = Text {
        bare: shown.clone(),
        full: shown,
    };
    show::<OpeningsRequest>(&answer, &text, session)
}
