//! The tours of a board by number.

use std::sync::Arc;

use everymove_api::Error;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Run;
use everymove_tours::board::{Board, Kind};
use everymove_tours::frontier::{self, FrontierError};
use pyo3::prelude::*;

use crate::error::raise;
use crate::run::{Frame, work};
use crate::tour::{PyTour, board_and_kind};

/// What `make` makes of the board and kind of a request.
fn made<T: Send + 'static>(
    py: Python<'_>,
    request: &str,
    frame: Frame,
    make: fn(&Board, Kind, &Run) -> Result<T, FrontierError>,
) -> PyResult<Arc<T>> {
    let (board, kind) = board_and_kind(request).map_err(|error| raise(py, &error))?;
    let made = work(py, &frame, move |run, _| Ok(make(&board, kind, run)?))?;
    Ok(Arc::new(made))
}

/// All tours of a board, numbered from 0, with the layers of their count in memory.
#[pyclass(frozen, module = "everymove.tours", name = "Sampler")]
pub(crate) struct Sampler(Arc<frontier::Sampler>);

#[pymethods]
impl Sampler {
    #[new]
    #[pyo3(signature = (request, threads=None, ram=None, progress=None))]
    fn new(
        py: Python<'_>,
        request: &str,
        threads: Option<usize>,
        ram: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        made(
            py,
            request,
            Frame::new(threads, ram, progress),
            frontier::Sampler::new,
        )
        .map(Self)
    }

    #[getter]
    fn total(&self) -> u128 {
        self.0.total()
    }

    /// The tour of a number.
    fn unrank(&self, py: Python<'_>, rank: u128) -> PyResult<PyTour> {
        let tour = py.detach(|| self.0.unrank(rank));
        let tour = tour.map_err(|error| raise(py, &Error::input(Some("rank"), error)))?;
        Ok(PyTour(tour))
    }

    /// The number of a tour.
    fn rank(&self, py: Python<'_>, tour: &Bound<'_, PyTour>) -> PyResult<u128> {
        let tour = &tour.get().0;
        let rank = py.detach(|| self.0.rank(tour));
        rank.map_err(|error| raise(py, &Error::input(Some("tour"), error)))
    }
}

/// Tours of a board drawn at random, from what its first draw made.
#[pyclass(frozen, module = "everymove.tours", name = "Drawer")]
pub(crate) struct Drawer(Arc<frontier::Drawer>);

#[pymethods]
impl Drawer {
    #[new]
    #[pyo3(signature = (request, threads=None, ram=None, progress=None))]
    fn new(
        py: Python<'_>,
        request: &str,
        threads: Option<usize>,
        ram: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        made(
            py,
            request,
            Frame::new(threads, ram, progress),
            frontier::Drawer::new,
        )
        .map(Self)
    }

    /// Tours drawn at random, each with the same probability; fewer only if there are none.
    #[pyo3(signature = (number, seed, progress=None))]
    fn sample(
        &self,
        py: Python<'_>,
        number: u64,
        seed: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<PyTour>> {
        let drawer = self.0.clone();
        let frame = Frame::new(Some(1), None, progress);
        work(py, &frame, move |run, _| {
            let mut rng = SplitMix64::new(seed);
            let (mut tours, mut held) = (Vec::new(), Vec::new());
            run.progress.start("drawing tours", number);
            for _ in 0..number {
                run.stop.check()?;
                let Some(tour) = drawer.sample(&mut rng, run)? else {
                    break;
                };
                held.push(run.ram.reserve("the tours drawn", tour.bytes())?);
                tours.push(PyTour(tour));
                run.progress.advance(1);
            }
            Ok(tours)
        })
    }
}
