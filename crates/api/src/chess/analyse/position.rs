//! The analysis of one position.

use everymove_engine::score::UciScore;
use everymove_engine::{Game, Line, Position, SearchReport};
use everymove_kernel::run::Work;
use schemars::JsonSchema;
use serde::Serialize;

use super::searcher::{Searcher, white_score};
use crate::chess::notation;
use crate::error::Error;
use crate::request::Updates;

/// Lines of play from a position, the best first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PositionAnswer {
    /// The position.
    fen: String,
    /// The depth of the last complete iteration; 0 if the answer was known without a search.
    depth: u32,
    /// How the game is over in this position: `checkmate`, `stalemate`; null if it is not.
    ending: Option<&'static str>,
    /// The lines; none if the game is over.
    lines: Vec<LineOfPlay>,
    /// What was repaired in the position, a line for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
    /// Why endgame tables that were named are not used, a line for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) table_faults: Vec<String>,
    /// What it cost.
    #[serde(skip)]
    pub(super) work: Work,
}

/// A line of play.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct LineOfPlay {
    /// The score for White.
    score: String,
    /// `at least` or `at most` where the search of the line was interrupted, so that the score is
    /// a bound; absent if it is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<&'static str>,
    /// The moves in standard algebraic notation, numbered.
    san: String,
    /// The moves in UCI notation.
    uci: Vec<String>,
}

/// An intermediate result: the lines of an iteration.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct PositionUpdate {
    /// The depth of the iteration.
    depth: u32,
    /// Seconds since the search began.
    seconds: f64,
    /// Nodes of all threads.
    nodes: u64,
    /// Entries of the transposition table in use, in thousandths.
    hashfull: u32,
    /// Positions found in endgame tables.
    tb_hits: u64,
    /// The lines, the best first.
    lines: Vec<UpdateLine>,
}

/// A line of an iteration.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct UpdateLine {
    /// The score for White, the moves.
    #[serde(flatten)]
    line: LineOfPlay,
    /// The score for White in hundredths of a pawn; null for a mate.
    centipawns: Option<i32>,
    /// Moves to mate, positive if White mates; null without a mate.
    mate: Option<i32>,
}

impl PositionAnswer {
    /// The lines with their scores.
    pub(super) fn text(&self) -> String {
        if let Some(ending) = self.ending {
            return format!("{ending}: there is no legal move\n");
        }
        let mut text = format!("depth {}, scores for White\n", self.depth);
        for line in &self.lines {
            let bound = line.bound.map(|bound| format!("{bound} "));
            let score = bound.unwrap_or_default() + &line.score;
            text += &format!("{score:>8}  {}\n", line.san);
        }
        text
    }
}

impl PositionUpdate {
    fn new(position: &Position, report: &SearchReport) -> Self {
        let line = |line: &Line| {
            let score = white_score(position, line);
            UpdateLine {
                line: line_of_play(position, line),
                centipawns: match score {
                    UciScore::Centipawns(n) => Some(n),
                    _ => None,
                },
                mate: score.mate(),
            }
        };
        Self {
            depth: report.depth,
            seconds: report.elapsed.as_secs_f64(),
            nodes: report.nodes,
            hashfull: report.hashfull,
            tb_hits: report.tb_hits,
            lines: report.lines.iter().map(line).collect(),
        }
    }
}

fn line_of_play(position: &Position, line: &Line) -> LineOfPlay {
    LineOfPlay {
        score: white_score(position, line).in_pawns(),
        bound: notation::bound(position, line),
        uci: notation::uci_line(position, &line.pv),
        san: notation::line(position, &line.pv),
    }
}

pub(super) fn analyse(
    position: &Position,
    searcher: &mut Searcher<'_>,
    updates: &mut Updates<'_>,
) -> Result<PositionAnswer, Error> {
    (searcher.run.progress).start("searching the position", 0);
    let mut listener = |report: &SearchReport| {
        // A struct of numbers and texts is always a value.
        if let Ok(update) = serde_json::to_value(PositionUpdate::new(position, report)) {
            updates(update);
        }
    };
    let game = Game::from(position.clone());
    let answer = searcher.search_with(position, &game, &mut listener)?;
    let lines = answer.report.lines.iter();
    let lines = lines.map(|line| line_of_play(position, line));
    let ending = answer.best.is_none().then(|| {
        let check = !position.checkers().is_empty();
        if check { "checkmate" } else { "stalemate" }
    });
    Ok(PositionAnswer {
        fen: position.fen(),
        depth: answer.report.depth,
        ending,
        lines: lines.collect(),
        notes: Vec::new(),
        table_faults: searcher.engine.table_faults(),
        work: searcher.work(),
    })
}
