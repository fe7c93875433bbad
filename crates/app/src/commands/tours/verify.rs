//! `everymove tours verify`: the independent checker on a file.

use std::collections::HashSet;

use everymove_tours::check;
use everymove_tours::formats::ReadError;

use super::read::FileArgs;
use super::show;
use crate::answer::{Answer, Outcome, grouped};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tours verify`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    file: FileArgs,
    /// No tour may occur twice
    #[arg(long)]
    distinct: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let mut tours = args.file.open(session)?;
    let mut seen = HashSet::new();
    let (mut valid, mut last) = (0u64, String::new());
    let fault = session.work(|run| -> Result<Option<String>, Failure> {
        run.progress.start("verifying", 0);
        for tour in &mut tours {
            run.stop.check().map_err(|_| Failure::stopped(""))?;
            let tour = match tour {
                Ok(tour) => tour,
                Err(ReadError::Fault { place, fault }) => {
                    return Ok(Some(format!("{place}: {fault}")));
                }
                Err(error) => return Err(args.file.failure(error)),
            };
            let number = valid + 1;
            match check::verify(&tour, run.threads.get()) {
                Ok(report) => last = show::words(&tour, &report),
                Err(fault) => return Ok(Some(format!("tour {number}: {fault}"))),
            }
            run.progress.worked(tour.steps().len() as u64);
            if args.distinct && !seen.insert(tour.into_steps()) {
                return Ok(Some(format!("tour {number} has occurred before")));
            }
            valid = number;
        }
        Ok(None)
    })?;
    let answer = match &fault {
        Some(fault) => Answer::new("tours verify", Outcome::No)
            .bare("invalid\n")
            .text(format!("invalid: {fault}\n")),
        None => Answer::new("tours verify", Outcome::Yes)
            .bare("valid\n")
            .text(match valid {
                1 => format!("valid: {last}\n"),
                n => format!("valid: {} tours\n", grouped(n)),
            }),
    };
    answer
        .field("valid", fault.is_none())
        .field("tours", valid)
        .field("fault", fault)
        .show(session)
}
