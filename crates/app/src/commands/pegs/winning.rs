//! `everymove pegs winning`: a winning set into a file.

use everymove_api::Request;
use everymove_api::pegs::{WinningRequest, title};
use everymove_kernel::text::shown;

use super::input;
use crate::answer::{Outcome, Text, grouped, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs winning`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: WinningRequest,
}

pub(crate) fn run(mut args: Args, session: &Session) -> Result<Outcome, Failure> {
    let request = &mut args.request;
    let source = input::board(&mut request.problem.board.board, session)?;
    let plan = request.plan().map_err(|error| source.named(error))?;
    let answer = session.work(|run| WinningRequest::run(&plan, run))?;
    let (title, file) = (
        title(&answer.problem),
        shown(&request.out.display().to_string()),
    );
    let full = match answer.solvable {
        true => format!(
            "{title}: {} winning positions\nwrote {file} ({} bytes)\n",
            grouped(answer.winning),
            grouped(answer.bytes)
        ),
        false => format!("{title}: no solution\nwrote {file} (an empty set)\n"),
    };
    let bare = format!("{}\n", answer.winning);
    show::<WinningRequest>(&answer, &Text { bare, full }, session)
}
