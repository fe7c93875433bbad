//! `everymove`: the program. It parses, shows and exits; questions are answered by the crates below
//! it.
//!
//! The command line ([`args`], [`options`]) is asked of the commands of `everymove-api`, or of
//! those that only a terminal has ([`commands`]), in a [`session`] (threads, memory budget, stop
//! flag, progress line, the screen). A failure becomes one line and an exit code ([`failure`]).

mod answer;
mod args;
mod commands;
mod failure;
mod options;
mod output;
mod overview;
mod progress;
mod session;

use std::process::ExitCode;

use answer::Outcome;
use failure::Failure;
use options::Global;
use session::Session;

fn main() -> ExitCode {
    match run() {
        Ok(outcome) => answer::exit_code(outcome),
        Err(failure) => failure.report(args::wants_json()),
    }
}

fn run() -> Result<Outcome, Failure> {
    let matches = args::read()?;
    let session = Session::start(&commands::read::<Global>(&matches)?)?;
    commands::run(&matches, &session)
}
