//! `everymove pegs count`: positions, solutions and games.

use std::path::PathBuf;

use everymove_kernel::files::Disk;
use everymove_kernel::run::{Run, Work};
use everymove_pegs::{
    Checkpoint, ClassProof, Games, PegError, Problem, Reach, ReachPlan, Solutions, WinningSet,
    count_games,
};
use serde_json::Value;

use super::question::ProblemArgs;
use super::{failure, show};
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// Larger boards have so many positions that games are counted only when asked for.
const MAX_GAMES: usize = 36;

/// `everymove pegs count`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    problem: ProblemArgs,
    /// Count games, which takes every position at once, on boards of more than 36 holes too
    #[arg(long)]
    games: bool,
    /// Count the positions that can be reached and nothing else
    #[arg(long, conflicts_with = "games")]
    positions: bool,
    /// Save the state of a long count in this directory, and go on from what is there
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
}

/// Which games are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Positions,
    Solutions,
    Games,
}

struct Plan {
    problem: Problem,
    wanted: Wanted,
    folder: Option<Disk>,
}

struct Counted {
    reach: Reach,
    games: Option<Games>,
    solutions: Option<Solutions>,
    /// Why there are no solutions, if classes tell.
    proof: Option<ClassProof>,
}

impl Args {
    fn plan(&self) -> Result<Plan, Failure> {
        let problem = self.problem.plan()?;
        let wanted = match (self.positions, self.games) {
            (true, _) => Wanted::Positions,
            (false, false) if problem.board().holes() > MAX_GAMES => Wanted::Solutions,
            (false, _) => Wanted::Games,
        };
        Ok(Plan {
            problem,
            wanted,
            folder: self.checkpoint.as_ref().map(Disk::exclusive).transpose()?,
        })
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.plan()?;
    let advice = match plan.folder {
        Some(_) => "the same command goes on from the checkpoint",
        None => "",
    };
    let counted = session
        .work(|run| count(&plan, run))
        .map_err(|error| failure(error, advice))?;
    if let (Some(games), Some(found)) = (&counted.games, &counted.solutions)
        && games.solutions != found.solutions
    {
        return Err(Failure::resource(format!(
            "two ways of counting disagree: {} and {} solutions",
            games.solutions, found.solutions
        )));
    }
    show(&plan, &counted, session)
}

fn count(plan: &Plan, run: &Run) -> Result<Counted, PegError> {
    let Plan {
        problem,
        wanted,
        folder,
    } = plan;
    let checkpoint = folder.as_ref().map(|folder| Checkpoint::new(folder));
    let (reach, games) = match wanted {
        Wanted::Games => {
            let games = count_games(problem, run)?;
            (games.reach.clone(), Some(games))
        }
        Wanted::Positions | Wanted::Solutions => {
            let plan = ReachPlan::new(problem.board(), problem.start());
            let plan = match checkpoint {
                Some(checkpoint) => plan.checkpoint(checkpoint),
                None => plan,
            };
            (plan.reach(run)?, None)
        }
    };
    let proof = ClassProof::new(problem);
    let solutions = match (wanted, &proof) {
        (Wanted::Positions, _) => None,
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
            Some(set.count_solutions(run)?)
        }
    };
    Ok(Counted {
        reach,
        games,
        solutions,
        proof,
    })
}

fn show(plan: &Plan, counted: &Counted, session: &Session) -> Result<Outcome, Failure> {
    let (problem, board) = (&plan.problem, plan.problem.board());
    let Counted {
        reach,
        games,
        solutions,
        proof,
    } = counted;
    let positions = reach.positions();
    let mut text = format!(
        "{}\n{positions} positions up to symmetry\n",
        show::words(problem)
    );
    let mut bare = format!("{positions}\n");
    let layers = || reach.layers.iter();
    let by_pegs =
        |of: fn(&everymove_pegs::ReachedLayer) -> u64| -> Value { layers().map(of).collect() };
    let mut answer = Answer::new("pegs count", Outcome::Yes)
        .field("board", show::board_name(board))
        .field("start", show::start_name(problem))
        .field("finish", show::finish_name(problem))
        .field("positions", positions.to_string())
        .field("pegs", by_pegs(|layer| layer.pegs as u64))
        .field("positions_by_pegs", by_pegs(|layer| layer.positions))
        .field("dead_ends_by_pegs", by_pegs(|layer| layer.dead_ends))
        .field(
            "images",
            layers().map(|layer| layer.images).sum::<u64>().to_string(),
        )
        .field("shortest_game", reach.shortest_game())
        .field("last_pegs", board.names_of(reach.last_pegs))
        .work(&reach.work);
    if let Some(found) = solutions {
        let winning = found.winning.iter().sum::<u64>();
        text += &format!(
            "{winning} of them can still be won\n{} solutions\n",
            found.solutions
        );
        bare += &format!("{}\n", found.solutions);
        answer = answer
            .field("solutions", found.solutions.to_string())
            .field("winning", winning.to_string())
            .field("winning_by_jumps", found.winning.clone())
            .field("unique_by_jumps", found.unique.clone())
            .work(&found.work);
    }
    if let Some(proof) = proof {
        text += &format!("\n{}\n", proof.text(board).trim_end());
        answer = answer.field("reason", "class");
    }
    if let Some(games) = games {
        text += &format!(
            "{} games to a position without a jump\n1 game in {:.4e} wins if every jump is drawn at random\n",
            games.games,
            1.0 / games.odds
        );
        bare += &format!("{}\n", games.games);
        answer = answer
            .field("games", games.games.to_string())
            .field("odds", games.odds);
    }
    answer.text(text).bare(bare).show(session)
}
