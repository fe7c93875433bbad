//! `everymove pegs draw`: boards, positions and games as pictures.

use everymove_api::Request;
use everymove_api::pegs::{DrawRequest, GameRequest, start_name};

use super::picture::{PictureArgs, characters};
use super::{input, show};
use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs draw`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: DrawRequest,
    /// Show the board after every move; a game from a file is always shown so
    #[arg(long)]
    steps: bool,
    #[command(flatten)]
    picture: PictureArgs,
}

pub(crate) fn run(mut args: Args, session: &Session) -> Result<Outcome, Failure> {
    let request = &mut args.request;
    let source = input::board(&mut request.board.board, session)?;
    let is_game = request.moves.is_none() && input::is_game(&request.board.board);
    if is_game {
        read_game(request).map_err(|error| source.named(error))?;
    }
    let plan = request.plan().map_err(|error| source.named(error))?;
    let picture = args.picture.plan()?;
    let answer = DrawRequest::run(&plan, &session.run)?;
    let full = match picture {
        Some(picture) => picture.game(&plan.board, plan.start, &plan.jumps)?,
        None if args.steps || is_game => show::steps(&plan.board, plan.start, &plan.jumps),
        None => {
            let end = plan
                .jumps
                .iter()
                .fold(plan.start, |position, jump| jump.after(position));
            characters(&plan.board, end)
        }
    };
    let bare = match args.picture.is_asked() {
        true => String::new(),
        false => full.clone(),
    };
    show::<DrawRequest>(&answer, &Text { bare, full }, session)
}

/// Replaces a game in place of the board by its board, start and moves.
fn read_game(request: &mut DrawRequest) -> Result<(), everymove_api::Error> {
    let game = GameRequest {
        game: std::mem::take(&mut request.board.board),
        board: None,
        lattice: request.board.lattice,
        ends: request.ends.clone(),
    };
    let game = game.plan()?;
    let board = game.problem.board();
    request.board.lattice = Some(board.lattice().into());
    request.board.board = match board.name() {
        "custom" => board.line(board.full()),
        name => name.to_owned(),
    };
    request.ends.start = Some(start_name(&game.problem));
    request.moves = Some(game.moves);
    Ok(())
}
