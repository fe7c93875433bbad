//! Every command, from JSON to JSON.

use everymove_api::{Error, catalogue};
use pyo3::prelude::*;

use crate::error::raise;
use crate::run::{Frame, work};

/// Answers a command; request and answer are JSON.
#[pyfunction]
#[pyo3(signature = (command, request, threads=None, ram=None, progress=None, updates=None))]
pub(crate) fn ask(
    py: Python<'_>,
    command: &str,
    request: &str,
    threads: Option<usize>,
    ram: Option<String>,
    progress: Option<Py<PyAny>>,
    updates: Option<Py<PyAny>>,
) -> PyResult<String> {
    let prepared = py
        .detach(|| catalogue::find(command)?.prepare(request.as_bytes(), None))
        .map_err(|error| raise(py, &error))?;
    let frame = Frame {
        updates,
        ..Frame::new(threads, ram, progress)
    };
    work(py, &frame, |run, updates| {
        let answer = prepared(run, updates)?;
        String::from_utf8(answer.json).map_err(Error::machine)
    })
}

/// The JSON Schema of all requests and answers.
#[pyfunction]
pub(crate) fn schema(py: Python<'_>) -> String {
    py.detach(|| catalogue::document().to_string())
}

/// The version of the package.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
