//! `everymove tables verify`, `check` and `convert`: commands that name files.

use everymove_api::tables::{CheckRequest, ConvertRequest, VerifyRequest};

use super::ask;
use crate::answer::{Outcome, Text, grouped, show};
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn verify(request: &VerifyRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, "", session)?;
    let found = &answer.verified;
    let mut lines = lines(&answer.wrong);
    for name in &answer.without_dtz {
        lines += &format!(
            "{name} was verified without its .rtbz: that its wins make progress was not shown\n"
        );
    }
    lines += &format!(
        "{} of {} tables follow from the rules, {} positions checked\n",
        found.files - found.failed,
        found.files,
        grouped(found.verified.positions)
    );
    show::<VerifyRequest>(&answer, &same(lines), session)
}

pub(crate) fn check(request: &CheckRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, "", session)?;
    let lines = format!(
        "{}{} of {} files sound, {} blocks\n",
        lines(&answer.damaged),
        answer.files - answer.damaged.len(),
        answer.files,
        grouped(answer.blocks)
    );
    show::<CheckRequest>(&answer, &same(lines), session)
}

pub(crate) fn convert(request: &ConvertRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, "", session)?;
    let text = Text {
        bare: lines(&answer.made),
        full: answer.made.iter().map(|f| format!("made {f}\n")).collect(),
    };
    show::<ConvertRequest>(&answer, &text, session)
}

fn lines(texts: &[String]) -> String {
    texts.iter().map(|text| format!("{text}\n")).collect()
}

/// The same text with and without `--quiet`.
fn same(lines: String) -> Text {
    Text {
        bare: lines.clone(),
        full: lines,
    }
}
