//! `tours list`: every tour of a small board.

use std::ops::ControlFlow;

use everymove_kernel::grid::Square;
use everymove_kernel::run::{Run, Work};
use everymove_tours::question::{Direction, Question};
use everymove_tours::symmetric::Representatives;
use everymove_tours::{Listed, list};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{Kind, QuestionRequest, direction};
use super::collect::{Collector, first};
use super::stream::{StreamView, write_tours};
use super::text::TourText;
use super::words::{MagicTour, MagicTours};
use crate::envelope::Count;
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};
use crate::terminal::{Ended, Format, OnTerminal, Screen};

/// Every tour of a small board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct ListRequest {
    /// The board, the kind of tour and its ends.
    #[command(flatten)]
    #[serde(flatten)]
    pub question: QuestionRequest,
    /// List a tour and its reverse as two
    #[arg(long)]
    #[serde(default)]
    pub directed: bool,
    /// List one tour of each class: tours that symmetries of the board map onto each other are one
    #[arg(long, conflicts_with_all = ["directed", "start", "end"])]
    #[serde(default)]
    pub classes: bool,
    /// At most this many tours [default: all]
    #[arg(long, value_name = "N")]
    pub number: Option<u64>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct ListPlan {
    /// The question.
    pub question: Question,
    direction: Direction,
    /// Whether of each class one tour is listed.
    classes: bool,
    /// At most this many tours.
    limit: u64,
}

impl ListPlan {
    /// Calls `visitor` with each tour as its squares in order.
    ///
    /// # Errors
    /// [`Error`] if the board is too large for a search, or the run is stopped.
    pub fn visit(
        &self,
        run: &Run,
        visitor: impl FnMut(&[Square]) -> ControlFlow<()>,
    ) -> Result<Listed, Error> {
        if self.limit == 0 {
            return Ok(Listed::default());
        }
        let mut visitor = first(self.limit, visitor);
        let Question { board, kind, .. } = &self.question;
        let representatives = self.classes.then(|| Representatives::new(board, *kind));
        let visitor = |order: &[Square]| match &representatives {
            Some(representatives) if !representatives.has(order) => ControlFlow::Continue(()),
            _ => visitor(order),
        };
        Ok(list(&self.question, self.direction, run, visitor)?)
    }
}

/// The tours.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListAnswer {
    /// The board as ROWSxCOLS.
    pub board: String,
    /// Open or closed tours.
    pub kind: Kind,
    /// Whether a tour and its reverse are listed as two.
    pub directed: bool,
    /// The tours, each as its squares in order.
    pub tours: Vec<TourText>,
    /// The magic ones of the tours, at most a thousand; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub magic: Vec<MagicTour>,
    /// How many tours are listed.
    pub count: Count,
    /// Whether no tour was asked for.
    #[serde(skip)]
    is_empty: bool,
    #[serde(skip)]
    work: Work,
}

impl Request for ListRequest {
    const COMMAND: &'static str = "tours list";
    const IS_SERVED: bool = true;
    type Plan = ListPlan;
    type Answer = ListAnswer;

    fn plan(&self) -> Result<ListPlan, Error> {
        let has_ends = self.question.start.is_some() || self.question.end.is_some();
        if self.classes && (self.directed || has_ends) {
            let line = "classes are of all undirected tours: give neither a direction nor an end";
            return Err(Error::message(Some("classes"), line));
        }
        Ok(ListPlan {
            question: self.question.plan()?,
            direction: direction(self.directed),
            classes: self.classes,
            limit: self.number.unwrap_or(u64::MAX),
        })
    }

    fn run(plan: &ListPlan, run: &Run) -> Result<ListAnswer, Error> {
        let question = &plan.question;
        let mut collector = Collector::new(question, run);
        let listed = plan.visit(run, |order| collector.keep(order))?;
        let tours = collector.finish()?;
        Ok(ListAnswer {
            board: question.board.grid().to_string(),
            kind: question.kind.into(),
            directed: plan.direction == Direction::Directed,
            count: Count(tours.len() as u64),
            magic: MagicTours::of(&tours).list(),
            tours,
            is_empty: plan.limit == 0,
            work: listed.work,
        })
    }
}

impl Answer for ListAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.count.0 > 0 || self.is_empty)
    }

    fn work(&self) -> Work {
        self.work.clone()
    }
}

impl OnTerminal for ListRequest {
    type View = StreamView;

    fn ask(self, view: StreamView, screen: &dyn Screen) -> Result<Ended, Error> {
        let plan = self.plan()?;
        let question = &plan.question;
        let fields = vec![
            ("command", Self::COMMAND.into()),
            ("board", question.board.grid().to_string().into()),
            ("kind", question.kind.to_string().into()),
            ("directed", (plan.direction == Direction::Directed).into()),
        ];
        write_tours(question, view.plan()?, fields, screen, |stream| {
            // No progress display: the tours themselves go to the terminal.
            let listed = plan.visit(screen.run(), |order| stream.take(order))?;
            if let (Some(theorem), Format::Full) = (&listed.theorem, screen.format()) {
                screen.note(&format!("no tours: {theorem}"));
            }
            let is_found = stream.written() > 0 || plan.limit == 0;
            Ok((Outcome::yes_if(is_found), listed.work))
        })
    }
}
