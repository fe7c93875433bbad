//! Work on a thread of its own, while the calling thread looks for Ctrl-C and reports progress.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use everymove_api::{Error, Updates, budget};
use everymove_kernel::run::{Ram, Run};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::Value;

use crate::error::raise;

/// How often the calling thread looks for Ctrl-C.
const TICK: Duration = Duration::from_millis(20);

/// How often progress is reported.
const PROGRESS: Duration = Duration::from_millis(100);

/// How long Ctrl-C waits for the work to end. Work that takes longer ends later by itself.
const END_WAIT: Duration = Duration::from_millis(120);

/// Recursive searches of large boards need more than the two megabytes that a thread usually has.
pub(crate) const STACK_BYTES: usize = 16 << 20;

/// What every function takes beside its question.
#[derive(Default)]
pub(crate) struct Frame {
    /// The number of threads; all cores by default.
    pub(crate) threads: Option<usize>,
    /// The memory budget as text; half of the free memory by default.
    pub(crate) ram: Option<String>,
    /// Called with (stage, part, phase, done, total, work, seconds left).
    pub(crate) progress: Option<Py<PyAny>>,
    /// Called with each intermediate result as JSON.
    pub(crate) updates: Option<Py<PyAny>>,
}

impl Frame {
    /// Threads, memory and progress.
    pub(crate) fn new(
        threads: Option<usize>,
        ram: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> Self {
        Self {
            threads,
            ram,
            progress,
            updates: None,
        }
    }

    /// The run with these threads and this budget.
    pub(crate) fn run(&self) -> Result<Run, Error> {
        let threads = budget::threads(self.threads)?;
        let ram = Ram::of_process(budget::ram(self.ram.as_deref())?)?;
        Ok(Run::new(threads, ram))
    }
}

enum Event<T> {
    Update(Value),
    Done(std::thread::Result<Result<T, Error>>),
}

/// Only the calling thread receives; the lock lets it do so without the lock of the interpreter.
type Inbox<T> = Mutex<Receiver<Event<T>>>;

/// Does some work without the lock of the interpreter. Ctrl-C, or an exception of a callback, stops
/// it.
pub(crate) fn work<T: Send + 'static>(
    py: Python<'_>,
    frame: &Frame,
    work: impl FnOnce(&Run, &mut Updates<'_>) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let run = frame.run().map_err(|error| raise(py, &error))?;
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let (inside, wants_updates) = (run.clone(), frame.updates.is_some());
    let job = move || {
        let updates: Sender<Event<T>> = sender.clone();
        let mut update = move |value| {
            if wants_updates {
                let _ = updates.send(Event::Update(value));
            }
        };
        let done = catch_unwind(AssertUnwindSafe(|| work(&inside, &mut update)));
        // After Ctrl-C nothing receives it.
        let _ = sender.send(Event::Done(done));
    };
    let builder = Builder::new().stack_size(STACK_BYTES);
    builder.spawn(job).map_err(|error| {
        let line = format!("cannot start a thread: {error}");
        raise(py, &Error::machine(line))
    })?;
    let attended = attend(py, frame, &run, &receiver);
    if attended.is_err() {
        run.stop.raise();
        py.detach(|| wait_for_end(&receiver));
    }
    attended
}

/// Waits for the work and serves the callbacks.
fn attend<T: Send>(py: Python<'_>, frame: &Frame, run: &Run, receiver: &Inbox<T>) -> PyResult<T> {
    let mut shown = Instant::now();
    loop {
        let event = receive(py, receiver);
        match event {
            Ok(Event::Update(value)) => {
                if let Some(updates) = &frame.updates {
                    updates.call1(py, (value.to_string(),))?;
                }
            }
            Ok(Event::Done(Ok(result))) => {
                if result.is_ok() {
                    show(py, frame, run)?;
                }
                return result.map_err(|error| raise(py, &error));
            }
            Ok(Event::Done(Err(_))) | Err(RecvTimeoutError::Disconnected) => {
                let line = "everymove failed: this is a defect of the program, please report it";
                return Err(PyRuntimeError::new_err(line));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        py.check_signals()?;
        if shown.elapsed() >= PROGRESS {
            show(py, frame, run)?;
            shown = Instant::now();
        }
    }
}

fn receive<T: Send>(py: Python<'_>, receiver: &Inbox<T>) -> Result<Event<T>, RecvTimeoutError> {
    py.detach(|| {
        let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
        receiver.recv_timeout(TICK)
    })
}

/// Waits for the end of stopped work, but not long.
fn wait_for_end<T>(receiver: &Inbox<T>) {
    let end = Instant::now() + END_WAIT;
    let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
    let left = || end.saturating_duration_since(Instant::now());
    while let Ok(Event::Update(_)) = receiver.recv_timeout(left()) {}
}

fn show(py: Python<'_>, frame: &Frame, run: &Run) -> PyResult<()> {
    let Some(progress) = &frame.progress else {
        return Ok(());
    };
    let now = run.progress.snapshot();
    let left = now.left.map(|left| left.as_secs_f64());
    let stage = now.stage.unwrap_or_default();
    progress.call1(
        py,
        (
            stage, now.part, now.phase, now.done, now.total, now.work, left,
        ),
    )?;
    Ok(())
}
