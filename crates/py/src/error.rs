//! Errors as the exceptions of `everymove.errors`.

use everymove_api::{Error, ErrorKind};
use everymove_kernel::text::escaped;
use pyo3::prelude::*;

/// The exception for an error: its text is the line that the command line shows, without advice
/// about options.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let (kind, need) = match error.kind() {
        ErrorKind::Input => ("input", None),
        ErrorKind::Memory { need } => ("memory", Some(need)),
        ErrorKind::Stopped => ("stopped", None),
        _ => ("machine", None),
    };
    let line = escaped(&error.to_string().replace('\n', " "));
    exception(py, (kind, line, error.wrong_field(), need))
}

/// The exception where there is no solution for a sound reason.
pub(crate) fn no_solution(py: Python<'_>, reason: &str) -> PyErr {
    exception(py, ("no solution", reason.to_owned(), None, None))
}

type Parts = (&'static str, String, Option<&'static str>, Option<u64>);

fn exception(py: Python<'_>, parts: Parts) -> PyErr {
    let made = py
        .import("everymove.errors")
        .and_then(|errors| errors.call_method1("make", parts));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
