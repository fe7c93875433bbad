//! `engine perft`: leaves of the tree of legal moves.

use everymove_engine::{Position, perft};
use everymove_kernel::run::Work;
use serde_json::{Map, Value};
use shakmaty::CastlingMode;

use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// Which tree.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Plies
    #[arg(value_parser = clap::value_parser!(u32).range(1..=15))]
    depth: u32,
    /// The position [default: the start position]
    #[arg(long)]
    fen: Option<String>,
    /// Castling moves are written from king to rook
    #[arg(long)]
    chess960: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let mode = CastlingMode::from_chess960(args.chess960);
    let position = match &args.fen {
        Some(fen) => Position::from_fen(fen, mode).map_err(Failure::input)?,
        None => Position::default(),
    };
    let counts = session
        .work(|run| perft::divide(&position, args.depth, run))
        .map_err(|_| Failure::stopped(""))?;
    let leaves: u64 = counts.iter().map(|&(_, n)| n).sum();
    let moves: Vec<_> = counts.iter().map(|&(m, n)| (position.uci(m), n)).collect();
    let lines: String = moves
        .iter()
        .map(|(uci, n)| format!("{uci}: {n}\n"))
        .collect();
    let fields: Map<String, Value> = (moves.iter())
        .map(|(uci, n)| (uci.clone(), n.to_string().into()))
        .collect();
    Answer::new("engine perft", Outcome::Yes)
        .field("fen", position.fen())
        .field("depth", args.depth)
        .field("leaves", leaves.to_string())
        .field("moves", fields)
        .bare(format!("{leaves}\n"))
        .text(format!("{lines}\n{leaves} leaves\n"))
        .work(&Work::of("leaves", leaves))
        .show(session)
}
