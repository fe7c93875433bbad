//! `everymove pegs draw`: boards, positions and games as pictures.

use everymove_pegs::parse_game;

use super::picture::{PictureArgs, characters};
use super::question::{BoardArgs, EndArgs};
use super::show;
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs draw`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    ends: EndArgs,
    /// Draw these moves from the start, such as "d2-d4 b3-d3"
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    #[command(flatten)]
    picture: PictureArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let drawn = args.board.drawn()?;
    let board = &drawn.board;
    // A board alone is drawn full; a game needs a hole to begin with.
    let start = match args.moves.is_some() || args.ends.has_start() {
        true => args.ends.plan(&drawn)?.start(),
        false => drawn.position.unwrap_or(board.full()),
    };
    let moves = args.moves.as_deref().unwrap_or_default();
    let jumps = parse_game(board, start, moves).map_err(Failure::input)?;
    let end = jumps
        .iter()
        .fold(start, |position, jump| jump.after(position));
    let text = match args.picture.plan()? {
        Some(picture) => {
            picture.game(board, start, &jumps)?;
            String::new()
        }
        None => characters(board, end),
    };
    Answer::new("pegs draw", Outcome::Yes)
        .field("board", show::board_name(board))
        .field("position", show::rows(board, end))
        .field("pegs", end.pegs())
        .bare(text.as_str())
        .text(text)
        .show(session)
}
