//! `everymove`: the program. It parses, shows and exits; questions are answered by the crates below it.
//!
//! The command line ([`args`], [`options`]) becomes a request of `everymove-api`; the request is checked and answered
//! ([`commands`]) in a [`session`] (threads, memory budget, stop flag, progress line); the answer is shown for people or
//! programs ([`answer`]). A failure becomes one line and an exit code ([`failure`]).

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
use args::Cli;
use clap::CommandFactory;
use failure::Failure;
use session::Session;

fn main() -> ExitCode {
    match run() {
        Ok(outcome) => answer::exit_code(outcome),
        Err(failure) => failure.report(args::wants_json()),
    }
}

fn run() -> Result<Outcome, Failure> {
    let cli = args::read()?;
    let session = Session::start(&cli.global)?;
    commands::run(cli.command, &session, Cli::command())
}
