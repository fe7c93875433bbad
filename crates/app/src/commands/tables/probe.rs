//! `everymove tables probe`: values as text.

use std::io::Write;
use std::path::{Path, PathBuf};

use everymove_api::tables::{
    MoveValue, Positions, ProbeAnswer, ProbeRequest, TablesKind, ValueName,
};
use everymove_kernel::input::{Input, Lines};

use super::super::fen::FenArgs;
use super::{ask, counts};
use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::Session;

/// The longest line of a file of positions.
const MAX_LINE: usize = 1 << 12;

/// `everymove tables probe`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    position: FenArgs,
    /// Answer each line of this file (- for standard input), a position in FEN or EPD, by a line of JSON; lines of # are skipped
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "fen", "line"])]
    fens: Option<PathBuf>,
    #[command(flatten)]
    request: ProbeRequest,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    if let Some(fens) = &args.fens {
        return positions(fens, &args.request, session);
    }
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
    full += &clock(&answer, &request.fen);
    if !answer.moves.is_empty() {
        full += &format!("moves, with their value for {}:\n", mover(&answer));
    }
    for choice in &answer.moves {
        let value = word(choice.value);
        full += &format!("  {:8} {value}", choice.san);
        if let Some(plies) = choice.distance {
            full += &format!(", {plies} plies to {}", counts::goal(answer.metric));
        }
        full += &at_clock(&answer, choice);
        full.push('\n');
    }
    if let Some(line) = &answer.line {
        full += &format!("{}\n", line.join(" "));
    }
    show::<ProbeRequest>(&answer, &Text { bare, full }, session)
}

/// Answers each position of a file by a line of JSON: a no if one of them has no value.
fn positions(fens: &Path, request: &ProbeRequest, session: &Session) -> Result<Outcome, Failure> {
    let tables = Positions::new(&request.source, request.syzygy, request.clock, &session.run)?;
    let is_standard = fens == Path::new("-");
    let input = match is_standard {
        true => Input::standard(&session.run),
        false => Input::open(fens, &session.run),
    };
    let mut lines = Lines::new(input.map_err(everymove_api::Error::from)?, MAX_LINE);
    let mut out = std::io::BufWriter::with_capacity(1 << 16, session.out());
    let mut all = true;
    while let Some(line) = lines.next_line().map_err(everymove_api::Error::from)? {
        let fen = line.trim();
        if fen.is_empty() || fen.starts_with('#') {
            continue;
        }
        let found = tables.value(fen)?;
        all &= found.error.is_none();
        serde_json::to_writer(&mut out, &found).map_err(std::io::Error::from)?;
        out.write_all(b"\n")?;
        // Who asks through a pipe may wait for the answer.
        if is_standard {
            out.flush()?;
        }
    }
    out.flush()?;
    Ok(Outcome::yes_if(all))
}

/// A line on the half-move clock of the position, if it has one or it was asked for.
fn clock(answer: &ProbeAnswer, fen: &str) -> String {
    let Some(at) = &answer.at_clock else {
        let clock = fen.split_whitespace().nth(4);
        let runs = clock.is_some_and(|clock| clock.parse::<u32>().is_ok_and(|n| n > 0));
        return match runs && answer.value != ValueName::Draw {
            true => "  with a half-move clock of 0: --clock counts that of the position\n".into(),
            false => String::new(),
        };
    };
    let unknown = match at.value {
        "win or draw" | "loss or draw" if answer.tables == TablesKind::Dtm => {
            ": plies to mate do not determine it, plies to a zeroing move (dtz) do"
        }
        "win or draw" | "loss or draw" if answer.tables == TablesKind::Dtc => {
            ": plies to a conversion do not determine it, plies to a zeroing move (dtz) do"
        }
        "win or draw" | "loss or draw" => {
            ": Syzygy files do not determine it, a .dtz table of our own does"
        }
        _ => "",
    };
    let plies = match at.dtm50 {
        Some(Some(plies)) => format!(", {plies} plies to {}", counts::goal(answer.metric)),
        _ => String::new(),
    };
    format!(
        "  with the half-move clock of {}: {}{plies}{unknown}\n",
        at.clock, at.value
    )
}

/// What the half-move clock makes of a move, where that is not what its value says.
fn at_clock(answer: &ProbeAnswer, choice: &MoveValue) -> String {
    match (choice.at_clock, &answer.at_clock) {
        (Some(value), Some(at)) => {
            let later = choice
                .distance_at_clock
                .filter(|&plies| plies != choice.distance);
            match later.flatten() {
                Some(plies) => format!("; {value}, {plies} plies with the clock of {}", at.clock),
                None if value == word(choice.value) => String::new(),
                None => format!("; {value} with the clock of {}", at.clock),
            }
        }
        _ => String::new(),
    }
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
