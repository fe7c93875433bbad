//! `everymove tours complete`: whether a path can still become a tour.

use everymove_api::tours::{CompleteRequest, Possible};

use crate::answer::{Outcome, Text, ask, show};
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn run(request: &CompleteRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, session)?;
    let (word, more) = match answer.possible {
        Possible::Yes => ("yes", answer.tour.as_ref().map(|tour| tour.text())),
        Possible::No => ("no", answer.reason.clone()),
        Possible::Unknown => (
            "unknown",
            Some("not decided within the nodes allowed".into()),
        ),
    };
    let full = match more {
        Some(more) => format!("{word}: {more}\n"),
        None => format!("{word}\n"),
    };
    let text = Text {
        bare: format!("{word}\n"),
        full,
    };
    show::<CompleteRequest>(&answer, &text, session)
}
