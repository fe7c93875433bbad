//! `everymove arena`: one file a command.

mod engines;
mod openings;
mod play;
mod scale;
mod show;
mod stats;

use clap::Subcommand;
use everymove_arena::ArenaError;

use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::Session;

/// What can be asked of the arena.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Engines play each other; Elo with error bars, or a sequential test
    Play(Box<play::Args>),
    /// What the results in a PGN file, or given as numbers, say about strength
    Stats(stats::Args),
    /// Balanced openings made from the rules alone
    Openings(openings::Args),
}

pub(crate) fn run(command: Command, session: &Session) -> Result<Outcome, Failure> {
    match command {
        Command::Play(args) => play::run(&args, session),
        Command::Stats(args) => stats::run(&args, session),
        Command::Openings(args) => openings::run(&args, session),
    }
}

impl From<ArenaError> for Failure {
    fn from(error: ArenaError) -> Self {
        match error {
            ArenaError::File(error) => error.into(),
            error => Self::input(error),
        }
    }
}
