//! `engine perft`: leaves of the tree of legal moves.

use everymove_api::chess::PerftRequest;

use super::super::fen::FenArgs;
use crate::answer::{Outcome, Text, ask, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove engine perft`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: PerftRequest,
    #[command(flatten)]
    position: FenArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let request = PerftRequest {
        fen: args.position.text(),
        ..args.request.clone()
    };
    let answer = ask(&request, session)?;
    let moves = answer.moves.iter();
    let moves: String = moves.map(|(uci, n)| format!("{uci}: {n}\n")).collect();
    let text = Text {
        bare: format!("{}\n", answer.leaves),
        full: format!("{moves}\n{} leaves\n", answer.leaves),
    };
    show::<PerftRequest>(&answer, &text, session)
}
