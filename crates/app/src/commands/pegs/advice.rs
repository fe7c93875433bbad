//! Where advice comes from: a file, a winning set found on the spot, or a verdict on each jump.

use std::path::PathBuf;

use everymove_kernel::run::{Run, Work};
use everymove_pegs::{
    Advice, Hint, JumpHint, PegError, Position, Problem, Shortest, SolutionCounts, Verdict, Want,
    WinningSet, solve,
};

use super::winning::place;
use super::{failure, show};
use crate::failure::Failure;
use crate::session::Session;

/// The winning set in words.
#[derive(Debug, clap::Args)]
pub(crate) struct SetArgs {
    /// Take advice from this file, which pegs winning wrote
    #[arg(long, value_name = "FILE")]
    winning_set: Option<PathBuf>,
}

impl SetArgs {
    /// The set of the file, if one is given.
    pub(crate) fn load(&self, session: &Session) -> Result<Option<WinningSet>, Failure> {
        let Some(path) = &self.winning_set else {
            return Ok(None);
        };
        let (folder, name) = place(path)?;
        let set = WinningSet::load(&folder, &name, &session.run);
        set.map(Some).map_err(|error| failure(error, ""))
    }

    /// The set of the file, which must be this problem's, if one is given.
    pub(crate) fn load_for(
        &self,
        problem: &Problem,
        session: &Session,
    ) -> Result<Option<WinningSet>, Failure> {
        let set = self.load(session)?;
        if let Some(set) = &set
            && set.problem() != problem
        {
            return Err(Failure::Input(format!(
                "the winning set is of another problem ({}), not of {}",
                show::words(set.problem()),
                show::words(problem)
            )));
        }
        Ok(set)
    }
}

/// How much is to be found out about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Which jumps keep it winnable.
    Safe,
    /// The numbers of solutions too.
    Counted,
    /// The fewest moves too.
    Shortest,
}

/// Advice on the start of a problem, whatever it takes.
pub(crate) fn on_start(
    problem: &Problem,
    depth: Depth,
    run: &Run,
) -> Result<(Hint, Work), PegError> {
    let set = match WinningSet::new(problem, run) {
        Ok(set) => set,
        // Too large for layers: a verdict on each jump may still be found.
        Err(PegError::OverBudget(_)) => return judged(problem, run),
        Err(error) => return Err(error),
    };
    let hint = from_set(&set, problem.start(), depth, run)?;
    Ok((hint, set.work().clone()))
}

/// Advice on a position of a set.
pub(crate) fn from_set(
    set: &WinningSet,
    position: Position,
    depth: Depth,
    run: &Run,
) -> Result<Hint, PegError> {
    let counts = match depth {
        Depth::Safe => None,
        Depth::Counted | Depth::Shortest => fitting(SolutionCounts::new(set, run))?,
    };
    let shortest = match depth {
        Depth::Shortest => Shortest::new(set, run)?,
        Depth::Safe | Depth::Counted => None,
    };
    let advice = Advice {
        set,
        counts: counts.as_ref(),
        shortest: shortest.as_ref(),
    };
    Ok(advice.hint(position))
}

/// Counts are worth having only where they fit.
fn fitting<T>(found: Result<T, PegError>) -> Result<Option<T>, PegError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(PegError::OverBudget(_) | PegError::Overflow { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Advice by a verdict on the position after each jump.
fn judged(problem: &Problem, run: &Run) -> Result<(Hint, Work), PegError> {
    let (board, position) = (problem.board(), problem.start());
    let mut work = Work::default();
    let mut jumps = Vec::new();
    for jump in board.legal_jumps(position) {
        let answer = solve(&problem.from(jump.after(position))?, Want::Any, run)?;
        work.merge(&answer.work);
        jumps.push(JumpHint {
            jump,
            keeps_winnable: matches!(answer.verdict, Verdict::Solution(_)),
            solutions: None,
            moves_after: None,
        });
    }
    let is_winnable = problem.is_finish(position) || jumps.iter().any(|hint| hint.keeps_winnable);
    let hint = Hint {
        position,
        is_winnable,
        jumps,
        solutions: None,
        moves: None,
    };
    Ok((hint, work))
}
