//! `everymove tours verify`: the independent checker on a file.

use everymove_api::tours::VerifyRequest;

use super::show;
use crate::answer::{self, Outcome, Text, ask, grouped};
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn run(request: &VerifyRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, session)?;
    let (bare, full) = match (&answer.fault, &answer.last) {
        (Some(fault), _) => ("invalid\n", format!("invalid: {fault}\n")),
        (None, Some((tour, report))) if answer.tours == 1 => {
            ("valid\n", format!("valid: {}\n", show::words(tour, report)))
        }
        (None, _) => (
            "valid\n",
            format!("valid: {} tours\n", grouped(answer.tours)),
        ),
    };
    let text = Text {
        bare: bare.to_owned(),
        full,
    };
    answer::show::<VerifyRequest>(&answer, &text, session)
}
