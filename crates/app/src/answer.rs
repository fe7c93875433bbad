//! The exit code of an answer, and the line below it that says what it took.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

pub(crate) use everymove_api::Outcome;
use everymove_kernel::machine;
use everymove_kernel::run::{Bytes, Work};
use everymove_kernel::text::grouped;

use crate::session::Session;

/// The exit code of an outcome.
pub(crate) fn exit_code(outcome: Outcome) -> ExitCode {
    match outcome {
        Outcome::Yes => ExitCode::SUCCESS,
        Outcome::No => ExitCode::from(1),
    }
}

/// Work, time and memory in a faint line.
pub(crate) fn footer(session: &Session, work: &Work) {
    let mut parts: Vec<String> = work
        .iter()
        .map(|(unit, n)| format!("{} {}", grouped(n), unit.replace('_', " ")))
        .collect();
    parts.push(format!("{:.2} CPU-s", session.meter.cpu_seconds()));
    parts.push(format!("{:.2} s", session.meter.wall_seconds()));
    if let Some(peak) = machine::peak_rss_bytes() {
        parts.push(format!("{} RAM", Bytes(peak)));
    }
    let line = parts.join(" · ");
    let mut err = io::stderr();
    // Nobody misses the footer if standard error is closed.
    let _ = if err.is_terminal() {
        writeln!(err, "\x1b[2m{line}\x1b[0m")
    } else {
        writeln!(err, "{line}")
    };
}
