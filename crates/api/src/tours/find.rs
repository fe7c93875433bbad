//! `tours find`: one tour of any board that has one.

use everymove_kernel::run::{Run, Work};
use everymove_tours::check::{self, Report};
use everymove_tours::construct::{self, FindError, Options};
use everymove_tours::question::Question;
use everymove_tours::tour::Tour;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{Kind, QuestionRequest};
use super::text::TourText;
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};

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
    #[serde(default)]
    pub seed: Option<u64>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct FindPlan {
    /// The question.
    pub question: Question,
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
    /// The squares in order, `a1-b3-c5`; left out of tours of more than a million squares and of those that are written
    /// into a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tour: Option<TourText>,
    /// Why there is none: a theorem, or a search that has tried all possibilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The tour and the report of the verifier.
    #[serde(skip)]
    pub solution: Option<(Tour, Report)>,
    /// What it cost.
    #[serde(skip)]
    pub work: Work,
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
            reason: None,
            solution: None,
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
        answer.tour = (report.squares <= MAX_IN_JSON).then(|| TourText(found.tour.clone()));
        answer.solution = Some((found.tour, report));
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
