//! An answer, shown for people or for programs.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

pub(crate) use everymove_api::Outcome;
use everymove_api::{Answer as _, Cost, Envelope, Request};
use everymove_kernel::machine;
use everymove_kernel::run::{Bytes, Work};
pub(crate) use everymove_kernel::text::grouped;

use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// The exit code of an outcome.
pub(crate) fn exit_code(outcome: Outcome) -> ExitCode {
    match outcome {
        Outcome::Yes => ExitCode::SUCCESS,
        Outcome::No => ExitCode::from(1),
    }
}

pub(crate) use everymove_api::terminal::Text;

/// Checks a request and answers it under the progress line.
pub(crate) fn ask<R: Request>(request: &R, session: &Session) -> Result<R::Answer, Failure> {
    let plan = request.plan()?;
    Ok(session.work(|run| R::run(&plan, run))?)
}

/// Shows the answer to a request of type `R` on standard output, as text or as JSON, and below a text its work and time
/// on standard error.
pub(crate) fn show<R: Request>(
    answer: &R::Answer,
    text: &Text,
    session: &Session,
) -> Result<Outcome, Failure> {
    let mut out = session.out();
    match session.format {
        OutputFormat::Json => {
            let cost = Cost::now(&answer.work(), &session.meter);
            let envelope = Envelope::of::<R>(answer, cost);
            serde_json::to_writer(&mut out, &envelope).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
        OutputFormat::Bare => {
            out.write_all(text.bare.as_bytes())?;
            report_table_faults(answer.table_faults());
        }
        OutputFormat::Full => {
            out.write_all(text.full.as_bytes())?;
            out.flush()?;
            report_table_faults(answer.table_faults());
            footer(session, &answer.work());
        }
    }
    out.flush()?;
    Ok(answer.outcome())
}

/// A line on standard error for each of the endgame tables that are not used.
fn report_table_faults(faults: &[String]) {
    for fault in faults {
        // The answer was written: an error of standard error does not change it.
        let _ = writeln!(io::stderr(), "not used: {fault}");
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
