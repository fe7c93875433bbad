//! `everymove pegs review`: where a game was lost.

use everymove_api::Request;
use everymove_api::pegs::{ReviewAnswer, ReviewRequest, ReviewedJump, title};

use super::input;
use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs review`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: ReviewRequest,
}

pub(crate) fn run(mut args: Args, session: &Session) -> Result<Outcome, Failure> {
    let source = input::game(&mut args.request.game.game, session)?;
    let plan = args.request.plan().map_err(|error| source.named(error))?;
    let answer = session.work(|run| ReviewRequest::run(&plan, run))?;
    let mut full = format!("{}\n", title(&answer.problem));
    for (i, jump) in answer.jumps.iter().enumerate() {
        full += &line(i + 1, jump);
    }
    full += &conclusion(&answer);
    let bare = match answer.lost_at {
        Some(at) => format!("{at}\n"),
        None => "not lost\n".to_owned(),
    };
    show::<ReviewRequest>(&answer, &Text { bare, full }, session)
}

fn line(number: usize, jump: &ReviewedJump) -> String {
    let judgement = match (jump.winnable_before, jump.winnable_after) {
        (true, true) => {
            let share = jump.share.map_or(String::new(), |share| {
                format!(", {:.1}% of the solutions", 100.0 * share)
            });
            format!("{} of {} jumps win{share}", jump.safe.len(), jump.choices)
        }
        (true, false) => format!("loses; these win: {}", jump.safe.join(" ")),
        (false, _) => "lost already".to_owned(),
    };
    format!("{number:>3}. {:<8} {judgement}\n", jump.jump)
}

fn conclusion(answer: &ReviewAnswer) -> String {
    match (answer.solved, answer.lost_at, answer.winnable) {
        (true, ..) => "solved\n".to_owned(),
        (_, Some(at), _) => format!("lost by jump {at}, {}\n", answer.jumps[at - 1].jump),
        (_, None, true) => format!("can still be won: {}\n", answer.next.join(" ")),
        (_, None, false) => "lost from the start\n".to_owned(),
    }
}
