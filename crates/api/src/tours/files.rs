//! Requests about tours in a file: `tours verify`, `tours draw`, and the reading that they share.

use std::collections::HashSet;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use everymove_kernel::input::{Input, InputError};
use everymove_kernel::run::{Reservation, Run};
use everymove_kernel::text::{grouped, shown};
use everymove_tours::board::Kind;
use everymove_tours::check;
use everymove_tours::formats::{Hints, ReadError, Reader};
use everymove_tours::tour::Tour;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::leaper;
use super::picture::PictureView;
use super::words::{grid, line, words};
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};
use crate::terminal::{Ended, OnTerminal, Screen, Shown, Text, under_display, write_answer};

/// A file of tours, and what it does not contain itself.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct FileRequest {
    /// The file, in any format that tours are written in; - for standard input
    pub file: PathBuf,
    /// Take the tours for closed ones
    #[arg(long)]
    #[serde(default)]
    pub closed: bool,
    /// The piece leaps A squares one way and B the other [default: as in the file, or the knight]
    #[arg(long, value_name = "A,B", allow_hyphen_values = true)]
    pub leaper: Option<String>,
    /// The piece, where it is not a single leaper: Betza's notation, such as WF or CW, or a name,
    /// such as king
    #[arg(long, value_name = "PIECE", allow_hyphen_values = true)]
    pub piece: Option<String>,
}

/// A checked file of tours.
#[derive(Clone, Debug)]
pub struct FilePlan {
    file: PathBuf,
    hints: Hints,
}

impl FileRequest {
    fn plan(&self) -> Result<FilePlan, Error> {
        let hints = Hints {
            board: None,
            leaper: leaper(self.leaper.as_deref(), self.piece.as_deref())?,
            kind: self.closed.then_some(Kind::Closed),
        };
        Ok(FilePlan::new(self.file.clone(), hints))
    }
}

impl FilePlan {
    pub(super) fn new(file: PathBuf, hints: Hints) -> Self {
        Self { file, hints }
    }

    /// All tours of the file: what is not a tour has no line to draw.
    fn verified(&self, run: &Run) -> Result<(Vec<Tour>, Vec<Reservation>), Error> {
        let (list, held) = self.open(run)?.all(run)?;
        for (i, tour) in list.iter().enumerate() {
            check::verify_in(tour, run)?.map_err(|fault| {
                Error::message(Some("file"), format!("tour {}: {fault}", i + 1))
            })?;
        }
        Ok((list, held))
    }

    /// The tours of the file.
    pub(super) fn open(&self, run: &Run) -> Result<Tours, Error> {
        let input = match self.file == Path::new("-") {
            true => Input::standard(run),
            false => Input::open(&self.file, run),
        };
        let input = input.map_err(refuse)?;
        let name = shown(input.name());
        let enough = run.ram.used() + BYTES_A_BYTE * input.left().unwrap_or(0);
        match Reader::new(input.buffered(), self.hints.clone(), run) {
            Ok(reader) => Ok(Tours {
                reader,
                name,
                enough,
            }),
            Err(error) => Err(Error::of_tours(&name, at_least(error, enough))),
        }
    }
}

/// The most bytes of memory for each byte of a text of one tour.
const BYTES_A_BYTE: u64 = 12;

/// A refusal names the bytes that are enough for all of a file.
fn at_least(error: ReadError, enough: u64) -> ReadError {
    match error {
        ReadError::OverBudget(over) => over.at_least(enough).into(),
        other => other,
    }
}

fn refuse(error: InputError) -> Error {
    match error {
        InputError::Stopped(stopped) => stopped.into(),
        InputError::OverBudget(over) => over.into(),
        error => Error::message(Some("file"), format!("{error}, expected a file of tours")),
    }
}

/// The tours of a file, one at a time.
pub(super) struct Tours {
    reader: Reader<BufReader<Input>>,
    name: String,
    /// The bytes of memory that are enough.
    enough: u64,
}

impl Tours {
    /// The next tour, or the fault of a text that no tour can have.
    fn next(&mut self) -> Option<Result<Tour, Problem>> {
        let next = self.reader.next()?;
        Some(next.map_err(|error| match error {
            ReadError::Fault { place, fault } => Problem::Fault(format!("{place}: {fault}")),
            error => Problem::Error(Error::of_tours(&self.name, at_least(error, self.enough))),
        }))
    }

    /// All tours, in memory that is reserved.
    pub(super) fn all(mut self, run: &Run) -> Result<(Vec<Tour>, Vec<Reservation>), Error> {
        let (mut tours, mut held) = (Vec::new(), Vec::new());
        while let Some(next) = self.next() {
            let tour = next.map_err(|problem| match problem {
                Problem::Fault(line) => {
                    Error::message(Some("file"), format!("{}: {line}", self.name))
                }
                Problem::Error(error) => error,
            })?;
            held.push(run.ram.reserve("the tours of the file", tour.bytes())?);
            tours.push(tour);
        }
        Ok((tours, held))
    }
}

enum Problem {
    Fault(String),
    Error(Error),
}

/// Whether the tours in a file are tours, by the independent verifier.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct VerifyRequest {
    /// The file.
    #[command(flatten)]
    #[serde(flatten)]
    pub file: FileRequest,
    /// No tour may occur twice
    #[arg(long)]
    #[serde(default)]
    pub distinct: bool,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct VerifyPlan {
    file: FilePlan,
    distinct: bool,
}

/// Whether all tours of a file are valid.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerifyAnswer {
    /// Whether all are.
    pub valid: bool,
    /// How many tours were valid, up to the first fault.
    pub tours: u64,
    /// What is wrong with the first tour that is not valid.
    pub fault: Option<String>,
    /// What the last valid tour is, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

impl Request for VerifyRequest {
    const COMMAND: &'static str = "tours verify";
    type Plan = VerifyPlan;
    type Answer = VerifyAnswer;

    fn plan(&self) -> Result<VerifyPlan, Error> {
        Ok(VerifyPlan {
            file: self.file.plan()?,
            distinct: self.distinct,
        })
    }

    fn run(plan: &VerifyPlan, run: &Run) -> Result<VerifyAnswer, Error> {
        let mut tours = plan.file.open(run)?;
        let (mut seen, mut held) = (HashSet::new(), Vec::new());
        let mut last = None;
        let mut answer = VerifyAnswer {
            valid: true,
            tours: 0,
            fault: None,
            last: None,
        };
        run.progress.start("verifying", 0);
        while let Some(next) = tours.next() {
            run.stop.check()?;
            let number = answer.tours + 1;
            let fault = match next {
                Err(Problem::Error(error)) => return Err(error),
                Err(Problem::Fault(line)) => Some(line),
                Ok(tour) => {
                    // A faulty tour needs as much again while its fault is sought.
                    run.ram.require("verifying the tour", tour.bytes())?;
                    match check::verify_in(&tour, run)? {
                        Err(fault) => Some(format!("tour {number}: {fault}")),
                        Ok(_) => {
                            run.progress.worked(tour.steps().len() as u64);
                            if plan.distinct {
                                let bytes = 2 * tour.bytes();
                                held.push(run.ram.reserve("the tours seen", bytes)?);
                            }
                            let repeated = plan.distinct && !seen.insert(tour.steps().to_vec());
                            last = Some(tour);
                            repeated.then(|| format!("tour {number} has occurred before"))
                        }
                    }
                }
            };
            if fault.is_some() {
                answer.valid = false;
                answer.fault = fault;
                break;
            }
            answer.tours = number;
        }
        answer.last = last.as_ref().map(words);
        Ok(answer)
    }
}

impl Answer for VerifyAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.valid)
    }
}

/// The tours in a file, drawn.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct DrawRequest {
    /// The file.
    #[command(flatten)]
    #[serde(flatten)]
    pub file: FileRequest,
}

/// The tours of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DrawAnswer {
    /// How many tours there are.
    pub tours: u64,
}

impl Request for DrawRequest {
    const COMMAND: &'static str = "tours draw";
    type Plan = FilePlan;
    type Answer = DrawAnswer;

    fn plan(&self) -> Result<FilePlan, Error> {
        self.file.plan()
    }

    fn run(plan: &FilePlan, run: &Run) -> Result<DrawAnswer, Error> {
        let (list, _held) = plan.verified(run)?;
        let tours = list.len() as u64;
        Ok(DrawAnswer { tours })
    }
}

impl Answer for DrawAnswer {}

impl OnTerminal for VerifyRequest {
    type View = ();

    fn show(_: &VerifyPlan, answer: &VerifyAnswer, (): &()) -> Result<Shown, Error> {
        let (bare, full) = match (&answer.fault, &answer.last) {
            (Some(fault), _) => ("invalid\n", format!("invalid: {fault}\n")),
            (None, Some(last)) if answer.tours == 1 => ("valid\n", format!("valid: {last}\n")),
            (None, _) => {
                let tours = grouped(answer.tours);
                ("valid\n", format!("valid: {tours} tours\n"))
            }
        };
        let bare = bare.to_owned();
        Ok(Text { bare, full }.into())
    }
}

impl OnTerminal for DrawRequest {
    type View = PictureView;

    fn ask(self, view: PictureView, screen: &dyn Screen) -> Result<Ended, Error> {
        let (plan, picture) = (self.plan()?, view.plan()?);
        let (list, _held) = under_display(screen, |run| plan.verified(run))?;
        let boxes: Vec<_> = match picture {
            None => list.iter().map(|tour| grid(tour) + &line(tour)).collect(),
            Some(picture) => {
                picture.draw(&list, screen)?;
                Vec::new()
            }
        };
        let tours = list.len() as u64;
        let text = Text::same(boxes.join("\n"));
        write_answer::<Self>(&DrawAnswer { tours }, &text, screen)
    }
}
