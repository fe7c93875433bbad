//! `everymove pegs solve`: a solution, or why there is none.

use std::path::PathBuf;

use everymove_api::pegs::{
    Reason, SolveAnswer, SolveRequest, counted, game_file, game_lines, title,
};
use everymove_api::{Answer as _, Request};
use everymove_kernel::files::Output;
use everymove_kernel::text::shown;

use super::picture::{Picture, PictureArgs};
use super::{input, show};
use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs solve`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: SolveRequest,
    /// Show the board after every move
    #[arg(long)]
    steps: bool,
    /// Write the game into a file that replay and review read
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    picture: PictureArgs,
}

pub(crate) fn run(mut args: Args, session: &Session) -> Result<Outcome, Failure> {
    let source = input::board(&mut args.request.problem.board.board, session)?;
    let plan = args.request.plan().map_err(|error| source.named(error))?;
    let out = args.out.as_ref().map(Output::prepare).transpose()?;
    let picture = args.picture.plan()?;
    let answer = session.work(|run| SolveRequest::run(&plan, run));
    let answer = answer.map_err(|error| match error.to_string() {
        line if line.contains("memory of failed positions was full") => {
            Failure::Resource(format!("{line}: give --hash more"))
        }
        _ => error.into(),
    })?;
    let text = match answer.outcome() {
        Outcome::Yes => solved(&answer, args.steps, out, picture)?,
        Outcome::No => unsolvable(&answer),
    };
    show::<SolveRequest>(&answer, &text, session)
}

fn solved(
    answer: &SolveAnswer,
    steps: bool,
    out: Option<Output>,
    picture: Option<Picture>,
) -> Result<Text, Failure> {
    let (problem, jumps) = (&answer.problem, &answer.solution);
    let board = problem.board();
    let moves = counted(answer.moves.unwrap_or_default() as u128, "move", "moves");
    let proved = match answer.shortest_solutions.as_deref() {
        Some("1") => ", proved shortest (1 way)".to_owned(),
        Some(ways) => format!(", proved shortest ({ways} ways)"),
        None => String::new(),
    };
    let jumps_made = counted(jumps.len() as u128, "jump", "jumps");
    let mut full = format!("{}: {moves}, {jumps_made}{proved}\n", title(problem));
    if steps {
        full += &format!("\n{}", show::steps(board, problem.start(), jumps));
    } else {
        full += &game_lines(board, jumps);
    }
    if let Some(out) = out {
        let line = format!("wrote {}\n", shown(&out.path().display().to_string()));
        out.publish(|draft| draft.put(game_file(problem, jumps).as_bytes()))?;
        full += &line;
    }
    if let Some(picture) = picture {
        full += &picture.game(board, problem.start(), jumps)?;
    }
    Ok(Text {
        bare: format!("{}\n", answer.game.as_deref().unwrap_or_default()),
        full,
    })
}

/// The sound answer that there is none, with its reason.
fn unsolvable(answer: &SolveAnswer) -> Text {
    let reason = match answer.reason {
        Some(Reason::Class) => "proved by colouring",
        Some(Reason::Pegs) => "the start has too few pegs",
        _ => "proved by exhaustion",
    };
    let proof = answer.proof.as_deref().unwrap_or_default();
    Text {
        bare: "no solution\n".to_owned(),
        full: format!(
            "{}: no solution, {reason}\n\n{proof}\n",
            title(&answer.problem)
        ),
    }
}
