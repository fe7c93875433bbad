//! Endgame tables looked up without a request.

use std::path::PathBuf;

use everymove_api::Error;
use everymove_tables::syzygy::Wdl;
use everymove_tables::{self as tables, Metric, Source, TableError, Tablebase};
use pyo3::prelude::*;
use shakmaty::{Chess, Position};

use crate::chess_position::read;
use crate::error::raise;

/// The tables that folders have when they are opened. Files stay open after their first use.
#[pyclass(frozen, module = "everymove._native")]
pub(crate) struct Tables(Tablebase);

/// The value of a position for the side to move: wdl is 2 for a win, 1 for a cursed win (drawn by
/// the fifty-move rule), 0 for a draw, -1 for a blessed loss, -2 for a loss; plies is the distance,
/// None for a draw; word says it in words.
#[pyclass(frozen, eq, hash, module = "everymove.tables", name = "Value")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Value {
    /// 2 for a win, 1 for a cursed win, 0 for a draw, -1 for a blessed loss, -2 for a loss.
    #[pyo3(get)]
    wdl: i8,
    /// Plies; none for a draw.
    #[pyo3(get)]
    plies: Option<u16>,
}

impl Value {
    fn of(value: tables::Value, metric: Metric) -> Self {
        Self {
            wdl: match value.word(metric) {
                "win" => 2,
                "cursed win" => 1,
                "blessed loss" => -1,
                "loss" => -2,
                _ => 0,
            },
            plies: value.plies(),
        }
    }
}

#[pymethods]
impl Value {
    #[new]
    #[pyo3(signature = (wdl, plies=None))]
    fn new(wdl: i8, plies: Option<u16>) -> Self {
        Self { wdl, plies }
    }

    /// `win`, `cursed win`, `draw`, `blessed loss` or `loss`.
    #[getter]
    fn word(&self) -> &'static str {
        match self.wdl {
            1 => "cursed win",
            -1 => "blessed loss",
            n if n > 0 => "win",
            n if n < 0 => "loss",
            _ => "draw",
        }
    }

    fn __repr__(&self) -> String {
        match self.plies {
            Some(plies) => format!("Value({}, {plies} plies)", self.word()),
            None => "Value(draw)".to_owned(),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        Ok((py.get_type::<Self>().into_any(), (self.wdl, self.plies)))
    }
}

/// A class and its arguments, for pickle.
type Reduced<'py> = (Bound<'py, PyAny>, (i8, Option<u16>));

fn refuse(py: Python<'_>, error: TableError) -> PyErr {
    raise(py, &error.into())
}

impl Tables {
    fn look_up<T: Send>(
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        look_up: impl Fn(&Chess) -> Result<T, TableError> + Sync,
    ) -> PyResult<T> {
        let position = read(position)?;
        py.detach(|| look_up(&position))
            .map_err(|error| refuse(py, error))
    }

    /// The value in a table of our own, of plies to mate under the fifty-move rule that with the
    /// half-move clock of the position.
    fn own(&self, py: Python<'_>, position: &Bound<'_, PyAny>, metric: Metric) -> PyResult<Value> {
        let value = Self::look_up(py, position, |position| self.in_own(position, metric))?;
        Ok(Value::of(value, metric))
    }

    fn in_own(&self, position: &Chess, metric: Metric) -> Result<tables::Value, TableError> {
        let source = Source::Own(metric);
        let with_clock = match metric {
            Metric::MateFifty => self.0.at_clock(source, position)?.distance,
            _ => None,
        };
        with_clock.map_or_else(|| Ok(self.0.value(source, position)?.0), Ok)
    }
}

#[pymethods]
impl Tables {
    #[new]
    fn new(py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<Self> {
        if let Some(folder) = folders.iter().find(|folder| !folder.is_dir()) {
            let line = format!("{} is not a directory", folder.display());
            return Err(raise(py, &Error::message(Some("folder"), line)));
        }
        Ok(Self(Tablebase::open(&folders, &folders).0))
    }

    /// The values of positions in FEN in tables of our own; none where there is no table.
    fn values(
        &self,
        py: Python<'_>,
        positions: Vec<String>,
        metric: &str,
    ) -> PyResult<Vec<Option<Value>>> {
        let Some(metric) = Metric::ALL.into_iter().find(|m| m.extension() == metric) else {
            let line = format!("{metric} is no metric: expected dtm, dtz, dtm50 or dtc");
            return Err(raise(py, &Error::message(Some("metric"), line)));
        };
        let find = |fen: &String| match self.in_own(&tables::probe::read_position(fen)?, metric) {
            Ok(value) => Ok(Some(Value::of(value, metric))),
            Err(TableError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        };
        let found: Result<_, TableError> = py.detach(|| positions.iter().map(find).collect());
        found.map_err(|error| refuse(py, error))
    }

    /// Win, draw or loss and plies to mate, from a table of our own.
    fn dtm(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<Value> {
        self.own(py, position, Metric::Mate)
    }

    /// Win, draw or loss and plies to a zeroing move, from a table of our own.
    fn dtz(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<Value> {
        self.own(py, position, Metric::Zeroing)
    }

    /// Win, draw or loss and plies to mate under the fifty-move rule with the half-move clock of
    /// the position, from a table of our own.
    fn dtm50(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<Value> {
        self.own(py, position, Metric::MateFifty)
    }

    /// Win, draw or loss and plies to a capture, a promotion or mate, from a table of our own.
    fn dtc(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<Value> {
        self.own(py, position, Metric::Conversion)
    }

    /// 2, 1, 0, -1 or -2 for the side to move, from a Syzygy file.
    fn syzygy_wdl(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<i8> {
        let wdl = Self::look_up(py, position, |position| self.0.syzygy().wdl(position))?;
        Ok(match wdl {
            Wdl::Win => 2,
            Wdl::CursedWin => 1,
            Wdl::Draw => 0,
            Wdl::BlessedLoss => -1,
            Wdl::Loss => -2,
        })
    }

    /// Signed plies to a zeroing move, from Syzygy files; -1 for a side that is mated.
    fn syzygy_dtz(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<i32> {
        Self::look_up(py, position, |position| match position.is_checkmate() {
            true => Ok(-1),
            false => self.0.syzygy().dtz(position),
        })
    }
}
