//! `engine perft`: the number of leaves of the tree of legal moves.

use everymove_engine::{Position, perft};
use everymove_kernel::run::{Run, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::CastlingMode;

use super::notation::FenArgs;
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Source, Text};

/// Count the leaves of the tree of legal moves
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct PerftRequest {
    /// The number of plies, 1 to 15
    depth: u32,
    /// The position in Forsyth-Edwards notation [default: the initial position of chess]
    #[arg(skip)]
    fen: Option<String>,
    /// Castling moves are written as the king capturing its rook
    #[arg(long)]
    #[serde(default)]
    chess960: bool,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct PerftPlan {
    position: Position,
    depth: u32,
}

/// Numbers of leaves.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PerftAnswer {
    /// The position.
    fen: String,
    /// The number of plies.
    depth: u32,
    /// The number of leaves of the whole tree, as decimal digits.
    #[serde(serialize_with = "digits")]
    #[schemars(with = "String")]
    leaves: u64,
    /// The number of leaves below each first move (in UCI notation), as decimal digits.
    #[serde(serialize_with = "by_move")]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    moves: Vec<(String, u64)>,
}

fn digits<S: serde::Serializer>(n: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(n)
}

fn by_move<S: serde::Serializer>(
    moves: &[(String, u64)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(moves.iter().map(|(uci, n)| (uci, n.to_string())))
}

impl Request for PerftRequest {
    const COMMAND: &'static str = "engine perft";
    const IS_SERVED: bool = true;
    type Plan = PerftPlan;
    type Answer = PerftAnswer;

    fn plan(&self) -> Result<PerftPlan, Error> {
        if !(1..=15).contains(&self.depth) {
            let message = format!("depth {}: expected 1 to 15", self.depth);
            return Err(Error::message(Some("depth"), message));
        }
        let mode = CastlingMode::from_chess960(self.chess960);
        let position = position(self.fen.as_deref(), mode)?;
        Ok(PerftPlan {
            position,
            depth: self.depth,
        })
    }

    fn run(plan: &PerftPlan, run: &Run) -> Result<PerftAnswer, Error> {
        let counts = perft::divide(&plan.position, plan.depth, run)?;
        Ok(PerftAnswer {
            fen: plan.position.fen(),
            depth: plan.depth,
            leaves: counts.iter().map(|&(_, n)| n).sum(),
            moves: (counts.iter())
                .map(|&(m, n)| (plan.position.uci(m), n))
                .collect(),
        })
    }
}

/// The position of the field `fen`; the initial position of chess if there is none.
fn position(fen: Option<&str>, mode: CastlingMode) -> Result<Position, Error> {
    match fen {
        Some(fen) => Position::from_fen(fen, mode).map_err(Error::field("fen")),
        None => Ok(Position::default()),
    }
}

impl OnTerminal for PerftRequest {
    type View = FenArgs;

    fn complete(&mut self, view: &mut FenArgs, _: &Run) -> Result<Source, Error> {
        self.fen = view.text();
        Ok(Source::default())
    }

    fn show(_: &PerftPlan, answer: &PerftAnswer, _: &FenArgs) -> Result<Shown, Error> {
        let moves = answer.moves.iter();
        let moves: String = moves.map(|(uci, n)| format!("{uci}: {n}\n")).collect();
        Ok(Shown::from(Text {
            bare: format!("{}\n", answer.leaves),
            full: format!("{moves}\n{} leaves\n", answer.leaves),
        }))
    }
}

impl Answer for PerftAnswer {
    fn work(&self) -> Work {
        Work::of("leaves", self.leaves)
    }
}
