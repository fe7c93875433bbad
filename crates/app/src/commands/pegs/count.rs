//! `everymove pegs count`: positions, solutions and games.

use everymove_api::Request;
use everymove_api::pegs::{CountAnswer, CountRequest, title};

use super::input;
use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs count`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: CountRequest,
}

pub(crate) fn run(mut args: Args, session: &Session) -> Result<Outcome, Failure> {
    let request = &mut args.request;
    let source = input::board(&mut request.problem.board.board, session)?;
    let plan = request.plan().map_err(|error| source.named(error))?;
    let advice = match request.checkpoint {
        Some(_) => "the same command resumes from the checkpoint",
        None => "with --checkpoint DIR it could be resumed",
    };
    let answer = session
        .work(|run| CountRequest::run(&plan, run))
        .map_err(|error| Failure::from(error).advise_if_stopped(advice))?;
    show::<CountRequest>(&answer, &text(&answer), session)
}

fn text(answer: &CountAnswer) -> Text {
    let positions = &answer.positions;
    let mut full = format!(
        "{}\n{positions} positions up to symmetry\n",
        title(&answer.problem)
    );
    let mut bare = format!("{positions}\n");
    if let (Some(solutions), Some(winning)) = (&answer.solutions, &answer.winning) {
        full += &format!("{winning} of them can still be won\n{solutions} solutions\n");
        bare += &format!("{solutions}\n");
    }
    if let Some(proof) = &answer.proof {
        full += &format!("\n{}\n", proof.trim_end());
    }
    if let (Some(games), Some(odds)) = (&answer.games, answer.odds) {
        full += &format!("{games} games to a position without a jump\n");
        full += &match odds > 0.0 {
            true => format!(
                "1 game in {:.4e} wins if every jump is drawn at random\n",
                1.0 / odds
            ),
            false => "no game wins\n".to_owned(),
        };
        bare += &format!("{games}\n");
    }
    Text { bare, full }
}
