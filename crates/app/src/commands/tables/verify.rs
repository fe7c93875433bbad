//! `everymove tables verify`: every value derived again.

use std::path::PathBuf;

use everymove_kernel::run::Work;
use everymove_tables::verify::{Thoroughness, verify};
use everymove_tables::{TableError, Tables};

use super::failure;
use crate::answer::{Answer, Verdict, grouped};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tables verify`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Table files; the tables they need are looked for beside them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Set up every N-th position on a board of its own (slow) [default: a sweep over all, and some thousands on boards]
    #[arg(long, value_name = "N")]
    every: Option<usize>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Verdict, Failure> {
    let how = match args.every {
        None => Thoroughness::Sweep,
        Some(0) => {
            return Err(Failure::Input(
                "cannot check every 0-th position: expected 1 or more".into(),
            ));
        }
        Some(every) => Thoroughness::Boards(every),
    };
    let mut work = Work::default();
    let mut wrong = Vec::new();
    for file in &args.files {
        let verified = Tables::beside(file).and_then(|(tables, material)| {
            session.work(|run| verify(&material, &tables, how, run))
        });
        match verified {
            Ok(verified) => {
                work.add("positions", verified.positions);
                work.add("moves", verified.moves);
            }
            Err(error @ TableError::Wrong { .. }) => wrong.push(error.to_string()),
            Err(error) => return Err(failure(error, session)),
        }
    }
    let verdict = if wrong.is_empty() {
        Verdict::Yes
    } else {
        Verdict::No
    };
    let mut text: String = wrong.iter().map(|line| format!("{line}\n")).collect();
    text += &format!(
        "{} of {} tables follow from the rules, {} positions checked\n",
        args.files.len() - wrong.len(),
        args.files.len(),
        grouped(work.get("positions"))
    );
    Answer::new("tables verify", verdict)
        .field("files", args.files.len())
        .field("valid", wrong.is_empty())
        .field("wrong", wrong)
        .text(text)
        .work(&work)
        .show(session)
}
