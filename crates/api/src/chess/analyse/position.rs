//! The analysis of one position.

use everymove_engine::{Game, Position};
use schemars::JsonSchema;
use serde::Serialize;

use super::searcher::{Searcher, white_score};
use crate::chess::notation;
use crate::error::Error;

/// Lines of play from a position, the best first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PositionAnswer {
    /// The position.
    pub fen: String,
    /// The depth of the last complete iteration; 0 if the answer was known without a search.
    pub depth: u32,
    /// How the game is over in this position: `checkmate`, `stalemate`; null if it is not.
    pub ending: Option<&'static str>,
    /// The lines; none if the game is over.
    pub lines: Vec<LineOfPlay>,
    /// Nodes searched.
    #[serde(skip)]
    #[schemars(skip)]
    pub nodes: u64,
}

/// A line of play.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LineOfPlay {
    /// The score for White.
    pub score: String,
    /// The moves in standard algebraic notation, numbered.
    pub san: String,
    /// The moves in UCI notation.
    pub uci: Vec<String>,
}

pub(super) fn analyse(
    position: &Position,
    searcher: &mut Searcher<'_>,
) -> Result<PositionAnswer, Error> {
    (searcher.run.progress).start("searching the position", 0);
    let answer = searcher.search(&Game::from(position.clone()))?;
    let lines = answer.report.lines.iter().map(|line| {
        let mut now = position.clone();
        let uci = line.pv.iter().map(|&m| {
            let uci = now.uci(m);
            now = now.play(m);
            uci
        });
        LineOfPlay {
            score: white_score(position, line).in_pawns(),
            uci: uci.collect(),
            san: notation::line(position, &line.pv),
        }
    });
    let ending = answer.best.is_none().then(|| {
        let check = !position.checkers().is_empty();
        if check { "checkmate" } else { "stalemate" }
    });
    Ok(PositionAnswer {
        fen: position.fen(),
        depth: answer.report.depth,
        ending,
        lines: lines.collect(),
        nodes: searcher.nodes,
    })
}
