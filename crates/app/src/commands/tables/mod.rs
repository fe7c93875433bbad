//! `everymove tables`: requests about endgame tables, and their answers as text.

pub(super) mod build;
mod counts;
pub(super) mod files;
pub(super) mod probe;
pub(super) mod stats;

use std::error::Error as _;

use everymove_api::Request;
use everymove_api::tables::ClosureRequest;
use everymove_tables::TableError;

use crate::answer::{self, Outcome, Text, show};
use crate::failure::Failure;
use crate::session::Session;

pub(super) fn closure(request: &ClosureRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, "", session)?;
    let lines: String = answer
        .closure
        .iter()
        .map(|name| format!("{name}\n"))
        .collect();
    let text = Text {
        bare: lines.clone(),
        full: lines,
    };
    show::<ClosureRequest>(&answer, &text, session)
}

/// What a person can do after a build was stopped.
pub(super) fn resumption(has_checkpoint: bool) -> &'static str {
    match has_checkpoint {
        true => "the same command resumes from the checkpoint",
        false => {
            "the same command resumes with the first unfinished table; with --checkpoint DIR it resumes inside that table"
        }
    }
}

/// Answers a request; `advice` is what to do after it was stopped; a table that is missing is an error with the command that builds it.
fn ask<R: Request>(request: &R, advice: &str, session: &Session) -> Result<R::Answer, Failure> {
    answer::ask(request, session).map_err(|failure| {
        let failure = failure.advise_if_stopped(advice);
        match failure {
            Failure::Request(error) => match missing(&error) {
                Some(command) => Failure::Input(format!("{error}: make it with `{command}`")),
                None => Failure::Request(error),
            },
            other => other,
        }
    })
}

/// The command that makes the table that is missing, if that is the error.
fn missing(error: &everymove_api::Error) -> Option<String> {
    let TableError::Missing {
        material,
        name,
        folder,
    } = error.source()?.downcast_ref()?
    else {
        return None;
    };
    let metric = match name.rsplit('.').next() {
        Some("dtz") => " --metric dtz",
        Some("dtm50") => " --metric dtm50",
        Some("dtc") => " --metric dtc",
        _ => "",
    };
    let out = match folder.as_str() {
        "tables" => String::new(),
        spaced if spaced.contains(char::is_whitespace) => format!(" --out '{spaced}'"),
        other => format!(" --out {other}"),
    };
    Some(format!("everymove tables build {material}{metric}{out}"))
}
