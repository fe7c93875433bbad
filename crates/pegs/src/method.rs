//! The ways to solve a problem, and the choice between them.

use everymove_kernel::run::Run;

use crate::error::PegError;
use crate::jump::Jump;
use crate::notation::game_text;
use crate::problem::Problem;
use crate::replay::{Replayed, replay};
use crate::search::{Keys, Search, search};
use crate::shortest::Shortest;
use crate::verdict::{Solved, Verdict, Want, solve};
use crate::winning::WinningSet;

/// A way to solve a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Class arguments, beams and short depth-first searches, then the winning set: see [`solve`].
    #[default]
    Auto,
    /// The winning set alone.
    Layers,
    /// Depth-first search alone; it cannot find the fewest moves.
    DepthFirst(Search),
}

impl Method {
    /// The name: `auto`, `layers`, `dfs`, `dfs-set` or `dfs-canonical`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Layers => "layers",
            Self::DepthFirst(search) => match search.keys {
                Keys::None => "dfs",
                Keys::Raw => "dfs-set",
                Keys::Canonical => "dfs-canonical",
            },
        }
    }
}

/// Solves a problem by a given method, or says why it cannot be solved.
///
/// # Errors
/// As [`solve`]; [`PegError::GaveUp`] of a search at its limit, [`PegError::FewestMovesBySearch`]
/// if a depth-first search is to find the fewest moves.
pub fn solve_by(
    problem: &Problem,
    want: Want,
    method: &Method,
    run: &Run,
) -> Result<Solved, PegError> {
    match method {
        Method::Auto => {
            let mut solved = solve(problem, want, run)?;
            solved.shortest = solved.shortest.filter(|_| want == Want::Shortest);
            Ok(solved)
        }
        Method::Layers => by_layers(problem, want, run),
        Method::DepthFirst(_) if want == Want::Shortest => Err(PegError::FewestMovesBySearch),
        Method::DepthFirst(how) => by_search(problem, how, run),
    }
}

fn by_layers(problem: &Problem, want: Want, run: &Run) -> Result<Solved, PegError> {
    let set = WinningSet::new(problem, run)?;
    let shortest = match want {
        Want::Any => None,
        Want::Shortest => Shortest::new(&set, run)?,
    };
    let jumps = match &shortest {
        Some(shortest) => Some(shortest.solution()),
        None => set.solution(),
    };
    Ok(Solved {
        verdict: jumps.map_or(Verdict::Exhaustion, Verdict::Solution),
        shortest: shortest.map(|shortest| shortest.count(run)).transpose()?,
        work: set.work().clone(),
    })
}

fn by_search(problem: &Problem, how: &Search, run: &Run) -> Result<Solved, PegError> {
    let found = search(problem, how, run)?;
    let Some(verdict) = found.end.verdict() else {
        return Err(PegError::GaveUp {
            nodes: found.nodes,
            refused: found.refused,
        });
    };
    Ok(Solved {
        verdict,
        shortest: None,
        work: found.work,
    })
}

/// Checks that jumps solve a problem, by [`replay`](crate::replay()), which shares no code with the
/// solvers. Whoever shows a solution calls this first.
///
/// # Errors
/// [`PegError::WrongSolution`] if they do not: a fault of this program.
pub fn verified(problem: &Problem, jumps: &[Jump]) -> Result<Replayed, PegError> {
    let board = problem.board();
    let start = board.line(problem.start());
    let game = replay(&start, board.lattice(), &game_text(board, jumps))
        .map_err(|fault| PegError::WrongSolution(fault.to_string()))?;
    let end = game.positions.last();
    let end = end.and_then(|rows| board.position(rows).ok());
    match end.is_some_and(|end| problem.is_finish(end)) {
        true => Ok(game),
        false => Err(PegError::WrongSolution(
            "it does not reach the finish".into(),
        )),
    }
}
