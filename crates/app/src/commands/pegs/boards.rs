//! `everymove pegs boards`: the boards that have names.

use everymove_pegs::{Board, NAMED};
use serde_json::json;

use super::show;
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs boards`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Draw each board
    #[arg(long)]
    draw: bool,
}

/// Boards of the two families that have names for every size, as examples.
const FAMILIES: &[(&str, &str)] = &[
    (
        "square6x6",
        "36 holes; squareRxC is a rectangle of R rows and C columns",
    ),
    (
        "triangle5",
        "15 holes; triangleN has sides of N holes, up to triangle10",
    ),
];

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let named = NAMED.iter().map(|named| (named.name, named.about));
    let (mut text, mut bare, mut objects) = (String::new(), String::new(), Vec::new());
    for (name, about) in named.chain(FAMILIES.iter().copied()) {
        let board = Board::named(name).map_err(Failure::resource)?;
        text += &format!("{name:<12}{about}\n");
        if args.draw {
            text += &format!("\n{}\n", show::indented(&board, board.full()));
        }
        bare += &format!("{name}\n");
        objects.push(json!({
            "name": name,
            "about": about,
            "lattice": board.lattice().to_string(),
            "holes": board.holes(),
            "jumps": board.jumps().len(),
            "symmetries": board.symmetries().len(),
            "invariants": board.invariants().basis().len(),
            "rows": show::rows(&board, board.full()),
        }));
    }
    Answer::new("pegs boards", Outcome::Yes)
        .text(text)
        .bare(bare)
        .field("boards", objects)
        .show(session)
}
