//! `everymove`: questions about boards, answered exactly.
//!
//! Words on the command line ([`args`]) become a checked plan, the plan runs on the libraries ([`commands`]) inside a
//! [`session`] (threads, memory, stop, progress), and the answer is shown for people or programs ([`answer`]). What
//! goes wrong becomes one line and an exit code ([`failure`]).

mod answer;
mod args;
mod commands;
mod failure;
mod progress;
mod session;

use std::process::ExitCode;

fn main() -> ExitCode {
    match args::read().and_then(commands::run) {
        Ok(verdict) => verdict.into(),
        Err(failure) => failure.report(),
    }
}
