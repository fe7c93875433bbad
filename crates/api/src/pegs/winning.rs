//! `pegs winning`: every position from which a problem can still be solved, into a file.

use std::path::{Path, PathBuf};

use everymove_kernel::files::{Disk, Output};
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::grouped;
use everymove_pegs::{PegError, Problem, WinningSet, winning_set_into};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{ProblemRequest, open_board};
use super::files::{LayersPlan, LayersRequest};
use super::names::{board_name, finish_name, start_name, title};
use super::picture::wrote;
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};
use crate::terminal::{OnTerminal, Shown, Source, Text};

/// Every position from which a problem can still be solved, into a file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct WinningRequest {
    /// The problem.
    #[command(flatten)]
    #[serde(flatten)]
    pub problem: ProblemRequest,
    /// Write the set into this file, for hint, review, puzzle and play
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Where layers are kept that do not fit the memory.
    #[command(flatten)]
    #[serde(flatten)]
    pub layers: LayersRequest,
}

/// The checked question; the file can be written.
#[derive(Debug)]
pub struct WinningPlan {
    problem: Problem,
    out: PathBuf,
    layers: LayersPlan,
}

/// The set that was written.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WinningAnswer {
    /// The name of the board, or its rows.
    pub board: String,
    /// The hole that is empty at the start, or the start's rows.
    pub start: String,
    /// The hole of the last peg, the rows of the finish, or `anywhere`.
    pub finish: String,
    /// Whether there is a solution; if not, an empty set was written.
    pub solvable: bool,
    /// Winning positions, up to the symmetries of the problem.
    pub winning: u64,
    /// These positions after each number of jumps.
    pub winning_by_jumps: Vec<u64>,
    /// Bytes of the file.
    pub bytes: u64,
    #[serde(skip)]
    work: Work,
}

impl Request for WinningRequest {
    const COMMAND: &'static str = "pegs winning";
    type Plan = WinningPlan;
    type Answer = WinningAnswer;

    fn plan(&self) -> Result<WinningPlan, Error> {
        let problem = self.problem.plan()?;
        Output::prepare(&self.out)?;
        Ok(WinningPlan {
            problem,
            out: self.out.clone(),
            layers: self.layers.plan(None)?,
        })
    }

    fn run(plan: &WinningPlan, run: &Run) -> Result<WinningAnswer, Error> {
        let problem = &plan.problem;
        let (bytes, (sizes, work)) = Output::prepare(&plan.out)?.publish(|draft| {
            let found = winning_set_into(problem, plan.layers.files(), draft, run)?;
            Ok::<_, PegError>((draft.length(), found))
        })?;
        Ok(WinningAnswer {
            board: board_name(problem.board()),
            start: start_name(problem),
            finish: finish_name(problem),
            solvable: !sizes.is_empty(),
            winning: sizes.iter().sum(),
            winning_by_jumps: sizes,
            bytes,
            work,
        })
    }
}

impl Answer for WinningAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.solvable)
    }

    fn work(&self) -> Work {
        self.work.clone()
    }
}

/// A file as a name in its folder.
fn place(path: &Path, field: &'static str) -> Result<(Disk, String), Error> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| {
        Error::message(
            Some(field),
            format!("{} is not a file's name", path.display()),
        )
    })?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    Ok((Disk::new(folder.unwrap_or(".".as_ref())), name.to_owned()))
}

/// The winning set of a file as it is written.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct SetRequest {
    /// Take the winning set from this file, which pegs winning wrote
    #[arg(long, value_name = "FILE")]
    pub winning_set: Option<PathBuf>,
}

/// A file with a winning set, if one is given.
#[derive(Debug, Default)]
pub(super) struct SetPlan(Option<(Disk, String)>);

impl SetRequest {
    pub(super) fn plan(&self) -> Result<SetPlan, Error> {
        let file = self.winning_set.as_deref();
        Ok(SetPlan(
            file.map(|path| place(path, "winning_set")).transpose()?,
        ))
    }
}

impl SetPlan {
    /// The set of the file, if one is given.
    pub(super) fn load(&self, run: &Run) -> Result<Option<WinningSet>, Error> {
        let Some((folder, name)) = &self.0 else {
            return Ok(None);
        };
        Ok(Some(WinningSet::load(folder, name, run)?))
    }

    /// The set of the file, which must be this problem's, if one is given.
    pub(super) fn load_for(
        &self,
        problem: &Problem,
        run: &Run,
    ) -> Result<Option<WinningSet>, Error> {
        let set = self.load(run)?;
        Ok(set.map(|set| set.of(problem)).transpose()?)
    }

    /// The set of the file, which must be this problem's, or else the set itself.
    pub(super) fn load_or_find(&self, problem: &Problem, run: &Run) -> Result<WinningSet, Error> {
        match self.load_for(problem, run)? {
            Some(set) => Ok(set),
            None => Ok(WinningSet::new(problem, run)?),
        }
    }
}

impl OnTerminal for WinningRequest {
    type View = ();

    fn complete(&mut self, (): &mut (), run: &Run) -> Result<Source, Error> {
        open_board(&mut self.problem.board.board, run)
    }

    fn show(plan: &WinningPlan, answer: &WinningAnswer, (): &()) -> Result<Shown, Error> {
        let (title, file) = (title(&plan.problem), wrote(&plan.out));
        let file = file.trim_end();
        let full = match answer.solvable {
            true => format!(
                "{title}: {} winning positions\n{file} ({} bytes)\n",
                grouped(answer.winning),
                grouped(answer.bytes)
            ),
            false => format!("{title}: no solution\n{file} (an empty set)\n"),
        };
        let bare = format!("{}\n", answer.winning);
        Ok(Text { bare, full }.into())
    }
}
