//! `everymove tables scrub`: checksums.

use std::path::PathBuf;

use everymove_tables::{TableError, Tables};

use super::failure;
use crate::answer::{Answer, Verdict, grouped};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tables scrub`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Table files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Verdict, Failure> {
    let (mut blocks, mut damaged) = (0, Vec::new());
    for file in &args.files {
        let scrubbed = Tables::beside(file)
            .and_then(|(tables, material)| session.work(|run| tables.scrub(&material, run)));
        match scrubbed {
            Ok(n) => blocks += n,
            Err(error @ (TableError::File(_) | TableError::Wrong { .. })) => {
                damaged.push(error.to_string());
            }
            Err(error) => return Err(failure(error, session)),
        }
    }
    let verdict = if damaged.is_empty() {
        Verdict::Yes
    } else {
        Verdict::No
    };
    let mut text: String = damaged.iter().map(|line| format!("{line}\n")).collect();
    let sound = args.files.len() - damaged.len();
    text += &format!("{sound} files sound, {} blocks\n", grouped(blocks));
    Answer::new("tables scrub", verdict)
        .field("files", args.files.len())
        .field("blocks", blocks)
        .field("damaged", damaged)
        .text(text)
        .show(session)
}
