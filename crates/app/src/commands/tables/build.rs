//! `everymove tables build`: what was built as text.

use std::io::{Write, stderr};

use everymove_api::tables::{
    BatchAnswer, BuildAnswer, BuildRequest, EndingAnswer, EstimateAnswer, Metric,
};
use everymove_kernel::run::Bytes;

use super::{ask, counts, resumption};
use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

pub(crate) fn run(request: &BuildRequest, session: &Session) -> Result<Outcome, Failure> {
    let advice = match request.all {
        Some(_) => "the same command resumes with the first unfinished file",
        None if request.metric == Some(Metric::Dtm50) => {
            "the same command resumes with the first unfinished table"
        }
        None => resumption(request.checkpoint.is_some()),
    };
    if request.all.is_some() && !request.estimate && session.format == OutputFormat::Full {
        let estimate = BuildRequest {
            estimate: true,
            ..request.clone()
        };
        if let BuildAnswer::Estimate(estimate) = ask(&estimate, advice, session)? {
            // Nobody misses the line if standard error is closed.
            let _ = writeln!(stderr(), "{}", sum(&estimate));
        }
    }
    let answer = ask(request, advice, session)?;
    let text = match &answer {
        BuildAnswer::Ending(answer) => ending(answer),
        BuildAnswer::All(answer) => batch(answer),
        BuildAnswer::Estimate(answer) => estimate(answer),
    };
    show::<BuildRequest>(&answer, &text, session)
}

fn ending(answer: &EndingAnswer) -> Text {
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
    let bare = format!("{file}\n");
    Text { bare, full }
}

fn batch(answer: &BatchAnswer) -> Text {
    let mut full = format!(
        "{} endings in {}: made {} tables",
        answer.endings,
        answer.out,
        answer.made.len()
    );
    if !answer.syzygy.is_empty() {
        full += &format!(" and {} Syzygy files", answer.syzygy.len());
    }
    full += &format!(", found {} complete\n", answer.found.len());
    let bare = format!("{}\n", answer.out);
    Text { bare, full }
}

fn estimate(answer: &EstimateAnswer) -> Text {
    let line = |ending: &everymove_api::tables::MissingEnding| {
        format!(
            "{:<8} about {:>7}, {:>6.1} CPU-s, needs {:>7} RAM\n",
            ending.material,
            Bytes(ending.bytes).to_string(),
            ending.estimated_cpu_seconds,
            Bytes(ending.ram_bytes).to_string()
        )
    };
    let lines: String = answer.missing.iter().map(line).collect();
    Text {
        bare: lines.clone(),
        full: format!("{lines}{}\n", sum(answer)),
    }
}

/// What all missing endings take, in a line.
fn sum(answer: &EstimateAnswer) -> String {
    let found = answer.found_endings;
    match answer.missing.len() {
        0 => format!("all {found} endings are there already"),
        missing => format!(
            "{missing} of {} endings to be made: about {} of files, {} CPU-s; needs {} RAM",
            answer.endings,
            Bytes(answer.bytes),
            answer.estimated_cpu_seconds.round(),
            Bytes(answer.ram_bytes)
        ),
    }
}
