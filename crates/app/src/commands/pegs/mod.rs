//! `everymove pegs`: one file a command.

mod boards;
pub(crate) mod count;
mod draw;
mod hint;
mod input;
mod picture;
mod play;
mod puzzle;
mod replay;
mod review;
mod show;
mod solve;
mod table;
mod winning;

use clap::Subcommand;

use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::Session;

/// What can be asked about peg solitaire.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// A solution, the proved shortest if asked for, or why there is none
    Solve(solve::Args),
    /// How many positions, solutions and games there are, exactly
    Count(count::Args),
    /// Every problem "vacate x, finish y" of a board: solvable, solutions, fewest moves
    Table(table::Args),
    /// Every position from which a problem can still be solved, into a file
    Winning(winning::Args),
    /// Whether a position can still be won, and which jumps keep it so
    Hint(hint::Args),
    /// Positions with a point: a unique completion, a last safe jump
    Puzzle(puzzle::Args),
    /// A played game, jump by jump: where it was lost, and what would have saved it
    Review(review::Args),
    /// Whether a game keeps the rules, by an independent checker
    Replay(replay::Args),
    /// Boards, positions and games as pictures
    Draw(draw::Args),
    /// A game in the terminal, with undo and hints
    Play(play::Args),
    /// The boards that have names
    Boards(boards::Args),
}

pub(crate) fn run(command: Command, session: &Session) -> Result<Outcome, Failure> {
    match command {
        Command::Solve(args) => solve::run(args, session),
        Command::Count(args) => count::run(args, session),
        Command::Table(args) => table::run(args, session),
        Command::Winning(args) => winning::run(args, session),
        Command::Hint(args) => hint::run(args, session),
        Command::Puzzle(args) => puzzle::run(args, session),
        Command::Review(args) => review::run(args, session),
        Command::Replay(args) => replay::run(args, session),
        Command::Draw(args) => draw::run(args, session),
        Command::Play(args) => play::run(args, session),
        Command::Boards(args) => boards::run(&args, session),
    }
}
