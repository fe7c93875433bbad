//! `tours find`: one tour of any board that has one.

use std::io::{self, Write};
use std::path::PathBuf;

use everymove_kernel::files::{FileError, Output};
use everymove_kernel::run::{Run, Stop, Work};
use everymove_tours::check;
use everymove_tours::construct::{self, FindError, Options};
use everymove_tours::formats::{Format, Writer};
use everymove_tours::question::Question;
use everymove_tours::tour::Tour;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{Kind, QuestionRequest};
use super::picture::PictureView;
use super::text::TourText;
use super::words::{FormatName, MagicKind, board_words, fits, grid, words};
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};
use crate::terminal::{
    Ended, Format as ShownAs, OnTerminal, Screen, Text, under_display, unwritten, write_answer,
};

/// Tours of more squares are not part of an answer in JSON.
const MAX_IN_JSON: usize = 1_000_000;

/// One tour of any board that has one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct FindRequest {
    /// The board, the kind of tour and its ends.
    #[command(flatten)]
    #[serde(flatten)]
    pub question: QuestionRequest,
    /// Different seeds give different tours, equal seeds the same [default: 0]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct FindPlan {
    question: Question,
    options: Options,
}

/// A tour, or the reason why there is none.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FindAnswer {
    /// The board as ROWSxCOLS.
    pub board: String,
    /// An open or a closed tour.
    pub kind: Kind,
    /// Whether there is a tour.
    pub found: bool,
    /// How it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<FindMethod>,
    /// Its first square.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Its last square.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// Whether the independent verifier accepted it; always true of a tour in an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
    /// The squares in order, `a1-b3-c5`; left out of tours of more than a million squares and of
    /// those that are written into a file.
    #[serde(skip_serializing_if = "is_left_out")]
    pub tour: Option<TourText>,
    /// Whether its step numbers are magic, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub magic: Option<MagicKind>,
    /// Why there is none: a theorem, or a search that has tried all possibilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip)]
    work: Work,
}

fn is_left_out(tour: &Option<TourText>) -> bool {
    tour.as_ref()
        .is_none_or(|TourText(tour)| tour.board().playable() > MAX_IN_JSON)
}

/// How a tour was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindMethod {
    /// By exact search on the whole board.
    Search,
    /// Assembled from tiles.
    Tiles,
    /// Row by row in alternating directions, for the (0,1)-leaper.
    Boustrophedon,
}

impl Request for FindRequest {
    const COMMAND: &'static str = "tours find";
    const IS_SERVED: bool = true;
    type Plan = FindPlan;
    type Answer = FindAnswer;

    fn plan(&self) -> Result<FindPlan, Error> {
        Ok(FindPlan {
            question: self.question.plan()?,
            options: Options {
                seed: self.seed.unwrap_or(0),
                ..Options::default()
            },
        })
    }

    fn run(plan: &FindPlan, run: &Run) -> Result<FindAnswer, Error> {
        let question = &plan.question;
        let grid = question.board.grid();
        let mut answer = FindAnswer {
            board: grid.to_string(),
            kind: question.kind.into(),
            found: false,
            method: None,
            start: None,
            end: None,
            verified: None,
            tour: None,
            magic: None,
            reason: None,
            work: Work::default(),
        };
        let found = match construct::find(question, plan.options, run) {
            Ok(found) => found,
            Err(FindError::Impossible(theorem)) => {
                answer.reason = Some(theorem.to_string());
                return Ok(answer);
            }
            Err(error) if error.is_answer() => {
                answer.reason = Some(error.to_string());
                return Ok(answer);
            }
            Err(error) => return Err(error.into()),
        };
        let report = check::verify_in(&found.tour, run)?
            .map_err(|fault| Error::machine(format!("a wrong tour was constructed: {fault}")))?;
        answer.found = true;
        answer.method = Some(match found.method {
            construct::Method::Search => FindMethod::Search,
            construct::Method::Tiles => FindMethod::Tiles,
            construct::Method::Boustrophedon => FindMethod::Boustrophedon,
        });
        answer.start = Some(grid.name(report.start));
        answer.end = Some(grid.name(report.end));
        answer.verified = Some(true);
        answer.magic = found.tour.magic().map(MagicKind::from);
        answer.tour = Some(TourText(found.tour));
        answer.work = found.work;
        Ok(answer)
    }
}

impl Answer for FindAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.found)
    }

    fn work(&self) -> Work {
        self.work.clone()
    }
}

/// How the tour is shown, and where it is written.
#[derive(Debug, clap::Args)]
pub struct FindView {
    /// Write the tour into a file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How the tour is written [default: grid into a file, boxes on the terminal]
    #[arg(long, value_enum)]
    format: Option<FormatName>,
    #[command(flatten)]
    picture: PictureView,
}

/// What a tour in an answer takes for each square.
const BYTES_AS_TEXT: u64 = 36;

impl OnTerminal for FindRequest {
    type View = FindView;

    fn ask(self, view: FindView, screen: &dyn Screen) -> Result<Ended, Error> {
        let plan = self.plan()?;
        let board = &plan.question.board;
        let format = view.format.map(Format::from);
        let picture = view.picture.plan()?;
        if let Some(picture) = &picture {
            picture.fits(board.playable())?;
        }
        let out = view.out.as_ref().map(Output::prepare).transpose()?;
        // A tour that the answer holds as text.
        let squares = board.playable();
        let is_text = screen.format() == ShownAs::Json && out.is_none();
        let bytes = match is_text && squares <= MAX_IN_JSON {
            true => BYTES_AS_TEXT * squares as u64,
            false => 0,
        };
        let held = screen.run().ram.reserve("the tour as text", bytes);
        let _held = held.map_err(|over| {
            let need = over.need + 6 * squares as u64;
            over.at_least(need)
        })?;
        let mut answer = under_display(screen, |run| Self::run(&plan, run))?;
        let Some(TourText(tour)) = &answer.tour else {
            let board = board_words(board);
            let reason = answer.reason.as_deref().unwrap_or_default();
            let full = format!("no {} tour of the {board}: {reason}\n", plan.question.kind);
            let bare = String::new();
            return write_answer::<Self>(&answer, &Text { bare, full }, screen);
        };
        let shown = match (&out, screen.format()) {
            (Some(_), _) | (_, ShownAs::Json) => String::new(),
            _ => shown(format, tour, screen)?,
        };
        // What was asked for in a format goes out as that alone, for other programs to read.
        let full = match format {
            Some(_) if out.is_none() => String::new(),
            _ => format!("{shown}{}, verified\n", words(tour)),
        };
        let is_written = out.is_some();
        if let Some(out) = out {
            under_display(screen, |run| {
                run.progress.start("writing the tour", 0);
                write(out, format.unwrap_or(Format::Grid), tour, &run.stop)
            })?;
        }
        if let Some(picture) = picture {
            picture.draw(std::slice::from_ref(tour), screen)?;
        }
        if is_written {
            answer.tour = None;
        }
        write_answer::<Self>(&answer, &Text { bare: shown, full }, screen)
    }
}

/// The tour as the terminal shows it: in the format that was asked for, in boxes if it is small, or
/// not at all.
fn shown(format: Option<Format>, tour: &Tour, screen: &dyn Screen) -> Result<String, Error> {
    match format {
        // Bytes and large boards are written at once: a copy in memory is avoided.
        Some(format) => {
            let mut writer = Writer::new(screen.out(), format);
            let written = writer.write(tour).and_then(|()| writer.finish()?.flush());
            written.map_err(unwritten)?;
            Ok(String::new())
        }
        None if fits(tour) => Ok(grid(tour)),
        None => Ok(String::new()),
    }
}

fn write(out: Output, format: Format, tour: &Tour, stop: &Stop) -> Result<(), Error> {
    let path = out.path().display().to_string();
    out.publish(|draft| {
        let mut writer = Writer::new(UntilStopped(draft, stop), format);
        let written = writer.write(tour).and_then(|()| writer.finish().map(drop));
        written.map_err(|error| match stop.check() {
            Err(stopped) => Error::from(stopped),
            Ok(()) => FileError::io("write", path, error).into(),
        })
    })
}

/// A file that takes no more bytes once a run is stopped.
struct UntilStopped<'a, W>(W, &'a Stop);

impl<W: Write> Write for UntilStopped<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.check().map_err(io::Error::other)?;
        self.0.write(&bytes[..bytes.len().min(1 << 20)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
