//! `everymove pegs boards`: the boards that have names.

use everymove_api::pegs::BoardsRequest;

use super::picture::characters;
use crate::answer::{Outcome, Text, ask, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs boards`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: BoardsRequest,
    /// Draw each board
    #[arg(long)]
    draw: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(&args.request, session)?;
    let mut text = Text::default();
    for named in &answer.boards {
        text.full += &format!("{:<12}{}\n", named.name, named.about);
        if args.draw {
            let board = &named.board;
            text.full += &format!("\n{}\n", characters(board, board.full()));
        }
        text.bare += &format!("{}\n", named.name);
    }
    show::<BoardsRequest>(&answer, &text, session)
}
