//! `everymove pegs puzzle`: positions with a point.

use everymove_api::Request;
use everymove_api::pegs::{PuzzleAnswer, PuzzleRequest, title};

use super::input;
use super::picture::characters;
use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs puzzle`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: PuzzleRequest,
}

pub(crate) fn run(mut args: Args, session: &Session) -> Result<Outcome, Failure> {
    let request = &mut args.request;
    let source = input::board(&mut request.problem.board.board, session)?;
    let plan = request.plan().map_err(|error| source.named(error))?;
    let answer = session.work(|run| PuzzleRequest::run(&plan, run))?;
    show::<PuzzleRequest>(&answer, &text(&answer), session)
}

fn text(answer: &PuzzleAnswer) -> Text {
    let board = answer.problem.board();
    let mut full = String::new();
    for (i, (&position, rows)) in answer.chosen.iter().zip(&answer.puzzles).enumerate() {
        full += &format!("{}\n{rows}\n", characters(board, position));
        if let Some(solutions) = &answer.solutions {
            full += &format!("{}\n", solutions[i]);
        }
        full.push('\n');
    }
    let (title, kind) = (title(&answer.problem), answer.kind.name());
    full += &match answer.total {
        0 => format!("{title}: no puzzles of kind {kind}\n"),
        n => format!("{title}: {n} puzzles of kind {kind}, up to symmetry; by pegs:\n"),
    };
    let counts = answer.by_pegs.iter();
    let words: Vec<String> = counts
        .map(|(pegs, count)| format!("{pegs}: {count}"))
        .collect();
    for line in words.chunks(8) {
        full += &format!("{}\n", line.join("  "));
    }
    let bare = match &answer.puzzles[..] {
        [] => "none\n".to_owned(),
        rows => rows.iter().map(|row| format!("{row}\n")).collect(),
    };
    Text { bare, full }
}
