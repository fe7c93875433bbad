//! `tours list`: every tour of a small board.

use std::ops::ControlFlow;

use everymove_kernel::grid::Square;
use everymove_kernel::run::{Run, Work};
use everymove_tours::question::{Direction, Question};
use everymove_tours::theory::Theorem;
use everymove_tours::{Listed, list};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{Kind, QuestionRequest, direction};
use super::collect::{Collector, first};
use super::text::TourText;
use crate::envelope::Count;
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};

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
    /// At most this many tours [default: all]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub number: Option<u64>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct ListPlan {
    /// The question.
    pub question: Question,
    /// Whether a tour and its reverse are one.
    pub direction: Direction,
    /// At most this many tours.
    pub limit: u64,
}

impl ListPlan {
    /// Calls `visitor` with each tour as its squares in order, for interfaces that show tours while they are found.
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
        let visitor = first(self.limit, visitor);
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
    /// How many tours are listed.
    pub count: Count,
    /// The theorem that says that there are no tours, where one does.
    #[serde(skip)]
    pub theorem: Option<Theorem>,
    /// The most tours that were asked for.
    #[serde(skip)]
    pub limit: u64,
    /// What it cost.
    #[serde(skip)]
    pub work: Work,
}

impl Request for ListRequest {
    const COMMAND: &'static str = "tours list";
    const IS_SERVED: bool = true;
    type Plan = ListPlan;
    type Answer = ListAnswer;

    fn plan(&self) -> Result<ListPlan, Error> {
        Ok(ListPlan {
            question: self.question.plan()?,
            direction: direction(self.directed),
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
            tours,
            theorem: listed.theorem,
            limit: plan.limit,
            work: listed.work,
        })
    }
}

impl Answer for ListAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.count.0 > 0 || self.limit == 0)
    }

    fn work(&self) -> Work {
        self.work.clone()
    }
}
