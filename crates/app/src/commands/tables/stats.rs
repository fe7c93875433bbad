//! `everymove tables stats`: counts, longest wins and mutual zugzwangs as text.

use everymove_api::tables::StatsRequest;

use super::{ask, counts};
use crate::answer::{Outcome, Text, grouped, show};
use crate::failure::Failure;
use crate::session::Session;

pub(super) fn run(request: &StatsRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, "", session)?;
    let mut lines = counts::text(&answer.stats, answer.metric);
    let mut list = |title: String, fens: &[String]| {
        lines += &format!("{title}\n");
        lines.extend(fens.iter().map(|fen| format!("  {fen}\n")));
    };
    list("longest wins:".to_owned(), &answer.longest_wins);
    list(
        format!(
            "mutual zugzwangs up to symmetry: {}",
            grouped(answer.mutual_zugzwangs)
        ),
        &answer.zugzwang_examples,
    );
    let text = Text {
        bare: lines.clone(),
        full: lines,
    };
    show::<StatsRequest>(&answer, &text, session)
}
