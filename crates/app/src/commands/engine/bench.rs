//! `engine bench`: the signature of the search.

use everymove_api::chess::BenchRequest;

use crate::answer::{Outcome, Text, ask, show};
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn run(request: &BenchRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, session)?;
    let positions = answer.positions.iter();
    let positions: String = positions
        .map(|p| format!("{:>12}  {}\n", p.nodes, p.fen))
        .collect();
    let last = format!("{} nodes {} nps\n", answer.nodes, answer.nodes_per_second);
    let text = Text {
        full: positions + &last,
        bare: last,
    };
    show::<BenchRequest>(&answer, &text, session)
}
