//! `everymove tours exists`: what theorems say.

use everymove_api::tours::{Existence, ExistsRequest};

use crate::answer::{Outcome, Text, ask, show};
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn run(request: &ExistsRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, session)?;
    let word = match answer.exists {
        Existence::Yes => "yes",
        Existence::No => "no",
        Existence::Unknown => "unknown",
    };
    let text = Text {
        bare: format!("{word}\n"),
        full: format!("{word}: {}\n", answer.reason),
    };
    show::<ExistsRequest>(&answer, &text, session)
}
