//! Errors of the crate `everymove-tables` as errors of a request.

use everymove_fairy::FairyError;
use everymove_tables::TableError;

use crate::error::Error;

impl From<TableError> for Error {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Stopped(stopped) => stopped.into(),
            TableError::OverBudget(error) => error.into(),
            TableError::File(error) => error.into(),
            error => Self::input(None, error),
        }
    }
}

/// A table that is missing is an error with the command that builds it; `stopped` is what to do
/// after a stop.
pub(super) fn advise(error: Error, stopped: &str) -> Error {
    if let Some(FairyError::Missing { .. }) = error.downcast_ref() {
        return error.advising(
            "make it with `everymove tables build` and the same pieces, board and rules",
        );
    }
    match missing(&error) {
        Some(command) => error.advising(format!("make it with `{command}`")),
        None => error.advising_if_stopped(stopped),
    }
}

/// The command that makes the table that is missing, if that is the error.
fn missing(error: &Error) -> Option<String> {
    let TableError::Missing {
        material,
        name,
        folder,
    } = error.downcast_ref()?
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
