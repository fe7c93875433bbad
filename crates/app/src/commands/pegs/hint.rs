//! `everymove pegs hint`: whether a position can still be won, and which jumps keep it so.

use std::io::{self, Write};

use everymove_api::pegs::{HintFields, HintRequest, HintsAnswer, Reason, counted};
use everymove_api::{Cost, Envelope, Request};

use super::picture::characters;
use super::{input, show};
use crate::answer::{Outcome, Text, footer, show};
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// `everymove pegs hint`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: HintRequest,
}

pub(crate) fn run(mut args: Args, session: &Session) -> Result<Outcome, Failure> {
    let request = &mut args.request;
    if request.position == "-" {
        let text = input::file("-", session)?;
        let plan = request.plan()?;
        let positions = text.lines().filter(|line| !line.trim().is_empty());
        let answer = session.work(|run| plan.run_many(positions, run))?;
        return show_all(&answer, session);
    }
    let source = input::board(&mut request.position, session)?;
    let plan = request.plan()?;
    let answer = session
        .work(|run| HintRequest::run(&plan, run))
        .map_err(|error| source.named(error))?;
    let text = Text {
        bare: bare(&answer.hint),
        full: full(&answer.hint),
    };
    show::<HintRequest>(&answer, &text, session)
}

fn bare(hint: &HintFields) -> String {
    match hint.winnable {
        true => format!("{}\n", hint.jumps.join(" ")),
        false => "lost\n".to_owned(),
    }
}

fn full(hint: &HintFields) -> String {
    let board = hint.problem.board();
    let picture = characters(board, hint.hint.position);
    let mut text = format!("{picture}\n{}", summary(hint));
    // Where all jumps lose, a list of them says nothing.
    if hint.winnable {
        let width = hint
            .all_jumps
            .iter()
            .map(|jump| jump.jump.len())
            .max()
            .unwrap_or(0)
            .max(8);
        for jump in &hint.all_jumps {
            let name = &jump.jump;
            text += &match (jump.keeps_winnable, jump.share, &jump.solutions) {
                (false, ..) => format!("  {name:<width$} loses\n"),
                (true, Some(share), Some(n)) => {
                    let solutions = if n == "1" { "solution" } else { "solutions" };
                    format!("  {name:<width$} {n} {solutions}, {:.1}%\n", 100.0 * share)
                }
                (true, ..) => format!("  {name:<width$} keeps it winnable\n"),
            };
        }
    }
    text
}

fn summary(hint: &HintFields) -> String {
    let pegs = show::pegs(hint.pegs);
    let goal = match &*hint.finish {
        "anywhere" => "last peg in any hole".to_owned(),
        finish if finish.len() <= 3 => format!("last peg in {finish}"),
        finish => format!("finish {finish}"),
    };
    if hint.solved {
        return format!("{pegs}, solved\n");
    }
    if !hint.winnable {
        return lost(hint, &pegs, &goal);
    }
    let solutions = match hint.solutions.as_deref() {
        None => String::new(),
        Some("1") => ", 1 solution".to_owned(),
        Some(n) => format!(", {n} solutions"),
    };
    let moves = hint.moves.map_or(String::new(), |n| {
        format!(", {} at least", counted(n, "move", "moves"))
    });
    format!("{pegs}, can still be won ({goal}){solutions}{moves}\n")
}

fn lost(hint: &HintFields, pegs: &str, goal: &str) -> String {
    let board = hint.problem.board();
    let usual = board.name_of(board.usual_vacancy());
    let mut text = match hint.reason {
        Some(Reason::Full) => {
            return format!(
                "{pegs}: every hole is full, so no jump can be made. Write '.' for the hole that is empty, or ask for \
                 the usual start ({usual} empty): everymove pegs solve {}\n",
                hint.board
            );
        }
        Some(Reason::Stuck) => format!("{pegs}, lost: no peg can jump\n"),
        Some(Reason::Pegs) => format!(
            "{pegs}, lost: the finish needs as many pegs or more, and jumps only take pegs away\n"
        ),
        Some(Reason::Class) => format!(
            "{pegs}, lost ({goal}): proved by colouring\n\n{}\n",
            hint.proof.as_deref().unwrap_or_default()
        ),
        _ => format!("{pegs}, lost ({goal}): every sequence of jumps was examined\n"),
    };
    if hint.reachable == Some(false) {
        text += &format!("No game from the usual start ({usual} empty) reaches this position.\n");
    }
    text
}

fn show_all(answer: &HintsAnswer, session: &Session) -> Result<Outcome, Failure> {
    use everymove_api::Answer;
    let mut out = session.out();
    if session.format == OutputFormat::Json {
        let cost = Cost::now(&answer.work(), &session.meter);
        let envelope = Envelope::of::<HintRequest>(answer, cost);
        serde_json::to_writer(&mut out, &envelope).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
    } else {
        let lines: String = answer.hints.iter().map(bare).collect();
        out.write_all(lines.as_bytes())?;
        out.flush()?;
        if session.format == OutputFormat::Full {
            footer(session, &answer.work());
        }
    }
    out.flush()?;
    Ok(Outcome::Yes)
}
