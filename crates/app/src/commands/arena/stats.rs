//! `everymove arena stats`: what results say about strength.

use everymove_api::arena::{StatsAnswer, StatsRequest};

use super::show;
use crate::answer::{Outcome, Text, ask};
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn run(request: &StatsRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, session)?;
    let (mut text, test) = match &answer {
        StatsAnswer::Estimate(answer) => {
            let e = &answer.estimate;
            let text = format!(
                "score {:.2} %   Elo {}   normalised {}   LOS {:.2} %\n",
                100.0 * e.score,
                show::elo(e.elo, e.elo_error),
                show::elo(e.nelo, e.nelo_error),
                100.0 * e.los
            );
            (text, &answer.sprt)
        }
        StatsAnswer::Results(answer) => {
            let mut text = show::results(&answer.engines, &answer.names, &answer.standings);
            let skipped = answer.skipped.to_string();
            if !skipped.is_empty() {
                text += &format!("{skipped}\n");
            }
            (text, &answer.sprt)
        }
    };
    if let Some(test) = test {
        text += &format!("{test}\n");
    }
    let text = Text {
        bare: text.clone(),
        full: text,
    };
    crate::answer::show::<StatsRequest>(&answer, &text, session)
}
