//! Everything that is counted about a problem, by the method that suits the board.

use everymove_kernel::run::{Run, Work};

use crate::checkpoint::Checkpoint;
use crate::count::{Games, Solutions, count_games_kept};
use crate::disk::LayerFiles;
use crate::error::PegError;
use crate::problem::Problem;
use crate::reach::ReachPlan;
use crate::reached::Reach;
use crate::verdict::ClassProof;
use crate::winning::WinningSet;

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

/// On larger boards games are counted only on request, since all positions are kept in memory at once.
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

/// Counts positions, solutions and games of a problem.
///
/// With `files`, layers of the positions that can be reached are there if they do not fit the memory; those of games,
/// winning positions and solutions are always in memory. Where games are counted, the solutions among them are compared with those counted over the winning set.
///
/// # Errors
/// [`PegError::OverBudget`] before any work if the layers do not fit, [`PegError::OverDisk`], [`PegError::Stopped`],
/// [`PegError::Overflow`], [`PegError::File`] and [`PegError::OtherQuestion`] of the checkpoint.
pub fn count_totals(
    problem: &Problem,
    quantities: Quantities,
    checkpoint: Option<Checkpoint<'_>>,
    files: Option<LayerFiles<'_>>,
    run: &Run,
) -> Result<Totals, PegError> {
    let wants_games = match quantities {
        Quantities::Usual => problem.board().holes() <= MAX_GAMES,
        Quantities::Positions => false,
        Quantities::Games => true,
    };
    let (reach, games) = if wants_games {
        let games = count_games_kept(problem, checkpoint, run)?;
        (games.reach.clone(), Some(games))
    } else {
        let mut plan = ReachPlan::new(problem.board(), problem.start());
        if let Some(checkpoint) = checkpoint {
            plan = plan.checkpoint(checkpoint);
        }
        if let Some(files) = files {
            plan = plan.on_disk(files);
        }
        (plan.reach(run)?, None)
    };
    let proof = ClassProof::new(problem);
    let solutions = match (quantities, &proof) {
        (Quantities::Positions, _) => None,
        (_, Some(_)) => Some(Solutions {
            solutions: 0,
            winning: Vec::new(),
            unique: Vec::new(),
            work: Work::default(),
        }),
        (_, None) => {
            let set = match checkpoint {
                Some(checkpoint) => WinningSet::resume(problem, checkpoint, run)?,
                None => WinningSet::new(problem, run)?,
            };
            Some(set.count_solutions_kept(checkpoint, run)?)
        }
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
