//! Jobs of a large question, run in several calls.

use std::path::PathBuf;
use std::sync::Arc;

use everymove_api::{Error, jobs};
use everymove_kernel::run::Run;
use pyo3::prelude::*;

use crate::error::raise;
use crate::run::{Frame, work};

/// A question that is written as a command line, as the JSON that the commands about jobs read.
#[pyfunction]
pub(crate) fn job_question(py: Python<'_>, words: Vec<String>) -> PyResult<String> {
    let question = jobs::JobQuestion::from_words(&words).map_err(|error| raise(py, &error))?;
    serde_json::to_string(&question).map_err(|error| raise(py, &Error::machine(error)))
}

/// Runs jobs of a question; keeps what several of them need.
#[pyclass(frozen, module = "everymove.jobs")]
pub(crate) struct JobRunner {
    runner: Arc<jobs::JobRunner>,
    /// The threads and the memory budget of all calls.
    run: Run,
}

#[pymethods]
impl JobRunner {
    #[new]
    #[pyo3(signature = (question, threads=None, ram=None))]
    fn new(
        py: Python<'_>,
        question: &str,
        threads: Option<usize>,
        ram: Option<String>,
    ) -> PyResult<Self> {
        let runner = || {
            let question = serde_json::from_str(question).map_err(Error::field("question"))?;
            let runner = Arc::new(jobs::JobRunner::new(&question)?);
            let run = Frame::new(threads, ram, None).run()?;
            Ok(Self { runner, run })
        };
        runner().map_err(|error: Error| raise(py, &error))
    }

    /// Runs jobs one after the other; their results are files of a folder.
    #[pyo3(signature = (ids, folder, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        ids: Vec<String>,
        folder: PathBuf,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let (runner, budget) = (self.runner.clone(), self.run.clone());
        let frame = Frame::new(None, None, progress);
        work(py, &frame, move |run, _| {
            let run = Run {
                threads: budget.threads,
                ram: budget.ram,
                ..run.clone()
            };
            runner.run(&ids, &folder, &run).map(|_| ())
        })
    }
}
