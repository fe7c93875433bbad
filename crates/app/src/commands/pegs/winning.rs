//! `everymove pegs winning`: a winning set into a file.

use std::path::PathBuf;

use everymove_kernel::files::{Disk, Output};
use everymove_pegs::{Problem, WinningSet};

use super::question::ProblemArgs;
use super::{failure, show};
use crate::answer::{Answer, Outcome, grouped};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs winning`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    problem: ProblemArgs,
    /// Write the set into this file, for hint, review and play
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

struct Plan {
    problem: Problem,
    folder: Disk,
    name: String,
}

impl Args {
    fn plan(&self) -> Result<Plan, Failure> {
        let problem = self.problem.plan()?;
        Output::prepare(&self.out)?;
        let (folder, name) = place(&self.out)?;
        Ok(Plan {
            problem,
            folder,
            name,
        })
    }
}

/// A file as a name in its folder.
pub(super) fn place(path: &std::path::Path) -> Result<(Disk, String), Failure> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name =
        name.ok_or_else(|| Failure::Input(format!("{} is not a file's name", path.display())))?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    Ok((Disk::new(folder.unwrap_or(".".as_ref())), name.to_owned()))
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let Plan {
        problem,
        folder,
        name,
    } = args.plan()?;
    let failed = |error| failure(error, "");
    let set = session
        .work(|run| WinningSet::new(&problem, run))
        .map_err(failed)?;
    set.save(&folder, &name).map_err(failed)?;
    let bytes = std::fs::metadata(&args.out).map_or(0, |found| found.len());
    let words = show::words(&problem);
    let winning = grouped(set.positions());
    let text = match set.is_solvable() {
        true => format!(
            "{words}: {winning} winning positions in {} bytes\n",
            grouped(bytes)
        ),
        false => format!("{words}: no solution, an empty set was written\n"),
    };
    Answer::new(
        "pegs winning",
        if set.is_solvable() {
            Outcome::Yes
        } else {
            Outcome::No
        },
    )
    .field("board", show::board_name(problem.board()))
    .field("start", show::start_name(&problem))
    .field("finish", show::finish_name(&problem))
    .field("solvable", set.is_solvable())
    .field("winning", set.positions())
    .field("winning_by_jumps", set.sizes())
    .field("bytes", bytes)
    .text(text)
    .work(set.work())
    .show(session)
}
