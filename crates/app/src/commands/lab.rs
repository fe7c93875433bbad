//! `everymove lab`: experiments.

use clap::Subcommand;

use crate::answer::Verdict;
use crate::failure::Failure;
use crate::session::Session;

/// What can be asked of the lab.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The experiments
    List,
}

pub(crate) fn run(_: Command, _: &Session) -> Result<Verdict, Failure> {
    Ok(Verdict::Yes)
}
