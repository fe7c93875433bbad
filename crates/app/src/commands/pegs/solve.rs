//! `everymove pegs solve`: a solution, or why there is none.

use std::path::PathBuf;

use everymove_kernel::files::Output;
use everymove_pegs::{Jump, Problem, ShortestCount, Verdict as Solved, game_text, moves};

use super::method::{Method, MethodArgs, Solution};
use super::picture::{Picture, PictureArgs};
use super::question::ProblemArgs;
use super::{game, show};
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs solve`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    problem: ProblemArgs,
    /// The fewest moves, proved; consecutive jumps of one peg are one move
    #[arg(long)]
    shortest: bool,
    /// Write the game into a file that replay and review read
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    picture: PictureArgs,
}

struct Plan {
    problem: Problem,
    method: Method,
    out: Option<Output>,
    picture: Option<Picture>,
}

impl Args {
    fn plan(&self) -> Result<Plan, Failure> {
        Ok(Plan {
            problem: self.problem.plan()?,
            method: self.method.plan(self.shortest)?,
            out: self.out.as_ref().map(Output::prepare).transpose()?,
            picture: self.picture.plan()?,
        })
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.plan()?;
    let solution = plan.method.solve(&plan.problem, session)?;
    match &solution.verdict {
        Solved::Solution(jumps) => solved(plan, jumps, &solution, session),
        no => unsolvable(&plan, no, &solution, session),
    }
}

fn solved(
    plan: Plan,
    jumps: &[Jump],
    solution: &Solution,
    session: &Session,
) -> Result<Outcome, Failure> {
    let Plan {
        problem,
        method,
        out,
        picture,
    } = plan;
    let board = problem.board();
    let game = show::refereed(&problem, jumps)?;
    if let Some(out) = out {
        let text = game::text(&problem, jumps);
        out.publish(|draft| draft.put(text.as_bytes()))?;
    }
    if let Some(picture) = picture {
        picture.game(board, problem.start(), jumps)?;
    }
    let words = show::words(&problem);
    let moves = show::counted(moves(jumps).len() as u128, "move", "moves");
    let proved = match solution.shortest {
        Some(ShortestCount { solutions, .. }) => {
            format!(
                ", proved shortest ({})",
                show::counted(solutions, "way", "ways")
            )
        }
        None => String::new(),
    };
    let line = format!(
        "{words}: {moves}, {}{proved}\n",
        show::counted(jumps.len() as u128, "jump", "jumps")
    );
    let mut answer = start(&problem, Outcome::Yes)
        .field("solvable", true)
        .field("method", method.name())
        .field("moves", game.moves)
        .field("jumps", show::jumps(board, jumps))
        .field("game", game_text(board, jumps))
        .field("last", game.last)
        .field("verified", true)
        .field("shortest", solution.shortest.is_some());
    if let Some(shortest) = solution.shortest {
        answer = answer.field("shortest_solutions", shortest.solutions.to_string());
    }
    answer
        .bare(format!("{}\n", game_text(board, jumps)))
        .text(line + &show::game(board, jumps))
        .work(&solution.work)
        .show(session)
}

/// The sound answer that there is none, with its reason.
fn unsolvable(
    plan: &Plan,
    no: &Solved,
    solution: &Solution,
    session: &Session,
) -> Result<Outcome, Failure> {
    let (reason, why) = match no {
        Solved::Class(proof) => ("class", proof.text(plan.problem.board())),
        Solved::TooManyPegs => (
            "pegs",
            "The start has no more pegs than the finish, and every jump takes one away.".to_owned(),
        ),
        Solved::Exhaustion | Solved::Solution(_) => (
            "exhaustion",
            "Every position that could matter was examined: none leads to the finish.".to_owned(),
        ),
    };
    let why = why.trim_end();
    start(&plan.problem, Outcome::No)
        .field("solvable", false)
        .field("method", plan.method.name())
        .field("reason", reason)
        .field("proof", why)
        .text(format!(
            "{}: no solution, by {reason}\n\n{why}\n",
            show::words(&plan.problem)
        ))
        .work(&solution.work)
        .show(session)
}

fn start(problem: &Problem, verdict: Outcome) -> Answer {
    Answer::new("pegs solve", verdict)
        .field("board", show::board_name(problem.board()))
        .field("start", show::start_name(problem))
        .field("finish", show::finish_name(problem))
}
