//! `tours complete`: whether a path can still become a tour.

use everymove_kernel::grid::Square;
use everymove_kernel::run::{Run, Work};
use everymove_tours::board::Board;
use everymove_tours::complete::{Completion, PathError, complete};
use everymove_tours::search::SearchError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{Kind, KindRequest};
use super::text::{TourText, squares};
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// Nodes that the search may visit unless another number is given: about a second.
const NODES: u64 = 4_000_000;

/// Whether a path of moves can still become a tour.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct CompleteRequest {
    /// The board and the kind of tour.
    #[command(flatten)]
    #[serde(flatten)]
    pub question: KindRequest,
    /// The squares visited so far, in order: a1-b3-c5
    #[arg(long, value_name = "SQUARES")]
    #[serde(default)]
    pub path: String,
    /// Nodes that the search may visit [default: 4000000]
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct CompletePlan {
    board: Board,
    kind: everymove_tours::board::Kind,
    path: Vec<Square>,
    nodes: u64,
}

/// Whether a path can still become a tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Possible {
    /// It can.
    Yes,
    /// It cannot.
    No,
    /// The search did not decide it within its nodes.
    Unknown,
}

/// Whether a path can still become a tour.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompleteAnswer {
    /// The board as ROWSxCOLS.
    pub board: String,
    /// Open or closed tours.
    pub kind: Kind,
    /// Squares visited so far.
    pub visited: usize,
    /// Squares of the board.
    pub squares: usize,
    /// Whether the path can still become a tour.
    pub possible: Possible,
    /// Why it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// A tour that completes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tour: Option<TourText>,
    /// The squares that can be visited next, with the number of free squares a move away from
    /// each.
    pub next: Vec<NextSquare>,
    #[serde(skip)]
    work: Work,
}

/// A square that can be visited next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NextSquare {
    /// The square.
    pub square: String,
    /// Free squares a move away from it.
    pub degree: usize,
}

impl Request for CompleteRequest {
    const COMMAND: &'static str = "tours complete";
    const IS_SERVED: bool = true;
    type Plan = CompletePlan;
    type Answer = CompleteAnswer;

    fn plan(&self) -> Result<CompletePlan, Error> {
        let board = self.question.board.plan()?;
        let names = self
            .path
            .split(['-', ',', ' '])
            .filter(|name| !name.is_empty());
        let path = names.map(|name| board.parse_square(name));
        Ok(CompletePlan {
            path: path
                .collect::<Result<_, _>>()
                .map_err(Error::field("path"))?,
            kind: self.question.kind(),
            nodes: self.nodes.unwrap_or(NODES),
            board,
        })
    }

    fn run(plan: &CompletePlan, run: &Run) -> Result<CompleteAnswer, Error> {
        let (board, path) = (&plan.board, &plan.path);
        let (completion, work) =
            complete(board, plan.kind, path, plan.nodes, run).map_err(|error| match error {
                PathError::Search(SearchError::Stopped(stopped)) => stopped.into(),
                PathError::Search(SearchError::OverBudget(over)) => over.into(),
                error => Error::input(Some("path"), error),
            })?;
        let (possible, reason, tour) = match completion {
            Completion::Possible(tour) => (Possible::Yes, None, Some(TourText(tour))),
            Completion::Impossible(dead) => (Possible::No, Some(dead.to_string()), None),
            Completion::Undecided => (Possible::Unknown, None, None),
        };
        let is_free = |square: &Square| !path.contains(square);
        let next = path
            .last()
            .into_iter()
            .flat_map(|&last| board.neighbours(last));
        let next = next.filter(is_free).map(|square| NextSquare {
            square: board.grid().name(square),
            degree: board.neighbours(square).filter(is_free).count(),
        });
        Ok(CompleteAnswer {
            board: board.grid().to_string(),
            kind: plan.kind.into(),
            visited: path.len(),
            squares: board.playable(),
            possible,
            reason,
            tour,
            next: next.collect(),
            work,
        })
    }
}

impl Answer for CompleteAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.possible == Possible::Yes)
    }

    fn work(&self) -> Work {
        self.work.clone()
    }
}

impl OnTerminal for CompleteRequest {
    type View = ();

    fn show(_: &CompletePlan, answer: &CompleteAnswer, (): &()) -> Result<Shown, Error> {
        let (word, more) = match answer.possible {
            Possible::Yes => ("yes", answer.tour.as_ref().map(|tour| squares(&tour.0))),
            Possible::No => ("no", answer.reason.clone()),
            Possible::Unknown => (
                "unknown",
                Some("not decided within the nodes allowed".into()),
            ),
        };
        let more = more.map_or(String::new(), |more| format!(": {more}"));
        let text = Text {
            bare: format!("{word}\n"),
            full: format!("{word}{more}\n"),
        };
        Ok(text.into())
    }
}
