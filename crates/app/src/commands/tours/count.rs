//! `everymove tours count`: how many tours there are.

use everymove_api::tours::{CountAnswer, CountRequest};
use everymove_draw::terminal;

use super::show;
use crate::answer::{self, Outcome, Text, ask};
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn run(request: &CountRequest, session: &Session) -> Result<Outcome, Failure> {
    let advice = match request.checkpoint {
        Some(_) => "the same command resumes from the checkpoint",
        None => "with --checkpoint DIR a long count can be resumed",
    };
    let answer = ask(request, session).map_err(|failure| failure.advise_if_stopped(advice))?;
    answer::show::<CountRequest>(&answer, &text(&answer), session)
}

fn text(answer: &CountAnswer) -> Text {
    let question = &answer.question;
    let direction = match (&answer.start, answer.directed) {
        (Some(start), _) => format!(" from {start}"),
        (None, true) => ", directed".to_owned(),
        (None, false) => String::new(),
    };
    let board = show::board_words(&question.board);
    let mut full = format!(
        "{} {} tours of the {board}{direction}\n",
        answer.count, question.kind
    );
    if let Some(reason) = &answer.reason {
        full += &format!("{reason}\n");
    }
    if let Some(classes) = &answer.classes {
        full += &format!("{classes} classes under the symmetries of the board");
        if let Some(by) = &answer.by_symmetry {
            full += &format!(
                ": {} asymmetric, {} of binary and {} of quaternary symmetry",
                by.asymmetric, by.binary, by.quaternary
            );
        }
        full.push('\n');
    }
    if let Some(by_start) = &answer.by_start {
        let grid = question.board.grid();
        let cell = |square| by_start.get(&grid.name(square)).cloned();
        let boxes = terminal::boxed(grid, cell);
        full += &format!("directed, from each square:\n{boxes}");
    }
    Text {
        bare: format!("{}\n", answer.count),
        full,
    }
}
