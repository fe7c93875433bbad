//! `everymove pegs replay`: whether a game keeps the rules.

use everymove_pegs::{ReplayError, replay};

use super::game::GameArgs;
use super::picture::characters;
use super::show;
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs replay`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    game: GameArgs,
    /// Show the position after every jump
    #[arg(long)]
    positions: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let game = args.game.plan()?;
    let problem = &game.problem;
    let board = problem.board();
    let answer = |verdict| {
        Answer::new("pegs replay", verdict)
            .field("board", show::board_name(board))
            .field("start", show::start_name(problem))
            .field("valid", verdict == Outcome::Yes)
    };
    let invalid = |fault: String| {
        answer(Outcome::No)
            .field("fault", fault.as_str())
            .bare("invalid\n")
            .text(format!("invalid: {fault}\n"))
            .show(session)
    };
    let played = match replay(&board.line(problem.start()), board.lattice(), &game.moves) {
        Ok(played) => played,
        Err(
            error @ (ReplayError::NotAHole { .. }
            | ReplayError::Nowhere { .. }
            | ReplayError::BadStart { .. }),
        ) => {
            return Err(Failure::input(error));
        }
        Err(fault) => return invalid(fault.to_string()),
    };
    let ends: Vec<_> = played
        .positions
        .iter()
        .filter_map(|rows| board.position(rows).ok())
        .collect();
    let end = ends.last().copied().unwrap_or(problem.start());
    if game.has_finish && !problem.is_finish(end) {
        return invalid(format!(
            "after {} pegs are left in {}, not the finish {}",
            show::counted(played.jumps as u128, "jump", "jumps"),
            played.last.join(" "),
            show::finish_name(problem)
        ));
    }
    let moves = show::counted(played.moves as u128, "move", "moves");
    let left = match &played.last[..] {
        [last] => format!("the last peg is in {last}"),
        _ => format!("{} pegs are left", played.pegs),
    };
    let mut text = String::new();
    if args.positions {
        for position in &ends {
            text += &format!("{}\n", characters(board, *position));
        }
    }
    text += &format!(
        "valid: {moves}, {}, {left}\n",
        show::counted(played.jumps as u128, "jump", "jumps")
    );
    let mut answer = answer(Outcome::Yes)
        .field("jumps", played.jumps)
        .field("moves", played.moves)
        .field("pegs", played.pegs)
        .field("last", played.last)
        .field("position", show::rows(board, end));
    if args.positions {
        let rows: Vec<_> = ends
            .iter()
            .map(|&position| show::rows(board, position))
            .collect();
        answer = answer.field("positions", rows);
    }
    answer.bare("valid\n").text(text).show(session)
}
