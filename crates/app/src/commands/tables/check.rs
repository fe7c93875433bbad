//! `everymove tables check`, or `scrub`: whether files are as they were written.

use std::path::{Path, PathBuf};

use everymove_kernel::run::Work;
use everymove_tables::{TableError, Tables};

use super::{failure, syzygy};
use crate::answer::{Answer, Outcome, grouped};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tables check`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Table files: .dtm, .dtz, .rtbw, .rtbz
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let mut work = Work::default();
    let mut damaged = Vec::new();
    for file in &args.files {
        match check(file, session) {
            Ok(blocks) => work.add("blocks", blocks),
            Err(error @ (TableError::File(_) | TableError::Wrong { .. })) => {
                damaged.push(error.to_string());
            }
            Err(error) => return Err(failure(error)),
        }
    }
    let verdict = if damaged.is_empty() {
        Outcome::Yes
    } else {
        Outcome::No
    };
    let mut text: String = damaged.iter().map(|line| format!("{line}\n")).collect();
    text += &format!(
        "{} of {} files sound, {} blocks\n",
        args.files.len() - damaged.len(),
        args.files.len(),
        grouped(work.get("blocks"))
    );
    Answer::new("tables check", verdict)
        .field("files", args.files.len())
        .field("blocks", work.get("blocks"))
        .field("damaged", damaged)
        .bare(text.as_str())
        .text(text.as_str())
        .work(&work)
        .show(session)
}

/// Checks a file; gives its blocks.
fn check(file: &Path, session: &Session) -> Result<u64, TableError> {
    match syzygy(file)? {
        Some(syzygy) => {
            let checked = session.work(|run| syzygy.check(run))?;
            let checked = checked.map_err(|error| error.in_file(file))?;
            Ok(checked.blocks)
        }
        None => {
            let (tables, material) = Tables::beside(file)?;
            session.work(|run| tables.scrub(&material, run))
        }
    }
}
