//! `tours symmetric`: tours that a rotation maps onto themselves, or that consist of rotated copies
//! of a path.

use std::ops::ControlFlow;

use everymove_kernel::grid::Square;
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::grouped;
use everymove_tours::board::Kind;
use everymove_tours::question::Question;
use everymove_tours::symmetric::{self, SymmetricError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::BoardRequest;
use super::collect::{Collector, first};
use super::stream::{StreamView, write_tours};
use super::text::TourText;
use super::words::{MagicTour, MagicTours, board_words};
use crate::envelope::Count;
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};
use crate::terminal::{Ended, OnTerminal, Screen, Shown, Text, ask, write_answer};

/// Tours that a rotation maps onto themselves, or that consist of rotated copies of a path.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct SymmetricRequest {
    /// The board.
    #[command(flatten)]
    #[serde(flatten)]
    pub board: BoardRequest,
    /// The rotation; quarter on a board with a centre square asks for open tours of four rotated
    /// copies of a path, otherwise for closed tours that the rotation maps onto themselves
    #[arg(long, value_enum)]
    pub rotation: Rotation,
    /// List the tours
    #[arg(long)]
    #[serde(default)]
    pub list: bool,
    /// With --list on a board with a centre square, only tours of this type
    #[arg(long = "type", value_enum, ignore_case = true, requires = "list")]
    pub r#type: Option<SystemType>,
    /// List at most this many tours [default: all]
    #[arg(long, value_name = "N")]
    pub number: Option<u64>,
}

/// A rotation about the centre of the board.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Rotation {
    /// By 90 degrees
    Quarter,
    /// By 180 degrees
    Half,
}

/// How four rotated copies of a path make an open tour.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum SystemType {
    /// One copy after the other, then the centre
    A,
    /// Two copies, the centre, two copies backwards
    B,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct SymmetricPlan {
    /// The board and the kind of tour.
    pub question: Question,
    rotation: Rotation,
    /// Whether the tours are listed.
    list: bool,
    /// At most this many.
    limit: u64,
    /// The types wanted, for tours of quarter paths.
    types: Option<Vec<symmetric::SystemType>>,
}

impl SymmetricPlan {
    /// Calls `visitor` with each tour as its squares in order.
    ///
    /// # Errors
    /// [`SymmetricError`]; that there are none by a theorem is [`SymmetricError::Impossible`].
    pub fn visit(
        &self,
        run: &Run,
        visitor: impl FnMut(&[Square]) -> ControlFlow<()>,
    ) -> Result<Work, SymmetricError> {
        let board = &self.question.board;
        if self.limit == 0 {
            return Ok(Work::default());
        }
        let mut limited = first(self.limit, visitor);
        match &self.types {
            None => symmetric::list(board, self.rotation.into(), run, limited),
            Some(types) => symmetric::systems(board, run, |system, order| {
                if types.contains(&system) {
                    limited(order)
                } else {
                    ControlFlow::Continue(())
                }
            }),
        }
    }
}

impl From<Rotation> for symmetric::Rotation {
    fn from(rotation: Rotation) -> Self {
        match rotation {
            Rotation::Quarter => Self::Quarter,
            Rotation::Half => Self::Half,
        }
    }
}

/// Numbers of symmetric tours, or the tours.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SymmetricAnswer {
    /// The board as ROWSxCOLS.
    pub board: String,
    /// Open or closed tours, in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<super::Kind>,
    /// The rotation.
    pub rotation: Rotation,
    /// Closed tours that the rotation maps onto themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagrams: Option<u64>,
    /// Paths that meet every orbit of squares but the centre once and end a move from it, one
    /// start per orbit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarter_paths: Option<u64>,
    /// Open tours of four copies of such a path, then the centre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub type_a: Option<u64>,
    /// Open tours of two copies, the centre, and two copies backwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub type_b: Option<u64>,
    /// The tours, each as its squares in order, in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tours: Option<Vec<TourText>>,
    /// The magic ones of the tours, at most a thousand; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub magic: Vec<MagicTour>,
    /// How many tours are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// The theorem that rules the tours out, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip)]
    work: Work,
}

impl Request for SymmetricRequest {
    const COMMAND: &'static str = "tours symmetric";
    const IS_SERVED: bool = true;
    type Plan = SymmetricPlan;
    type Answer = SymmetricAnswer;

    fn plan(&self) -> Result<SymmetricPlan, Error> {
        use symmetric::SystemType::{A, B};
        let board = self.board.plan()?;
        let has_centre = board.grid().rows() % 2 == 1 && board.grid().cols() % 2 == 1;
        let by_paths = has_centre && self.rotation == Rotation::Quarter;
        if self.r#type.is_some() && !by_paths {
            let line = "types a and b are of quarter turns on boards with a centre square";
            return Err(Error::message(Some("type"), line));
        }
        let types = match self.r#type {
            None => vec![A, B],
            Some(SystemType::A) => vec![A],
            Some(SystemType::B) => vec![B],
        };
        let kind = if by_paths { Kind::Open } else { Kind::Closed };
        Ok(SymmetricPlan {
            question: Question::new(board, kind),
            rotation: self.rotation,
            list: self.list,
            limit: self.number.unwrap_or(u64::MAX),
            types: by_paths.then_some(types),
        })
    }

    fn run(plan: &SymmetricPlan, run: &Run) -> Result<SymmetricAnswer, Error> {
        let question = &plan.question;
        let mut answer = plan.empty_answer();
        let filled = if plan.list {
            list(plan, run, &mut answer)?
        } else if plan.types.is_some() {
            symmetric::quarter_paths(&question.board, run).map(|found| {
                answer.quarter_paths = Some(found.quarter_paths);
                answer.type_a = Some(found.type_a);
                answer.type_b = Some(found.type_b);
                answer.work = found.work;
            })
        } else {
            symmetric::diagrams(&question.board, plan.rotation.into(), run).map(|found| {
                answer.diagrams = Some(found.diagrams);
                answer.work = found.work;
            })
        };
        match filled {
            Ok(()) => Ok(answer),
            Err(error @ SymmetricError::Impossible { .. }) => Ok(plan.impossible(&error)),
            Err(error) => Err(error.into()),
        }
    }
}

/// Collects the tours; the error inside is one of the question, the error outside one of the
/// machine.
fn list(
    plan: &SymmetricPlan,
    run: &Run,
    answer: &mut SymmetricAnswer,
) -> Result<Result<(), SymmetricError>, Error> {
    let question = &plan.question;
    let mut collector = Collector::new(question, run);
    let work = plan.visit(run, |order| collector.keep(order));
    let tours = collector.finish()?;
    Ok(work.map(|work| {
        answer.kind = Some(question.kind.into());
        answer.count = Some(Count(tours.len() as u64));
        answer.magic = MagicTours::of(&tours).list();
        answer.tours = Some(tours);
        answer.work = work;
    }))
}

impl SymmetricPlan {
    fn empty_answer(&self) -> SymmetricAnswer {
        SymmetricAnswer {
            board: self.question.board.grid().to_string(),
            kind: None,
            rotation: self.rotation,
            diagrams: None,
            quarter_paths: None,
            type_a: None,
            type_b: None,
            tours: None,
            magic: Vec::new(),
            count: None,
            reason: None,
            work: Work::default(),
        }
    }

    /// The answer where a theorem rules the tours out.
    pub fn impossible(&self, error: &SymmetricError) -> SymmetricAnswer {
        SymmetricAnswer {
            diagrams: Some(0),
            reason: Some(error.to_string()),
            ..self.empty_answer()
        }
    }
}

impl Answer for SymmetricAnswer {
    fn outcome(&self) -> Outcome {
        let none = self.reason.is_some() || self.count == Some(Count(0));
        Outcome::yes_if(!none)
    }

    fn work(&self) -> Work {
        self.work.clone()
    }
}

impl OnTerminal for SymmetricRequest {
    type View = StreamView;

    fn show(
        plan: &SymmetricPlan,
        answer: &SymmetricAnswer,
        _: &StreamView,
    ) -> Result<Shown, Error> {
        Ok(plan.text(answer).into())
    }

    fn ask(self, view: StreamView, screen: &dyn Screen) -> Result<Ended, Error> {
        if !self.list {
            return ask(self, view, screen);
        }
        let plan = self.plan()?;
        let question = &plan.question;
        let rotation = match plan.rotation {
            Rotation::Half => "half",
            Rotation::Quarter => "quarter",
        };
        let fields = vec![
            ("command", Self::COMMAND.into()),
            ("board", question.board.grid().to_string().into()),
            ("kind", question.kind.to_string().into()),
            ("rotation", rotation.into()),
        ];
        let mut impossible = None;
        let ended = write_tours(question, view.plan()?, fields, screen, |stream| match plan
            .visit(screen.run(), |order| stream.take(order))
        {
            Ok(work) => Ok((Outcome::yes_if(stream.written() > 0), work)),
            Err(error) => {
                if let SymmetricError::Impossible { .. } = &error {
                    impossible = Some(plan.impossible(&error));
                }
                Err(error.into())
            }
        });
        match impossible {
            Some(answer) => write_answer::<Self>(&answer, &plan.text(&answer), screen),
            None => ended,
        }
    }
}

impl SymmetricPlan {
    fn text(&self, answer: &SymmetricAnswer) -> Text {
        let board = board_words(&self.question.board);
        let zero = |n: Option<u64>| n.unwrap_or(0);
        let (bare, full) = match (&answer.reason, answer.quarter_paths) {
            (Some(reason), _) => ("0\n".to_owned(), format!("0: {reason}\n")),
            (None, Some(paths)) => {
                let (a, b) = (zero(answer.type_a), zero(answer.type_b));
                let full = format!(
                    "{} quarter paths of the {board}, one start per orbit\n\
                     {} make an open tour of type A: four copies, then the centre\n\
                     {} make an open tour of type B: the centre between two copies and two\n",
                    grouped(paths),
                    grouped(a),
                    grouped(b),
                );
                (format!("{paths} {a} {b}\n"), full)
            }
            (None, None) => {
                let rotation = match answer.rotation {
                    Rotation::Half => "half turn",
                    Rotation::Quarter => "quarter turn",
                };
                let diagrams = zero(answer.diagrams);
                let full = format!(
                    "{} closed tours of the {board} are symmetric under a {rotation}\n",
                    grouped(diagrams)
                );
                (format!("{diagrams}\n"), full)
            }
        };
        Text { bare, full }
    }
}
