//! Test positions in Extended Position Description (EPD).

use everymove_arena::fen::Epd;
use everymove_engine::{Game, Position};
use everymove_kernel::input::Lines;
use everymove_kernel::run::Work;
use schemars::JsonSchema;
use serde::Serialize;
use shakmaty::Move;

use super::Source;
use super::searcher::{Searcher, place, white_score};
use crate::chess::notation::{read_move, repaired_position, san};
use crate::error::Error;

/// About the bytes of a row's short strings.
const SMALL_STRINGS: usize = 64;

/// The longest line that is read, in bytes.
const MOST_LINE: usize = 1 << 16;

/// The engine's moves in test positions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TestAnswer {
    /// The positions in the order of the text.
    positions: Vec<EpdRow>,
    /// The number of positions with best moves or moves to avoid.
    pub(super) asked: u32,
    /// The number of them in which the engine's move is right.
    pub(super) right: u32,
    /// What was repaired in positions, a line for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
    /// Why endgame tables that were named are not used, a line for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) table_faults: Vec<String>,
    /// What it cost.
    #[serde(skip)]
    pub(super) work: Work,
}

/// A test position and the engine's move.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct EpdRow {
    /// The position.
    fen: String,
    /// The engine's move in UCI notation.
    best: String,
    /// The score for White.
    score: String,
    /// Whether the move is one of the best moves and none of those to avoid; null if the line
    /// names neither.
    right: Option<bool>,
    /// The engine's move in standard algebraic notation.
    san: String,
    /// The line of the text.
    line: String,
}

impl TestAnswer {
    /// A line for each position, and how many are right.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for row in &self.positions {
            let mark = match row.right {
                None => ' ',
                Some(true) => '+',
                Some(false) => '-',
            };
            text += &format!("{mark} {:<8}{:>8}  {}\n", row.san, row.score, row.line);
        }
        if self.asked > 0 {
            text += &format!("{} of {} right\n", self.right, self.asked);
        }
        text
    }
}

/// A line of the text, checked.
#[derive(Clone, Debug)]
pub(super) struct TestPosition {
    position: Position,
    /// What was repaired in the position.
    note: Option<String>,
    best: Vec<Move>,
    avoid: Vec<Move>,
    line: String,
}

/// Reads the lines of a text one at a time; empty lines and those that start with `#` are skipped.
pub(super) fn read(
    source: &Source,
    mut each: impl FnMut(TestPosition) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut lines = Lines::new(source.input(), MOST_LINE);
    let mut is_empty = true;
    while let Some(line) = (lines.next_line()).map_err(Error::field("positions"))? {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let read = parse_line(line);
        let at_line = |what: String| {
            let place = place(source.file.as_deref(), "line", lines.number());
            format!("{place}: {what}")
        };
        let mut test = read.map_err(|reason| Error::message(Some("positions"), at_line(reason)))?;
        test.note = test.note.map(at_line);
        is_empty = false;
        each(test)?;
    }
    if is_empty {
        let name = source.name();
        let message = format!("there are no positions in {name}: expected EPD, one a line");
        return Err(Error::message(Some("positions"), message));
    }
    Ok(())
}

fn parse_line(line: &str) -> Result<TestPosition, String> {
    let epd = Epd::read(line).map_err(|e| e.to_string())?;
    let (position, note) = repaired_position(&epd.fen).map_err(|e| e.to_string())?;
    if position.legal_moves().is_empty() {
        return Err("the game is over in this position".to_owned());
    }
    let listed = |code: &str| -> Result<Vec<_>, String> {
        let moves = epd.operands(code).into_iter();
        let read = |text| read_move(&position, text).map_err(|error| format!("{code} {error}"));
        moves.map(read).collect()
    };
    let (best, avoid) = (listed("bm")?, listed("am")?);
    Ok(TestPosition {
        position,
        note,
        best,
        avoid,
        line: line.to_owned(),
    })
}

pub(super) fn analyse(
    source: &Source,
    tests: u64,
    searcher: &mut Searcher<'_>,
) -> Result<TestAnswer, Error> {
    let run = searcher.run;
    run.progress.start("searching positions", tests);
    let what = "the answers of the positions";
    let mut held = run.ram.reserve(what, 0)?;
    let mut strings = 0;
    let mut answer = TestAnswer {
        positions: Vec::new(),
        asked: 0,
        right: 0,
        notes: Vec::new(),
        table_faults: searcher.engine.table_faults(),
        work: Work::default(),
    };
    read(source, |test| {
        let position = &test.position;
        let found = searcher.search(position, &Game::from(position.clone()))?;
        let (Some(m), Some(line)) = (found.best, found.report.lines.first()) else {
            return Err(Error::machine("the search was given no thread"));
        };
        let asked = !test.best.is_empty() || !test.avoid.is_empty();
        let right = (test.best.is_empty() || test.best.contains(&m)) && !test.avoid.contains(&m);
        answer.asked += u32::from(asked);
        answer.right += u32::from(asked && right);
        let row = EpdRow {
            fen: position.fen(),
            best: position.uci(m),
            score: white_score(position, line).in_pawns(),
            right: asked.then_some(right),
            san: san(position, m),
            line: test.line,
        };
        strings += row.fen.len() + row.line.len() + SMALL_STRINGS;
        strings += (test.note.as_ref()).map_or(0, |note| note.len() + SMALL_STRINGS);
        answer.positions.push(row);
        answer.notes.extend(test.note);
        let rows = answer.positions.capacity() * size_of::<EpdRow>();
        held.resize(what, (rows + strings) as u64)?;
        run.progress.advance(1);
        Ok(())
    })?;
    answer.work = searcher.work();
    Ok(answer)
}
