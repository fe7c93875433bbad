//! `analyse`: what the engine finds in a position, in test positions, in games.
//!
//! - [`position`]: one position, with several lines of play;
//! - [`test_positions`]: positions in Extended Position Description, whose best moves (`bm`) and
//!   moves to avoid (`am`) are compared with the engine's;
//! - [`games`]: games in PGN, every move of which is judged by [`everymove_arena::review`]. That
//!   module judges by evaluations and knows no engine; searching belongs here, because only this
//!   crate may use both.

mod games;
mod mirror;
mod position;
mod searcher;
mod test_positions;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use everymove_engine::{Clock, Limits, Position};
use everymove_kernel::files::Output;
use everymove_kernel::input::{Input, read_older_text};
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::shown;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use games::GamesAnswer;
use position::PositionAnswer;
use searcher::Searcher;
use test_positions::TestAnswer;

use super::notation;
use super::range::within;
use crate::error::Error;
use crate::picture::Content;
use crate::request::{Answer, Outcome, Request, Updates};
use crate::site::Site;
use crate::terminal::{
    Ended, OnTerminal, Screen, Shown, Source as Given, Text, prepared, under_display, write_answer,
};

/// What the engine finds in a position, in test positions, in games: scores, better moves, accuracy
///
/// Exactly one of `fen`, `positions` and `games` is given.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
#[command(visible_alias = "analyze")]
pub struct AnalyseRequest {
    /// A position in Forsyth-Edwards notation, in quotes
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Test positions in Extended Position Description, one a line; best moves (bm) and moves to
    /// avoid (am) are checked.
    #[arg(skip)]
    positions: Option<String>,
    /// Games in Portable Game Notation.
    #[arg(skip)]
    games: Option<String>,
    /// The name of the file of the positions or games in messages.
    #[arg(skip)]
    file: Option<String>,
    /// The number of the only game that is analysed, from 1; the others are written as they are
    /// [default: all]
    #[arg(long, value_name = "N")]
    number: Option<u64>,
    /// Lines of play of a position, 1 to 100 [default: 1]
    #[arg(long, value_name = "N")]
    lines: Option<u16>,
    /// Depth of each search in plies, 1 to 200
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Nodes of each search
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Seconds of each search [default, without a depth and nodes: 2]
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Folders with tables of `everymove tables build`, separated as in PATH: positions in them
    /// are known to the ply
    #[arg(long, value_name = "DIR")]
    tables: Option<String>,
    /// Folders with Syzygy tables
    #[arg(long, value_name = "DIRS")]
    syzygy_path: Option<String>,
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
    /// A position, and what was repaired in it.
    Position(Position, Option<String>),
    /// Test positions, and how many.
    Tests(Source, u64),
    /// Games, how many positions are searched, and the only game of which, if not those of all.
    Games(Source, u64, Option<u64>),
}

/// A text that is read, and the name of its file. It is read when the question is checked, and
/// again when it is answered, so that what it says is never in memory as a whole.
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

/// What the engine found. Scores are for White, as in books: pawns with a sign (`+0.31`), or moves
/// to mate (`#3`, `#-3`).
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
                let position = notation::repaired_position(fen);
                let (position, note) = position.map_err(Error::field("fen"))?;
                Subject::Position(position, note)
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
                let mut number = 0;
                games::read(&source, |game| {
                    number += 1;
                    if self.number.is_none_or(|only| only == number) {
                        positions += game.positions();
                    }
                    Ok(())
                })?;
                if let Some(only) = &self.number {
                    within("number", only, &(1..=number))?;
                }
                Subject::Games(source, positions, self.number)
            }
            _ => {
                let message = "expected one of a position, test positions or games";
                return Err(Error::message(None, message));
            }
        };
        if self.number.is_some() && !matches!(subject, Subject::Games(..)) {
            let line = "there are no games: expected a position or the number of a game, not both";
            return Err(Error::message(Some("number"), line));
        }
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

    /// The updates of a position have its depth and its lines, one for each iteration.
    fn run_with_updates(
        plan: &AnalysePlan,
        run: &Run,
        updates: &mut Updates<'_>,
    ) -> Result<AnalyseAnswer, Error> {
        let site = (plan.tables.as_deref(), plan.syzygy.as_deref());
        // The text is in the question and in the plan.
        let text = match &plan.subject {
            Subject::Position(..) => 0,
            Subject::Tests(source, _) | Subject::Games(source, ..) => 2 * source.text.len() as u64,
        };
        let _text = run.ram.reserve("the text that is analysed", text)?;
        let mut searcher = Searcher::new(plan.limits.clone(), plan.lines, site, run)?;
        Ok(match &plan.subject {
            Subject::Position(position, note) => {
                let mut answer = position::analyse(position, &mut searcher, updates)?;
                answer.notes.extend(note.clone());
                AnalyseAnswer::Position(answer)
            }
            Subject::Tests(source, tests) => {
                AnalyseAnswer::Tests(test_positions::analyse(source, *tests, &mut searcher)?)
            }
            Subject::Games(source, positions, only) => {
                AnalyseAnswer::Games(games::analyse(source, *positions, *only, &mut searcher)?)
            }
        })
    }
}

/// What is analysed, and files.
#[derive(Debug, clap::Args)]
pub struct AnalyseView {
    /// A position (FEN), a file of positions (.epd; best moves are checked) or of games (.pgn)
    #[arg(
        value_name = "FEN|FILE",
        required_unless_present = "fen",
        conflicts_with = "fen"
    )]
    subject: Vec<String>,
    /// Write all games with evaluations, marks and better lines into this PGN file, beside what
    /// they had, and show a summary
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the expected score of White by move as SVG into this file (FILE-1, FILE-2 and so on
    /// for several games)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// The largest file of positions or games that is read, in bytes.
const MAX_FILE: u64 = 256 << 20;

impl OnTerminal for AnalyseRequest {
    type View = AnalyseView;

    /// Finds out whether the subject is a position or a file, which is read.
    fn complete(&mut self, view: &mut AnalyseView, run: &Run) -> Result<Given, Error> {
        let subject = view.subject.join(" ");
        let lower = subject.to_ascii_lowercase();
        let (epd, pgn) = (lower.ends_with(".epd"), lower.ends_with(".pgn"));
        let is_fen = || notation::read_position(&subject).is_ok();
        let looks_like_fen = || subject.contains(' ') || subject.matches('/').count() == 7;
        let path = Path::new(&subject);
        if view.subject.is_empty() {
            // The position is in the request.
        } else if !(epd || pgn) && (is_fen() || (looks_like_fen() && !path.exists())) {
            self.fen = Some(subject);
        } else {
            let text = read_older_text(Input::open(path, run)?, MAX_FILE)?.to_owned();
            match pgn || (!epd && text.trim_start().starts_with('[')) {
                true => self.games = Some(text),
                false => self.positions = Some(text),
            }
            self.file = Some(subject);
        }
        if self.games.is_none() && (view.out.is_some() || view.svg.is_some()) {
            let line = "--out and --svg are for games (.pgn)";
            return Err(Error::message(None, line));
        }
        Ok(Given::default())
    }

    fn show(_: &AnalysePlan, answer: &AnalyseAnswer, view: &AnalyseView) -> Result<Shown, Error> {
        let games = match answer {
            AnalyseAnswer::Position(answer) => return Ok(Text::same(answer.text()).into()),
            AnalyseAnswer::Tests(answer) => return Ok(Text::same(answer.text()).into()),
            AnalyseAnswer::Games(answer) => answer,
        };
        let mut files = Vec::new();
        let text = match view.out {
            None => games.pgn.clone(),
            Some(_) => {
                files.push(Content::Bytes(games.pgn.clone().into_bytes()));
                let paths = view.paths(games.games.len());
                let wrote = paths.map(|path| format!("wrote {}\n", path.display()));
                games.summary() + &wrote.collect::<String>()
            }
        };
        if view.svg.is_some() {
            for game in &games.games {
                files.push(Content::Bytes(game.chart()?.into_bytes()));
            }
        }
        Ok(Shown {
            text: Text::same(text),
            files,
        })
    }

    fn ask(mut self, mut view: AnalyseView, screen: &dyn Screen) -> Result<Ended, Error> {
        self.complete(&mut view, screen.run())?;
        let files = view.out.iter().chain(&view.svg);
        prepared(files.map(|path| &**path).collect())?;
        let plan = self.plan()?;
        let answer = under_display(screen, |run| Self::run(&plan, run))?;
        let shown = Self::show(&plan, &answer, &view)?;
        if let AnalyseAnswer::Games(answer) = &answer {
            for (path, content) in view.paths(answer.games.len()).zip(shown.files) {
                let bytes = content.bytes(screen.run())?;
                Output::prepare(path)?.publish(|draft| draft.put(&bytes))?;
            }
        }
        write_answer::<Self>(&answer, &shown.text, screen)
    }
}

impl AnalyseView {
    /// The files for a number of games: the games themselves, and a chart of each.
    fn paths(&self, games: usize) -> impl Iterator<Item = PathBuf> {
        let charts = self.svg.iter().flat_map(move |path| {
            (1..=games).map(move |number| {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                match games {
                    1 => path.clone(),
                    _ => path.with_file_name(format!("{stem}-{number}.svg")),
                }
            })
        });
        self.out.iter().cloned().chain(charts)
    }
}

impl Answer for AnalyseAnswer {
    fn notes(&self) -> &[String] {
        match self {
            Self::Position(answer) => &answer.notes,
            Self::Tests(answer) => &answer.notes,
            Self::Games(answer) => &answer.notes,
        }
    }

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
        match self {
            Self::Position(answer) => answer.work.clone(),
            Self::Tests(answer) => answer.work.clone(),
            Self::Games(answer) => answer.work.clone(),
        }
    }
}
