//! `analyse`: what the engine finds in a position, in test positions, in games.
//!
//! - [`position`]: one position, with several lines of play;
//! - [`test_positions`]: positions in Extended Position Description, whose best moves (`bm`) and moves to avoid (`am`) are
//!   compared with the engine's;
//! - [`games`]: games in PGN, every move of which is judged by [`everymove_arena::review`]. That module judges by
//!   evaluations and knows no engine; searching belongs here, because only this crate may use both.

mod games;
mod mirror;
mod position;
mod searcher;
mod test_positions;

use std::sync::Arc;
use std::time::Duration;

use everymove_engine::{Clock, Limits, Position};
use everymove_kernel::input::Input;
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::shown;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use games::{GameAnalysis, GamesAnswer, MarkCounts, MoveAnalysis, SideSummary};
pub use position::{LineOfPlay, PositionAnswer, PositionUpdate, UpdateLine};
pub use test_positions::{EpdRow, TestAnswer};

use searcher::Searcher;

use super::notation;
use super::range::within;
use crate::error::Error;
use crate::request::{Answer, Outcome, Request, Updates};
use crate::site::Site;

/// What the engine finds in a position, in test positions or in games: exactly one of `fen`, `positions` and `games`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct AnalyseRequest {
    /// A position in Forsyth-Edwards notation, in quotes
    #[arg(long, value_name = "FEN")]
    #[serde(default)]
    pub fen: Option<String>,
    /// Test positions in Extended Position Description, one a line; best moves (bm) and moves to avoid (am) are checked.
    #[arg(skip)]
    #[serde(default)]
    pub positions: Option<String>,
    /// Games in Portable Game Notation.
    #[arg(skip)]
    #[serde(default)]
    pub games: Option<String>,
    /// The name of the file of the positions or games in messages.
    #[arg(skip)]
    #[serde(default)]
    pub file: Option<String>,
    /// Lines of play of a position, 1 to 100 [default: 1]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub lines: Option<u16>,
    /// Depth of each search in plies, 1 to 200
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub depth: Option<u32>,
    /// Nodes of each search
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub nodes: Option<u64>,
    /// Seconds of each search [default, without a depth and nodes: 2]
    #[arg(long, value_name = "SECONDS")]
    #[serde(default)]
    pub time: Option<f64>,
    /// Folder with tables of `everymove tables build`: positions in them are known to the ply
    #[arg(long, value_name = "DIR")]
    #[serde(default)]
    pub tables: Option<String>,
    /// Folders with Syzygy tables
    #[arg(long, value_name = "DIRS")]
    #[serde(default)]
    pub syzygy_path: Option<String>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct AnalysePlan {
    subject: Subject,
    lines: usize,
    limits: Limits,
    tables: Option<String>,
    syzygy: Option<String>,
}

#[derive(Clone, Debug)]
enum Subject {
    Position(Position),
    /// Test positions, and how many.
    Tests(Source, u64),
    /// Games, and how many positions they have.
    Games(Source, u64),
}

/// A text that is read, and the name of its file. It is read when the question is checked, and again when it is answered, so that
/// what it says is never in memory as a whole.
#[derive(Clone, Debug)]
struct Source {
    text: Arc<[u8]>,
    file: Option<String>,
}

impl Source {
    fn new(text: &str, file: Option<&str>) -> Self {
        Self {
            text: text.as_bytes().into(),
            file: file.map(str::to_owned),
        }
    }

    /// How messages call it.
    fn name(&self) -> String {
        self.file
            .as_deref()
            .map_or_else(|| "the text".to_owned(), shown)
    }

    fn input(&self) -> Input {
        let text = std::io::Cursor::new(self.text.clone());
        Input::new(self.name(), text, &Run::checking())
    }
}

/// What the engine found. Scores are for White, as in books: pawns with a sign (`+0.31`), or moves to mate (`#3`, `#-3`).
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AnalyseAnswer {
    /// In a position.
    Position(PositionAnswer),
    /// In test positions.
    Tests(TestAnswer),
    /// In games.
    Games(GamesAnswer),
}

impl Request for AnalyseRequest {
    const COMMAND: &'static str = "analyse";
    const IS_SERVED: bool = true;
    type Plan = AnalysePlan;
    type Answer = AnalyseAnswer;

    fn restrict(&mut self, site: &Site) -> Result<(), Error> {
        site.set_engine_tables(&mut self.tables, &mut self.syzygy_path)
    }

    fn plan(&self) -> Result<AnalysePlan, Error> {
        let file = self.file.as_deref();
        let subject = match (&self.fen, &self.positions, &self.games) {
            (Some(fen), None, None) => {
                let position = notation::read_position(fen);
                Subject::Position(position.map_err(Error::field("fen"))?)
            }
            (None, Some(text), None) => {
                let (source, mut tests) = (Source::new(text, file), 0);
                test_positions::read(&source, |_| {
                    tests += 1;
                    Ok(())
                })?;
                Subject::Tests(source, tests)
            }
            (None, None, Some(text)) => {
                let (source, mut positions) = (Source::new(text, file), 0);
                games::read(&source, |game| {
                    positions += game.positions();
                    Ok(())
                })?;
                Subject::Games(source, positions)
            }
            _ => {
                let message = "expected one of a position, test positions or games";
                return Err(Error::message(None, message));
            }
        };
        let lines = self.lines.unwrap_or(1);
        within("lines", &lines, &(1..=100))?;
        if let Some(depth) = &self.depth {
            within("depth", depth, &(1..=200))?;
        }
        if let Some(nodes) = &self.nodes {
            within("nodes", nodes, &(1..=u64::MAX))?;
        }
        let time = match (self.time, self.depth, self.nodes) {
            (None, None, None) => Some(2.0),
            (time, ..) => time,
        };
        if let Some(seconds) = &time {
            within("time", seconds, &(0.001..=86_400.0))?;
        }
        Ok(AnalysePlan {
            subject,
            lines: lines.into(),
            limits: Limits {
                depth: self.depth,
                nodes: self.nodes,
                clock: time.map(|t| Clock::PerMove(Duration::from_secs_f64(t))),
                ..Limits::default()
            },
            tables: self.tables.clone(),
            syzygy: self.syzygy_path.clone(),
        })
    }

    fn run(plan: &AnalysePlan, run: &Run) -> Result<AnalyseAnswer, Error> {
        Self::run_with_updates(plan, run, &mut |_| {})
    }

    /// The updates of a position are [`PositionUpdate`]s, one for each iteration.
    fn run_with_updates(
        plan: &AnalysePlan,
        run: &Run,
        updates: &mut Updates<'_>,
    ) -> Result<AnalyseAnswer, Error> {
        let site = (plan.tables.as_deref(), plan.syzygy.as_deref());
        // The text is in the question and in the plan.
        let text = match &plan.subject {
            Subject::Position(_) => 0,
            Subject::Tests(source, _) | Subject::Games(source, _) => 2 * source.text.len() as u64,
        };
        let _text = run.ram.reserve("the text that is analysed", text)?;
        let mut searcher = Searcher::new(plan.limits.clone(), plan.lines, site, run)?;
        Ok(match &plan.subject {
            Subject::Position(position) => {
                AnalyseAnswer::Position(position::analyse(position, &mut searcher, updates)?)
            }
            Subject::Tests(source, tests) => {
                AnalyseAnswer::Tests(test_positions::analyse(source, *tests, &mut searcher)?)
            }
            Subject::Games(source, positions) => {
                AnalyseAnswer::Games(games::analyse(source, *positions, &mut searcher)?)
            }
        })
    }
}

impl Answer for AnalyseAnswer {
    fn table_faults(&self) -> &[String] {
        match self {
            Self::Position(answer) => &answer.table_faults,
            Self::Tests(answer) => &answer.table_faults,
            Self::Games(answer) => &answer.table_faults,
        }
    }

    fn outcome(&self) -> Outcome {
        match self {
            Self::Tests(tests) => Outcome::yes_if(tests.right == tests.asked),
            Self::Position(_) | Self::Games(_) => Outcome::Yes,
        }
    }

    fn work(&self) -> Work {
        Work::of(
            "nodes",
            match self {
                Self::Position(answer) => answer.nodes,
                Self::Tests(answer) => answer.nodes,
                Self::Games(answer) => answer.nodes,
            },
        )
    }
}
