//! `everymove arena`: one file a command.

mod openings;
mod play;
mod show;
mod spsa;
mod stats;

use clap::Subcommand;
use everymove_api::arena::StatsRequest;

use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::Session;

/// What can be asked of the arena.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Engines play each other; Elo with error bars, or a sequential test
    Play(Box<play::Args>),
    /// Options of an engine, tuned by games against itself (SPSA)
    Spsa(Box<spsa::Args>),
    /// What the results in a PGN file, or given as numbers, say about strength
    Stats(StatsRequest),
    /// Balanced openings generated from the rules alone
    Openings(openings::Args),
}

pub(crate) fn run(command: Command, session: &Session) -> Result<Outcome, Failure> {
    match command {
        Command::Play(args) => play::run(&args, session),
        Command::Spsa(args) => spsa::run(&args, session),
        Command::Stats(request) => stats::run(&request, session),
        Command::Openings(args) => openings::run(&args, session),
    }
}
