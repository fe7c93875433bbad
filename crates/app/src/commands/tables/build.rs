//! `everymove tables build`: what was built as text.

use everymove_api::tables::BuildRequest;

use super::{ask, counts, resumption};
use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::Session;

pub(super) fn run(request: &BuildRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, resumption(request.checkpoint.is_some()), session)?;
    let file = &answer.file;
    let mut full = match answer.made.len() {
        0 => format!("{file} was there already\n"),
        1 => format!("made {file}\n"),
        n => format!("made {file} and {} tables it needs\n", n - 1),
    };
    if let Some(stats) = &answer.stats {
        full += &counts::text(stats, answer.metric);
    }
    if let Some(syzygy) = &answer.syzygy {
        full += &format!("made {} Syzygy files\n", syzygy.len());
    }
    let text = Text {
        bare: format!("{file}\n"),
        full,
    };
    show::<BuildRequest>(&answer, &text, session)
}
