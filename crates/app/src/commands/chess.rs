//! `everymove chess`: positions and their moves, the engine's move, the parallel searches compared.

use std::fmt::Write as _;

use everymove_api::chess::{
    CompareAnswer, CompareRequest, MoveAnswer, MoveRequest, PositionDetails, PositionRequest,
};

use crate::answer::{Outcome, Text, ask, grouped, show};
use crate::failure::Failure;
use crate::session::Session;

pub(super) fn position(request: &PositionRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, session)?;
    show::<PositionRequest>(&answer, &position_text(&answer), session)
}

pub(super) fn engine_move(request: &MoveRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, session)?;
    show::<MoveRequest>(&answer, &move_text(&answer), session)
}

pub(super) fn comparison(request: &CompareRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, session)?;
    show::<CompareRequest>(&answer, &comparison_text(&answer), session)
}

fn position_text(answer: &PositionDetails) -> Text {
    let moves: Vec<_> = answer.moves.iter().map(|m| m.san.as_str()).collect();
    let mut full = format!("{}\n", answer.fen);
    if let Some(end) = &answer.outcome {
        let _ = writeln!(full, "{}", end.text);
    }
    if !moves.is_empty() {
        let _ = writeln!(full, "{} moves: {}", moves.len(), moves.join(" "));
    }
    Text {
        bare: format!("{}\n", answer.fen),
        full,
    }
}

fn move_text(answer: &MoveAnswer) -> Text {
    let best = answer.best.as_ref().map(|best| best.san.as_str());
    let mut full = String::new();
    if let Some(best) = best {
        let _ = write!(full, "{best}");
        if let Some(score) = &answer.score {
            let _ = write!(full, "  {score} for White, depth {}", answer.depth);
        }
        full += "\n";
    }
    if !answer.line.is_empty() {
        let _ = writeln!(full, "{}", answer.line);
    }
    if let Some(end) = &answer.outcome {
        let _ = writeln!(full, "{}", end.text);
    }
    Text {
        bare: best.map_or(String::new(), |best| format!("{best}\n")),
        full,
    }
}

fn comparison_text(answer: &CompareAnswer) -> Text {
    let mut text = format!("{}\ndepth {}\n\n", answer.fen, answer.depth);
    let _ = writeln!(
        text,
        "{:<14} {:>7} {:>9} {:>13} {:>8} {:>7} {:>7} {:>7}",
        "", "threads", "seconds", "nodes", "speed-up", "opened", "joined", "idle"
    );
    for search in &answer.searches {
        let workers = &search.workers;
        let speedup = search.speedup.map_or("-".to_owned(), |n| format!("{n:.2}"));
        let idle: f64 = workers.iter().map(|w| w.idle_seconds).sum();
        let _ = writeln!(
            text,
            "{:<14} {:>7} {:>9.3} {:>13} {speedup:>8} {:>7} {:>7} {:>6.2}s",
            search.strategy,
            search.threads,
            search.seconds,
            grouped(search.nodes),
            workers.iter().map(|w| w.opened).sum::<u64>(),
            workers.iter().map(|w| w.joined).sum::<u64>(),
            idle,
        );
    }
    Text {
        bare: text.clone(),
        full: text,
    }
}
