//! `everymove pegs replay`: whether a game keeps the rules.

use everymove_api::Request;
use everymove_api::pegs::{ReplayAnswer, ReplayRequest, counted};

use super::picture::characters;
use super::{input, show};
use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs replay`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: ReplayRequest,
}

pub(crate) fn run(mut args: Args, session: &Session) -> Result<Outcome, Failure> {
    let source = input::game(&mut args.request.game.game, session)?;
    let answer = args
        .request
        .plan()
        .and_then(|plan| ReplayRequest::run(&plan, &session.run));
    let answer = answer.map_err(|error| source.named(error))?;
    show::<ReplayRequest>(&answer, &text(&answer), session)
}

fn text(answer: &ReplayAnswer) -> Text {
    if let Some(fault) = &answer.fault {
        return Text {
            bare: "invalid\n".to_owned(),
            full: format!("invalid: {fault}\n"),
        };
    }
    let board = answer.problem.board();
    let count = |n: Option<usize>, one, many| counted(n.unwrap_or_default() as u128, one, many);
    let left = match answer.last.as_deref() {
        Some([last]) => format!("the last peg is in {last}"),
        _ => format!("{} are left", show::pegs(answer.pegs.unwrap_or_default())),
    };
    let mut full = String::new();
    for &position in &answer.steps {
        full += &format!("{}\n", characters(board, position));
    }
    full += &format!(
        "valid: {}, {}, {left}\n",
        count(answer.moves, "move", "moves"),
        count(answer.jumps, "jump", "jumps")
    );
    Text {
        bare: "valid\n".to_owned(),
        full,
    }
}
