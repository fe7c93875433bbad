//! `everymove pegs count`: positions, solutions and games.

use everymove_api::Request;
use everymove_api::pegs::{
    CountAnswer, CountRequest, EstimateAnswer, EstimateRequest, Layers, LayersNeed, title,
};
use everymove_kernel::run::Bytes;

use super::input;
use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs count`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: CountRequest,
    /// Print what counting positions and finding winning positions will take, and stop
    #[arg(long, conflicts_with_all = ["games", "positions", "checkpoint"])]
    estimate: bool,
}

pub(crate) fn run(mut args: Args, session: &Session) -> Result<Outcome, Failure> {
    let request = &mut args.request;
    let source = input::board(&mut request.problem.board.board, session)?;
    if args.estimate {
        let request = EstimateRequest {
            problem: request.problem.clone(),
            work: request.layers.work.clone(),
            disk: request.layers.disk.clone(),
        };
        let plan = request.plan().map_err(|error| source.named(error))?;
        let answer = session.work(|run| EstimateRequest::run(&plan, run))?;
        return show::<EstimateRequest>(&answer, &estimate_text(&answer), session);
    }
    let plan = request.plan().map_err(|error| source.named(error))?;
    let advice = match request.checkpoint {
        Some(_) => "the same command resumes from the checkpoint",
        None => "with --checkpoint DIR it could be resumed",
    };
    let answer = session
        .work(|run| CountRequest::run(&plan, run))
        .map_err(|error| Failure::from(error).advise_if_stopped(advice))?;
    show::<CountRequest>(&answer, &text(&answer), session)
}

fn estimate_text(answer: &EstimateAnswer) -> Text {
    let mut full = format!("estimate for {}\n", title(&answer.problem));
    let mut bare = String::new();
    for (word, what, need) in [
        (
            "positions",
            "positions that can be reached",
            &answer.positions,
        ),
        ("winning", "winning positions", &answer.winning),
    ] {
        full += &format!("{what}, at most {:.2e}:\n", need.places);
        full += &need_text(need);
        bare += &format!(
            "{word} {} {} {} {:.4}\n",
            need.memory, need.memory_with_files, need.disk, need.cpu_hours
        );
        let ram = Bytes(answer.ram);
        full += &match need.chosen {
            Some(Layers::Memory) => format!("  with {ram} of memory: layers in memory\n"),
            Some(Layers::Disk) => format!("  with {ram} of memory: layers on disk\n"),
            None => format!(
                "  with {ram} of memory and {} of disk: neither\n",
                Bytes(answer.disk)
            ),
        };
    }
    Text { bare, full }
}

fn need_text(need: &LayersNeed) -> String {
    let time = |hours: f64| match hours {
        hours if hours < 0.1 => format!("{:.1} CPU-seconds", hours * 3600.0),
        hours => format!("{hours:.1} CPU-hours"),
    };
    format!(
        "  layers in memory: {} of memory, {}\n  layers on disk: at least {} of memory, at most {} of disk, {}\n",
        Bytes(need.memory),
        time(need.cpu_hours),
        Bytes(need.memory_with_files),
        Bytes(need.disk),
        time(need.cpu_hours_with_files),
    )
}

/// The answer as text.
pub(crate) fn text(answer: &CountAnswer) -> Text {
    let positions = &answer.positions;
    let mut full = format!(
        "{}\n{positions} positions up to symmetry\n",
        title(&answer.problem)
    );
    let mut bare = format!("{positions}\n");
    if answer.layers == Layers::Disk {
        full += "counted with layers on disk\n";
    }
    if let (Some(solutions), Some(winning)) = (&answer.solutions, &answer.winning) {
        full += &format!("{winning} of them can still be won\n{solutions} solutions\n");
        bare += &format!("{solutions}\n");
    }
    if let Some(proof) = &answer.proof {
        full += &format!("\n{}\n", proof.trim_end());
    }
    if let (Some(games), Some(odds)) = (&answer.games, answer.odds) {
        full += &format!("{games} games to a position without a jump\n");
        full += &match odds > 0.0 {
            true => format!(
                "1 game in {:.4e} wins if every jump is drawn at random\n",
                1.0 / odds
            ),
            false => "no game wins\n".to_owned(),
        };
        bare += &format!("{games}\n");
    }
    Text { bare, full }
}
