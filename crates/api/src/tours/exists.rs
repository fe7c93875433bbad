//! `tours exists`: what theorems say about the existence of a tour.

use everymove_kernel::run::Run;
use everymove_tours::question::Question;
use everymove_tours::theory;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{Kind, QuestionRequest};
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// Whether a board has a tour at all, and why: theorems, no search.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct ExistsRequest {
    /// The board, the kind of tour and its ends.
    #[command(flatten)]
    #[serde(flatten)]
    pub question: QuestionRequest,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct ExistsPlan(Question);

/// What theorems say.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExistsAnswer {
    /// The board as ROWSxCOLS.
    pub board: String,
    /// Open or closed tours.
    pub kind: Kind,
    /// Whether there is such a tour.
    pub exists: Existence,
    /// The theorem, with its author and year; or that none is known here that settles it.
    pub reason: String,
}

/// Whether there is a tour, as far as theorems say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Existence {
    /// There is one.
    Yes,
    /// There is none.
    No,
    /// No theorem known here settles it.
    Unknown,
}

impl Request for ExistsRequest {
    const COMMAND: &'static str = "tours exists";
    const IS_SERVED: bool = true;
    type Plan = ExistsPlan;
    type Answer = ExistsAnswer;

    fn plan(&self) -> Result<ExistsPlan, Error> {
        Ok(ExistsPlan(self.question.plan()?))
    }

    fn run(plan: &ExistsPlan, run: &Run) -> Result<ExistsAnswer, Error> {
        let ExistsPlan(question) = plan;
        let (exists, reason) = match theory::existence(question, run)? {
            theory::Existence::Exists(theorem) => (Existence::Yes, theorem.to_string()),
            theory::Existence::None(theorem) => (Existence::No, theorem.to_string()),
            theory::Existence::Unknown => {
                let reason = "no theorem known here settles it: search with tours find or count";
                (Existence::Unknown, reason.to_owned())
            }
        };
        Ok(ExistsAnswer {
            board: question.board.grid().to_string(),
            kind: question.kind.into(),
            exists,
            reason,
        })
    }
}

impl Answer for ExistsAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.exists != Existence::No)
    }
}

impl OnTerminal for ExistsRequest {
    type View = ();

    fn show(_: &ExistsPlan, answer: &ExistsAnswer, (): &()) -> Result<Shown, Error> {
        let word = match answer.exists {
            Existence::Yes => "yes",
            Existence::No => "no",
            Existence::Unknown => "unknown",
        };
        let text = Text {
            bare: format!("{word}\n"),
            full: format!("{word}: {}\n", answer.reason),
        };
        Ok(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read;

    #[test]
    fn wrong_fields_are_named() {
        let plan = |json: &str| read::<ExistsRequest>(json).and_then(|request| request.plan());
        let field = |json: &str| plan(json).unwrap_err().wrong_field();
        assert_eq!(field(r#"{ "board": "8" }"#), Some("board"));
        assert_eq!(field(r#"{ "board": "8x8", "start": "z9" }"#), Some("start"));
        assert_eq!(
            field(r#"{ "board": "8x8", "holes": "a1,,b2" }"#),
            Some("holes")
        );
        assert_eq!(
            field(r#"{ "board": "8x8", "leaper": "0,0" }"#),
            Some("leaper")
        );
        let unknown = plan(r#"{ "board": "8x8", "close": true }"#).unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "'close' is not a field of this request: expected board, closed, end, holes, leaper, piece, start"
        );
        assert!(
            plan(r#"{ "closed": true }"#)
                .unwrap_err()
                .to_string()
                .contains("board")
        );
    }
}
