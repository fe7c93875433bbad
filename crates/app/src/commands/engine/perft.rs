//! `engine perft`: leaves of the tree of legal moves.

use everymove_api::chess::PerftRequest;

use crate::answer::{Outcome, Text, ask, show};
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn run(request: &PerftRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, session)?;
    let moves = answer.moves.iter();
    let moves: String = moves.map(|(uci, n)| format!("{uci}: {n}\n")).collect();
    let text = Text {
        bare: format!("{}\n", answer.leaves),
        full: format!("{moves}\n{} leaves\n", answer.leaves),
    };
    show::<PerftRequest>(&answer, &text, session)
}
