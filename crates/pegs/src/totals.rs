//! Everything that is counted about a problem, by the method that suits the board.

use everymove_kernel::run::Run;

use crate::count::{Games, Solutions, games_in, solutions_in};
use crate::error::PegError;
use crate::problem::Problem;
use crate::reach::{Reach, reach_in};
use crate::store::{Folders, LayerFiles};
use crate::verdict::ClassProof;

/// What to count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quantities {
    /// Positions, solutions, and games on boards of at most [`MAX_GAMES`] holes.
    #[default]
    Usual,
    /// Positions that can be reached, and nothing else.
    Positions,
    /// Positions, solutions and games, on any board.
    Games,
}

/// On larger boards games are counted only on request, since all positions are kept in memory at
/// once.
pub const MAX_GAMES: usize = 36;

/// What was counted.
#[derive(Clone, Debug)]
pub struct Totals {
    /// The positions that can be reached.
    pub reach: Reach,
    /// Games, if they were counted.
    pub games: Option<Games>,
    /// Solutions, if they were counted.
    pub solutions: Option<Solutions>,
    /// Why there are no solutions, if the classes of start and finish say so.
    pub proof: Option<ClassProof>,
}

/// Counts positions, solutions and games of a problem, with layers in files where they do not fit
/// the memory. Where games are counted, the solutions among them are compared with those counted
/// over the winning set.
///
/// # Errors
/// [`PegError::OverBudget`], [`PegError::OverDisk`], [`PegError::Stopped`], [`PegError::Overflow`],
/// [`PegError::File`].
pub fn count_totals(
    problem: &Problem,
    quantities: Quantities,
    files: LayerFiles<'_>,
    run: &Run,
) -> Result<Totals, PegError> {
    files.open(problem, |folders| {
        totals_in(problem, quantities, folders, run)
    })
}

fn totals_in(
    problem: &Problem,
    quantities: Quantities,
    folders: Folders<'_>,
    run: &Run,
) -> Result<Totals, PegError> {
    let wants_games = match quantities {
        Quantities::Usual => problem.board().holes() <= MAX_GAMES,
        Quantities::Positions => false,
        Quantities::Games => true,
    };
    let (reach, games) = if wants_games {
        let games = games_in(problem, folders, run)?;
        (games.reach.clone(), Some(games))
    } else {
        let (board, start) = (problem.board(), problem.start());
        (reach_in(board, start, usize::MAX, folders, run)?, None)
    };
    let proof = ClassProof::new(problem);
    let solutions = match (quantities, &proof) {
        (Quantities::Positions, _) => None,
        (_, Some(_)) => Some(Solutions::default()),
        (_, None) => Some(solutions_in(problem, folders, run)?),
    };
    if let (Some(games), Some(found)) = (&games, &solutions)
        && games.solutions != found.solutions
    {
        return Err(PegError::Disagreement {
            games: games.solutions,
            layers: found.solutions,
        });
    }
    Ok(Totals {
        reach,
        games,
        solutions,
        proof,
    })
}
