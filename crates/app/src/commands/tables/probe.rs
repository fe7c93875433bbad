//! `everymove tables probe`: values as text.

use everymove_api::tables::{ProbeAnswer, ProbeRequest, TablesKind, ValueName};

use super::super::fen::FenArgs;
use super::{ask, counts};
use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tables probe`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    position: FenArgs,
    #[command(flatten)]
    request: ProbeRequest,
}

pub(super) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let Some(fen) = args.position.text() else {
        return Err(Failure::Input(
            "a position is missing: expected one in Forsyth-Edwards notation (FEN)".into(),
        ));
    };
    let request = ProbeRequest {
        fen,
        ..args.request.clone()
    };
    let answer = ask(&request, "", session)?;
    let bare = format!("{}\n", value(&answer));
    let mut full = bare.clone();
    if answer.tables == TablesKind::Syzygy && answer.value != ValueName::Draw {
        full += "  from Syzygy files, which hold moves: it may take a ply more\n";
    }
    if !answer.moves.is_empty() {
        full += &format!("moves, with their value for {}:\n", mover(&answer));
    }
    for choice in &answer.moves {
        let value = word(choice.value);
        full += &format!("  {:8} {value}", choice.san);
        if let Some(plies) = choice.distance {
            full += &format!(", {plies} plies to {}", counts::goal(answer.metric));
        }
        full.push('\n');
    }
    if let Some(line) = &answer.line {
        full += &format!("{}\n", line.join(" "));
    }
    show::<ProbeRequest>(&answer, &Text { bare, full }, session)
}

/// The value with the side that has it: `win for White, 11 plies to mate`.
fn value(answer: &ProbeAnswer) -> String {
    let plies = match answer.plies {
        Some(plies) => format!(", {plies} plies to {}", counts::goal(answer.metric)),
        None => return word(answer.value).to_owned(),
    };
    format!("{} for {}{plies}", word(answer.value), mover(answer))
}

/// The side to move.
fn mover(answer: &ProbeAnswer) -> &'static str {
    match answer.side_to_move {
        "white" => "White",
        _ => "Black",
    }
}

fn word(value: ValueName) -> &'static str {
    match value {
        ValueName::Win => "win",
        ValueName::CursedWin => "cursed win",
        ValueName::Draw => "draw",
        ValueName::BlessedLoss => "blessed loss",
        ValueName::Loss => "loss",
    }
}
