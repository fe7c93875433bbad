//! `everymove pegs review`: where a game was lost.

use everymove_pegs::{
    Advice, Board, PegError, Review, ReviewStep, SolutionCounts, WinningSet, parse_game,
};
use serde_json::{Value, json};

use super::advice::SetArgs;
use super::game::{Game, GameArgs};
use super::{failure, show};
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs review`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    set: SetArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let Game { problem, moves, .. } = args.game.plan()?;
    let jumps = parse_game(problem.board(), problem.start(), &moves).map_err(Failure::input)?;
    let loaded = args.set.load_for(&problem, session)?;
    let failed = |error| failure(error, "");
    let (set, review) = session.work(|run| {
        let set = match loaded {
            Some(set) => set,
            None => WinningSet::new(&problem, run).map_err(failed)?,
        };
        let counts = match SolutionCounts::new(&set, run) {
            Ok(counts) => Some(counts),
            // Without counts, the review says a little less.
            Err(PegError::OverBudget(_) | PegError::Overflow { .. }) => None,
            Err(error) => return Err(failed(error)),
        };
        let advice = Advice {
            set: &set,
            counts: counts.as_ref(),
            shortest: None,
        };
        let review = Review::new(advice, &jumps);
        drop(counts);
        Ok((set, review))
    })?;
    let board = problem.board();
    let mut text = format!("{}\n", show::words(&problem));
    for (i, step) in review.steps.iter().enumerate() {
        text += &line(board, i + 1, step);
    }
    text += &conclusion(board, &review);
    Answer::new("pegs review", Outcome::Yes)
        .field("board", show::board_name(board))
        .field("start", show::start_name(&problem))
        .field("finish", show::finish_name(&problem))
        .field("solved", review.is_solved)
        .field("winnable", review.last.is_winnable)
        .field("lost_at", review.lost_at.map(|at| at + 1))
        .field(
            "jumps",
            review
                .steps
                .iter()
                .map(|step| object(board, step))
                .collect::<Value>(),
        )
        .bare(match review.lost_at {
            Some(at) => format!("{}\n", at + 1),
            None => "not lost\n".to_owned(),
        })
        .text(text)
        .work(set.work())
        .show(session)
}

fn safe(board: &Board, step: &ReviewStep) -> Vec<String> {
    step.before
        .safe()
        .map(|hint| show::jump_name(board, &hint.jump))
        .collect()
}

fn line(board: &Board, number: usize, step: &ReviewStep) -> String {
    let name = show::jump_name(board, &step.played);
    let judgement = match (step.before.is_winnable, step.is_winnable_after) {
        (true, true) => {
            let share = step.share.map_or(String::new(), |share| {
                format!(", {:.1}% of the solutions", 100.0 * share)
            });
            format!(
                "{} of {} jumps win{share}",
                safe(board, step).len(),
                step.before.jumps.len()
            )
        }
        (true, false) => format!("loses; these win: {}", safe(board, step).join(" ")),
        (false, _) => "lost already".to_owned(),
    };
    format!("{number:>3}. {name:<8} {judgement}\n")
}

fn conclusion(board: &Board, review: &Review) -> String {
    match (review.is_solved, review.lost_at, review.last.is_winnable) {
        (true, ..) => "solved\n".to_owned(),
        (_, Some(at), _) => {
            let played = show::jump_name(board, &review.steps[at].played);
            format!("lost by jump {}, {played}\n", at + 1)
        }
        (_, None, true) => {
            let jumps: Vec<_> = review
                .last
                .safe()
                .map(|hint| show::jump_name(board, &hint.jump))
                .collect();
            format!("can still be won: {}\n", jumps.join(" "))
        }
        (_, None, false) => "lost from the start\n".to_owned(),
    }
}

fn object(board: &Board, step: &ReviewStep) -> Value {
    json!({
        "jump": show::jump_name(board, &step.played),
        "winnable_before": step.before.is_winnable,
        "winnable_after": step.is_winnable_after,
        "share": step.share,
        "safe": safe(board, step),
    })
}
