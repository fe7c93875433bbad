//! Tours one after the other, found while they are read: a listing of any length takes the memory
//! of some hundred tours.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use everymove_api::tours::{ListRequest, SymmetricRequest};
use everymove_api::{Error, Request, read};
use everymove_kernel::grid::Square;
use everymove_kernel::run::{Run, Stop};
use everymove_tours::question::Question;
use everymove_tours::symmetric::SymmetricError;
use everymove_tours::tour::Tour;
use pyo3::prelude::*;

use crate::error::raise;
use crate::run::{Frame, STACK_BYTES};
use crate::tour::PyTour;

/// Tours that are handed over at once, at most.
const BATCH: usize = 128;

/// A first tour is not held back longer.
const DELAY: Duration = Duration::from_millis(10);

/// Batches that wait to be read.
const BATCHES: usize = 4;

/// How often the reader looks for Ctrl-C.
const TICK: Duration = Duration::from_millis(20);

enum Message {
    Tours(Vec<Tour>),
    End(Result<(), Error>),
}

struct State {
    ready: VecDeque<Tour>,
    /// `None` once the end was read.
    receiver: Option<Receiver<Message>>,
}

/// An iterator of tours, which are found while they are read; close() ends the search.
#[pyclass(frozen, module = "everymove.tours", name = "Tours")]
pub(crate) struct Tours {
    state: Mutex<State>,
    stop: Stop,
}

impl Drop for Tours {
    fn drop(&mut self) {
        self.stop.raise();
    }
}

enum Poll {
    Tour(Tour),
    End(Result<(), Error>),
    Later,
}

impl Tours {
    fn poll(&self) -> Poll {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tour) = state.ready.pop_front() {
            return Poll::Tour(tour);
        }
        let Some(receiver) = &state.receiver else {
            return Poll::End(Ok(()));
        };
        match receiver.recv_timeout(TICK) {
            Ok(Message::Tours(tours)) => {
                state.ready.extend(tours);
                state.ready.pop_front().map_or(Poll::Later, Poll::Tour)
            }
            Ok(Message::End(result)) => {
                state.receiver = None;
                Poll::End(result)
            }
            Err(RecvTimeoutError::Timeout) => Poll::Later,
            Err(RecvTimeoutError::Disconnected) => {
                state.receiver = None;
                let line = "everymove failed: this is a defect of the program, please report it";
                Poll::End(Err(Error::machine(line)))
            }
        }
    }

    /// A tour that is there already, without waiting for another thread.
    fn ready(&self) -> Option<Tour> {
        self.state.try_lock().ok()?.ready.pop_front()
    }
}

#[pymethods]
impl Tours {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyTour>> {
        if let Some(tour) = self.ready() {
            return Ok(Some(PyTour(tour)));
        }
        loop {
            match py.detach(|| self.poll()) {
                Poll::Tour(tour) => return Ok(Some(PyTour(tour))),
                Poll::End(Ok(())) => return Ok(None),
                Poll::End(Err(error)) => return Err(raise(py, &error)),
                Poll::Later => {}
            }
            if let Err(interrupt) = py.check_signals() {
                self.stop.raise();
                return Err(interrupt);
            }
        }
    }

    /// Ends the search; the iterator has no more tours than those that are read already.
    fn close(&self, py: Python<'_>) {
        self.stop.raise();
        py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.receiver = None;
            state.ready.clear();
        });
    }
}

/// Collects tours and hands them over.
struct Outbox {
    question: Question,
    batch: Vec<Tour>,
    sent: Instant,
    sender: SyncSender<Message>,
}

impl Outbox {
    fn put(&mut self, order: &[Square]) -> ControlFlow<()> {
        let question = &self.question;
        let tour = Tour::from_order(question.board.clone(), question.kind, order);
        self.batch.push(tour);
        if self.batch.len() >= BATCH || self.sent.elapsed() >= DELAY {
            return self.send();
        }
        ControlFlow::Continue(())
    }

    fn send(&mut self) -> ControlFlow<()> {
        let batch = std::mem::take(&mut self.batch);
        self.sent = Instant::now();
        match self.sender.send(Message::Tours(batch)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn end(mut self, result: Result<(), Error>) {
        let _ = self.send();
        let _ = self.sender.send(Message::End(result));
    }
}

/// Starts a search whose tours are read from the iterator.
fn start(
    py: Python<'_>,
    question: Question,
    frame: &Frame,
    search: impl FnOnce(&Run, &mut Outbox) -> Result<(), Error> + Send + 'static,
) -> PyResult<Tours> {
    let run = frame.run().map_err(|error| raise(py, &error))?;
    let (sender, receiver) = sync_channel(BATCHES);
    let stop = run.stop.clone();
    let mut outbox = Outbox {
        question,
        batch: Vec::new(),
        sent: Instant::now(),
        sender,
    };
    let job = move || {
        let result = search(&run, &mut outbox);
        outbox.end(result);
    };
    let builder = Builder::new().stack_size(STACK_BYTES);
    builder.spawn(job).map_err(|error| {
        let line = format!("cannot start a thread: {error}");
        raise(py, &Error::machine(line))
    })?;
    let state = Mutex::new(State {
        ready: VecDeque::new(),
        receiver: Some(receiver),
    });
    Ok(Tours { state, stop })
}

/// The tours of a request `tours list`.
#[pyfunction]
#[pyo3(signature = (request, threads=None, ram=None))]
pub(crate) fn list_tours(
    py: Python<'_>,
    request: &str,
    threads: Option<usize>,
    ram: Option<String>,
) -> PyResult<Tours> {
    let plan = read::<ListRequest>(request).and_then(|request| request.plan());
    let plan = plan.map_err(|error| raise(py, &error))?;
    let frame = Frame::new(threads, ram, None);
    start(py, plan.question.clone(), &frame, move |run, outbox| {
        plan.visit(run, |order| outbox.put(order))?;
        Ok(())
    })
}

/// The tours of a request `tours symmetric`.
#[pyfunction]
#[pyo3(signature = (request, threads=None, ram=None))]
pub(crate) fn list_symmetric(
    py: Python<'_>,
    request: &str,
    threads: Option<usize>,
    ram: Option<String>,
) -> PyResult<Tours> {
    let plan = read::<SymmetricRequest>(request).and_then(|request| request.plan());
    let plan = plan.map_err(|error| raise(py, &error))?;
    let frame = Frame::new(threads, ram, None);
    start(
        py,
        plan.question.clone(),
        &frame,
        move |run, outbox| match plan.visit(run, |order| outbox.put(order)) {
            Ok(_) | Err(SymmetricError::Impossible { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        },
    )
}
