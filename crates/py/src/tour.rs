//! A knight's tour as an object.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Cursor;
use std::path::PathBuf;

use everymove_api::tours::{BoardRequest, FindRequest, KindRequest, TourText};
use everymove_api::{Error, Request, read};
use everymove_draw::raster::Raster;
use everymove_draw::svg::{self, Numbers, Style, Walk};
use everymove_draw::theme::Theme;
use everymove_draw::tikz;
use everymove_kernel::files::Output;
use everymove_kernel::grid::Square;
use everymove_kernel::run::Run;
use everymove_kernel::text::shown;
use everymove_tours::board::{Board, Kind};
use everymove_tours::check::{self, Report};
use everymove_tours::formats::{Format, Hints, ReadError, Reader, Writer};
use everymove_tours::tour::Tour;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyTuple};

use crate::error::{no_solution, raise};
use crate::run::{Frame, work};

/// A tour of a board: every square exactly once. Made from squares in order, `Tour("5x6",
/// "a1-b3-...")`, or by the functions of this module; what is no tour raises InputError.
///
/// Attributes: board (ROWSxCOLS), rows, cols, closed, leaper, piece, holes (names); squares, a
/// tuple of names in order; start and end; steps, a numpy array of shape (rows, cols) and type
/// int32 with the step of each square from 0, row 0 being the row of a1, and -1 on holes. Tours are
/// compared, hashed and pickled by value. In a notebook a tour is its picture.
///
/// >>> from everymove import tours
/// >>> tour = tours.Tour("3x4", "a1-c2-a3-b1-d2-b3-c1-a2-c3-d1-b2-d3")
/// >>> tour.start, tour.end, len(tour)
/// ('a1', 'd3', 12)
/// >>> tour.steps.tolist()
/// [[0, 3, 6, 9], [7, 10, 1, 4], [2, 5, 8, 11]]
#[pyclass(frozen, module = "everymove.tours", name = "Tour")]
pub(crate) struct PyTour(pub(crate) Tour);

/// Board, leaper, holes and kind as they are written, in JSON.
pub(crate) fn board_and_kind(request: &str) -> Result<(Board, Kind), Error> {
    let request: KindRequest =
        serde_json::from_str(request).map_err(|error| Error::input(None, error))?;
    Ok((request.board.plan()?, request.kind()))
}

fn shown_if(numbers: bool) -> Numbers {
    match numbers {
        true => Numbers::Shown,
        false => Numbers::Hidden,
    }
}

/// What the verifier says of squares in order, as `a1-b3-c5`, or of steps.
enum Verdict {
    Tour(Tour, Report),
    Fault(String),
}

fn verify_text(text: &str, board: &Board, kind: Kind, run: &Run) -> Result<Verdict, Error> {
    let hints = Hints {
        board: Some(board.clone()),
        leaper: None,
        kind: Some(kind),
    };
    let wrong = |error: ReadError| match error {
        ReadError::Stopped(stopped) => Err(stopped.into()),
        ReadError::OverBudget(over) => Err(over.into()),
        ReadError::Fault { fault, .. } => Ok(Verdict::Fault(fault.to_string())),
        error => Err(Error::input(Some("squares"), error)),
    };
    let mut reader = match Reader::new(Cursor::new(text.to_owned()), hints, run) {
        Ok(reader) => reader,
        Err(error) => return wrong(error),
    };
    match reader.next() {
        None => Ok(Verdict::Fault("there are no squares".to_owned())),
        Some(Err(error)) => wrong(error),
        Some(Ok(tour)) => verify(tour, run),
    }
}

fn verify(tour: Tour, run: &Run) -> Result<Verdict, Error> {
    Ok(match check::verify_in(&tour, run)? {
        Ok(report) => Verdict::Tour(tour, report),
        Err(fault) => Verdict::Fault(fault.to_string()),
    })
}

/// Steps from 0, -1 on holes, four bytes each.
fn verify_bytes(bytes: &[u8], board: &Board, kind: Kind, run: &Run) -> Result<Verdict, Error> {
    let (steps, rest) = bytes.as_chunks::<4>();
    if steps.len() != board.grid().len() || !rest.is_empty() {
        let squares = board.grid().len();
        let fault = format!(
            "{} step numbers do not fill the {} board, which has {squares} squares",
            steps.len(),
            board.grid()
        );
        return Ok(Verdict::Fault(fault));
    }
    // -1 has the bits of `Tour::HOLE`.
    let steps = steps.iter().map(|&step| u32::from_le_bytes(step));
    let tour = Tour::from_steps(board.clone(), kind, steps.collect());
    verify(tour, run)
}

fn valid(verdict: Verdict) -> Result<PyTour, Error> {
    match verdict {
        Verdict::Tour(tour, _) => Ok(PyTour(tour)),
        Verdict::Fault(fault) => Err(Error::message(Some("squares"), fault)),
    }
}

impl PyTour {
    fn order(&self) -> Vec<Square> {
        self.0.order()
    }

    fn walk<'a>(&'a self, order: &'a [Square]) -> Walk<'a> {
        Walk {
            grid: self.0.board().grid(),
            order,
            closed: self.closed(),
            holes: self.0.board().holes(),
        }
    }

    fn name(&self, square: Square) -> String {
        self.0.board().grid().name(square)
    }

    /// The fields `leaper` and `piece` of a request.
    fn piece_fields(&self) -> [Option<String>; 2] {
        let text = self.0.board().leaper().to_string();
        match self.leaper() {
            Some(_) => [Some(text), None],
            None => [None, Some(text)],
        }
    }

    fn holes_text(&self) -> String {
        let names = self
            .0
            .board()
            .holes()
            .iter()
            .map(|&square| self.name(square));
        names.collect::<Vec<_>>().join(",")
    }

    fn squares_text(&self) -> String {
        let names = self.order().into_iter().map(|square| self.name(square));
        names.collect::<Vec<_>>().join("-")
    }

    /// The square of a step, counted from 0.
    fn at(&self, step: usize) -> String {
        let square = self.0.steps().iter().position(|&s| s as usize == step);
        square.map(|square| self.name(square)).unwrap_or_default()
    }
}

#[pymethods]
impl PyTour {
    #[new]
    #[pyo3(signature = (board, squares, *, closed=false, leaper=None, piece=None, holes=None))]
    fn new(
        py: Python<'_>,
        board: String,
        squares: &Bound<'_, PyAny>,
        closed: bool,
        leaper: Option<String>,
        piece: Option<String>,
        holes: Option<String>,
    ) -> PyResult<Self> {
        let squares = match squares.extract::<String>() {
            Ok(text) => text,
            Err(_) => {
                let names = squares.try_iter()?.map(|name| name?.extract::<String>());
                names.collect::<PyResult<Vec<_>>>()?.join("-")
            }
        };
        let request = KindRequest {
            board: BoardRequest {
                board,
                leaper,
                piece,
                holes,
            },
            closed,
        };
        let board = request.board.plan().map_err(|error| raise(py, &error))?;
        let kind = request.kind();
        work(py, &Frame::default(), move |run, _| {
            valid(verify_text(&squares, &board, kind, run)?)
        })
    }

    /// The board as ROWSxCOLS.
    #[getter]
    fn board(&self) -> String {
        self.0.board().grid().to_string()
    }

    /// Number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.0.board().grid().rows()
    }

    /// Number of columns.
    #[getter]
    fn cols(&self) -> usize {
        self.0.board().grid().cols()
    }

    /// Whether the tour is closed: its end is a move away from its start.
    #[getter]
    fn closed(&self) -> bool {
        self.0.kind() == Kind::Closed
    }

    /// The two legs of the piece, (1, 2) for the knight; None if it is a sum of leapers.
    #[getter]
    fn leaper(&self) -> Option<(u32, u32)> {
        match *self.0.board().leaper().legs() {
            [legs] => Some(legs),
            _ => None,
        }
    }

    /// The piece in Betza's notation, N for the knight.
    #[getter]
    fn piece(&self) -> String {
        self.0.board().leaper().notation()
    }

    /// The names of the squares that are missing.
    #[getter]
    fn holes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let holes = self.0.board().holes().iter();
        PyTuple::new(py, holes.map(|&hole| self.name(hole)).collect::<Vec<_>>())
    }

    /// The names of the squares in the order of the visit.
    #[getter]
    fn squares<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let names = self.order().into_iter().map(|square| self.name(square));
        PyTuple::new(py, names.collect::<Vec<_>>())
    }

    /// The first square.
    #[getter]
    fn start(&self) -> String {
        self.at(0)
    }

    /// The last square.
    #[getter]
    fn end(&self) -> String {
        self.at(self.__len__() - 1)
    }

    /// The step of each square from 0, -1 on holes, as a numpy array of shape (rows, cols) and type
    /// int32; row 0 is the row of a1. A new array each time.
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let steps = self.0.steps();
        if steps.len() > i32::MAX as usize {
            let line = format!(
                "a tour of {} squares is too large for an array",
                steps.len()
            );
            return Err(raise(py, &Error::message(None, line)));
        }
        let bytes = PyByteArray::new_with(py, 4 * steps.len(), |bytes| {
            for (to, step) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(steps) {
                *to = step.to_ne_bytes();
            }
            Ok(())
        })?;
        let array = py
            .import("numpy")?
            .call_method1("frombuffer", (bytes, "int32"))?;
        array.call_method1("reshape", (self.rows(), self.cols()))
    }

    /// The picture as SVG, with step numbers from 1, or as an animation that takes a number of
    /// seconds.
    #[pyo3(signature = (*, numbers=false, animated=false, dark=false, seconds=None))]
    fn svg(&self, numbers: bool, animated: bool, dark: bool, seconds: Option<f64>) -> String {
        let order = self.order();
        let walk = self.walk(&order);
        let style = Style {
            theme: if dark { Theme::Dark } else { Theme::Light },
            numbers: shown_if(numbers),
        };
        if animated && order.len() <= svg::MAX_ANIMATED {
            let seconds = seconds.unwrap_or(order.len() as f64 * 0.25).max(0.1);
            return svg::animation(&walk, &style, seconds);
        }
        svg::picture(&walk, &style)
    }

    /// Writes the tour into a file by the end of its name: .svg (a picture, with the options of
    /// svg), .png (the same, without animation), .tex (a picture for LaTeX, with numbers or
    /// without), .txt (step numbers as on a board), .csv, .json or .bin. The file is complete or as
    /// it was before.
    #[pyo3(signature = (file, *, numbers=false, animated=false, dark=false, seconds=None))]
    fn save(
        &self,
        py: Python<'_>,
        file: PathBuf,
        numbers: bool,
        animated: bool,
        dark: bool,
        seconds: Option<f64>,
    ) -> PyResult<()> {
        let written = || {
            let name = file.extension().map(|name| name.to_ascii_lowercase());
            let name = name.as_ref().and_then(|name| name.to_str());
            let output = || Output::prepare(&file);
            let (output, bytes) = match name {
                Some("svg") => {
                    let picture = self.svg(numbers, animated, dark, seconds);
                    (output()?, picture.into_bytes())
                }
                Some("png") if !(animated || seconds.is_some()) => {
                    let picture = self.svg(numbers, false, dark, None);
                    let png = Raster::new(&picture).and_then(|raster| raster.png());
                    let refusal = |error| {
                        let line = format!("cannot draw PNG: {error}; SVG can be drawn");
                        Error::message(None, line)
                    };
                    (output()?, png.map_err(refusal)?)
                }
                Some("tex") if !(animated || dark || seconds.is_some()) => {
                    let (order, style) = (self.order(), shown_if(numbers));
                    let pictures = tikz::pictures(&[self.walk(&order)], style);
                    (output()?, pictures.into_bytes())
                }
                Some(name @ ("txt" | "csv" | "json" | "bin"))
                    if !(numbers || animated || dark || seconds.is_some()) =>
                {
                    let format = match name {
                        "txt" => Format::Grid,
                        "csv" => Format::Csv,
                        "json" => Format::Json,
                        _ => Format::Bin,
                    };
                    let mut writer = Writer::new(Vec::new(), format);
                    let written = writer.write(&self.0).and_then(|()| writer.finish());
                    (output()?, written.map_err(Error::machine)?)
                }
                Some("png" | "tex" | "txt" | "csv" | "json" | "bin") => {
                    let line = "options of a picture: expected a name that ends in .svg (or .png with numbers and dark, .tex with numbers alone)";
                    return Err(Error::message(Some("file"), line));
                }
                _ => {
                    let file = shown(&file.display().to_string());
                    let line = format!(
                        "{file} does not say what is written: expected a name that ends in .svg, .png, .tex, .txt, .csv, .json or .bin"
                    );
                    return Err(Error::message(Some("file"), line));
                }
            };
            Ok(output.publish(|draft| draft.put(&bytes))?)
        };
        written().map_err(|error| raise(py, &error))
    }

    fn _repr_svg_(&self) -> Option<String> {
        // A larger picture has no distinguishable lines, and slows a notebook down.
        (self.__len__() <= 40_000).then(|| self.svg(false, false, false, None))
    }

    fn __len__(&self) -> usize {
        self.0.board().playable()
    }

    fn __str__(&self) -> String {
        self.squares_text()
    }

    fn __repr__(&self) -> String {
        let kind = self.0.kind();
        let ends = (self.start(), self.end());
        format!(
            "<{kind} tour of the {} board, {} to {}>",
            self.board(),
            ends.0,
            ends.1
        )
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|o| o.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.board().hash(&mut hasher);
        self.closed().hash(&mut hasher);
        self.0.steps().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Reduced<'py>)> {
        let bytes = PyBytes::new_with(py, 4 * self.0.steps().len(), |bytes| {
            for (to, step) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(self.0.steps()) {
                *to = step.to_le_bytes();
            }
            Ok(())
        })?;
        let [leaper, piece] = self.piece_fields();
        let request = serde_json::json!({
            "board": self.board(), "closed": self.closed(), "leaper": leaper, "piece": piece,
            "holes": Some(self.holes_text()).filter(|holes| !holes.is_empty()),
        });
        let function = py.import("everymove._native")?.getattr("tour_from_bytes")?;
        Ok((function, (request.to_string(), bytes)))
    }
}

type Reduced<'py> = (String, Bound<'py, PyBytes>);

/// The tour with these steps (from 0, -1 on holes; little-endian, four bytes each, row by row from
/// the bottom).
#[pyfunction]
pub(crate) fn tour_from_bytes(py: Python<'_>, request: &str, steps: Vec<u8>) -> PyResult<PyTour> {
    let (board, kind) = board_and_kind(request).map_err(|error| raise(py, &error))?;
    work(py, &Frame::default(), move |run, _| {
        valid(verify_bytes(&steps, &board, kind, run)?)
    })
}

/// Whether squares in order (text), or steps (bytes), are a tour: the fault, then start and end of
/// a valid one and whether it is closed.
#[pyfunction]
#[pyo3(signature = (request, squares=None, steps=None, threads=None, ram=None, progress=None))]
pub(crate) fn verify_tour(
    py: Python<'_>,
    request: &str,
    squares: Option<String>,
    steps: Option<Vec<u8>>,
    threads: Option<usize>,
    ram: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Option<String>, String, String, bool)> {
    let (board, kind) = board_and_kind(request).map_err(|error| raise(py, &error))?;
    let frame = Frame::new(threads, ram, progress);
    work(py, &frame, move |run, _| {
        let verdict = match (squares, steps) {
            (_, Some(steps)) => verify_bytes(&steps, &board, kind, run)?,
            (squares, None) => verify_text(&squares.unwrap_or_default(), &board, kind, run)?,
        };
        let name = |square| board.grid().name(square);
        Ok(match verdict {
            Verdict::Tour(_, report) => {
                let (start, end) = (name(report.start), name(report.end));
                (None, start, end, report.closed)
            }
            Verdict::Fault(fault) => (Some(fault), String::new(), String::new(), false),
        })
    })
}

/// One tour.
#[pyfunction]
#[pyo3(signature = (request, threads=None, ram=None, progress=None))]
pub(crate) fn find_tour(
    py: Python<'_>,
    request: &str,
    threads: Option<usize>,
    ram: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyTour> {
    let plan = read::<FindRequest>(request).and_then(|request| request.plan());
    let plan = plan.map_err(|error| raise(py, &error))?;
    let frame = Frame::new(threads, ram, progress);
    let answer = work(py, &frame, move |run, _| FindRequest::run(&plan, run))?;
    match answer.tour {
        Some(TourText(tour)) => Ok(PyTour(tour)),
        None => Err(no_solution(py, &answer.reason.unwrap_or_default())),
    }
}
