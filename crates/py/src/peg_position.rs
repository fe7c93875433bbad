//! A position of peg solitaire as an object.

use std::hash::{DefaultHasher, Hash, Hasher};

use everymove_api::Error;
use everymove_draw::pegs as draw;
use everymove_draw::theme::Theme;
use everymove_kernel::text::shown;
use everymove_pegs::{self as pegs, Board, DrawnBoard, Jump, Lattice, moves, parse_game};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyTuple};

use crate::error::raise;

/// Pegs on a board, read from rows from the top with `/` between them: `o` a peg, `.` an empty
/// hole, `_` no place.
///
/// Attributes: board (its name), lattice, text (the rows), pegs (their number), bits (hole i is bit
/// i, along the rows from the top), holes and filled (names), jumps (those that can be made, such
/// as d2-d4); array, a numpy array of the shape of the rows and type int8 with 1 for a peg, 0 for
/// an empty hole and -1 where there is no hole. Positions are compared, hashed and pickled by
/// value.
///
/// >>> from everymove import pegs
/// >>> position = pegs.Position("oo.o")
/// >>> position.jumps, position.play("a1-c1").text, position.array.tolist()
/// (('a1-c1',), '..oo', [[1, 1, 0, 1]])
#[pyclass(frozen, module = "everymove.pegs", name = "Position")]
#[derive(Clone)]
pub(crate) struct Position {
    pub(crate) board: Board,
    pub(crate) pegs: pegs::Position,
}

/// A lattice by its name.
pub(crate) fn lattice(name: Option<&str>) -> Result<Option<Lattice>, Error> {
    let read = |name: &str| name.parse().map_err(Error::field("lattice"));
    name.map(read).transpose()
}

/// A jump as `d2-d4`.
pub(crate) fn jump_name(board: &Board, jump: &Jump) -> String {
    everymove_api::pegs::jump_name(board, jump)
}

/// A picture of a position, or of a game from there.
pub(crate) fn picture(
    board: &Board,
    start: pegs::Position,
    jumps: &[Jump],
    animated: bool,
    theme: Theme,
) -> String {
    let places: Vec<_> = (0..board.holes()).map(|hole| board.row_col(hole)).collect();
    let pegboard = draw::Pegboard {
        places: &places,
        lattice: match board.lattice() {
            Lattice::Square => draw::Lattice::Square,
            Lattice::Triangular => draw::Lattice::Triangular,
        },
    };
    let plain = |jump: &Jump| draw::Jump {
        from: jump.from,
        over: jump.over,
        to: jump.to,
    };
    let chains: Vec<Vec<draw::Jump>> = moves(jumps)
        .iter()
        .map(|chain| chain.jumps().iter().map(plain).collect())
        .collect();
    let slices: Vec<&[draw::Jump]> = chains.iter().map(Vec::as_slice).collect();
    match &slices[..] {
        [] => draw::picture(&pegboard, start.0, &[], theme),
        moves if animated => draw::animation(&pegboard, start.0, moves, theme),
        moves => draw::strip(&pegboard, start.0, moves, theme),
    }
}

pub(crate) fn theme(dark: bool) -> Theme {
    if dark { Theme::Dark } else { Theme::Light }
}

impl Position {
    pub(crate) fn new(board: &Board, pegs: pegs::Position) -> Self {
        Self {
            board: board.clone(),
            pegs,
        }
    }

    fn lattice_name(&self) -> &'static str {
        match self.board.lattice() {
            Lattice::Square => "square",
            Lattice::Triangular => "triangular",
        }
    }

    fn rows_text(&self) -> String {
        self.board.short_line(self.pegs)
    }
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (text, lattice=None))]
    fn read(py: Python<'_>, text: &str, lattice: Option<&str>) -> PyResult<Self> {
        let read = || {
            let lattice = self::lattice(lattice)?;
            let drawn = DrawnBoard::read(text, lattice).map_err(Error::field("text"))?;
            Ok(Self {
                pegs: drawn.position.unwrap_or(drawn.board.full()),
                board: drawn.board,
            })
        };
        read().map_err(|error: Error| raise(py, &error))
    }

    #[getter]
    fn board(&self) -> &str {
        self.board.name()
    }

    #[getter]
    fn lattice(&self) -> &'static str {
        self.lattice_name()
    }

    #[getter]
    fn text(&self) -> String {
        self.rows_text()
    }

    #[getter]
    fn pegs(&self) -> usize {
        self.pegs.pegs()
    }

    #[getter]
    fn bits(&self) -> u64 {
        self.pegs.0
    }

    #[getter]
    fn holes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let names = (0..self.board.holes()).map(|hole| self.board.name_of(hole));
        PyTuple::new(py, names.collect::<Vec<_>>())
    }

    #[getter]
    fn filled<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let names = self.pegs.holes().map(|hole| self.board.name_of(hole));
        PyTuple::new(py, names.collect::<Vec<_>>())
    }

    #[getter]
    fn jumps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let jumps = self.board.legal_jumps(self.pegs);
        PyTuple::new(
            py,
            jumps
                .map(|jump| jump_name(&self.board, &jump))
                .collect::<Vec<_>>(),
        )
    }

    /// 1 for a peg, 0 for an empty hole, -1 where there is no hole, as a numpy array of 8-bit
    /// integers.
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (rows, cols) = (self.board.rows(), self.board.cols());
        let mut cells = vec![0xff; rows * cols];
        for hole in 0..self.board.holes() {
            let (row, col) = self.board.row_col(hole);
            cells[row * cols + col] = u8::from(self.pegs.has(hole));
        }
        let bytes = PyByteArray::new(py, &cells);
        let array = py
            .import("numpy")?
            .call_method1("frombuffer", (bytes, "int8"))?;
        array.call_method1("reshape", (rows, cols))
    }

    /// The position after moves such as `d2-d4 b3-d3`; InputError if one cannot be made.
    fn play(&self, py: Python<'_>, moves: &str) -> PyResult<Self> {
        let jumps = parse_game(&self.board, self.pegs, moves)
            .map_err(|error| raise(py, &Error::input(Some("moves"), error)))?;
        let after = jumps
            .iter()
            .fold(self.pegs, |position, jump| jump.after(position));
        Ok(Self::new(&self.board, after))
    }

    /// The picture as SVG.
    #[pyo3(signature = (*, dark=false))]
    fn svg(&self, dark: bool) -> String {
        picture(&self.board, self.pegs, &[], false, theme(dark))
    }

    fn _repr_svg_(&self) -> String {
        self.svg(false)
    }

    fn __int__(&self) -> u64 {
        self.pegs.0
    }

    fn __len__(&self) -> usize {
        self.pegs.pegs()
    }

    fn __contains__(&self, hole: &str) -> PyResult<bool> {
        let hole = self
            .board
            .hole(hole)
            .map_err(|_| PyValueError::new_err(format!("'{}' is no hole", shown(hole))))?;
        Ok(self.pegs.has(hole))
    }

    fn __str__(&self) -> String {
        self.board.drawing(self.pegs)
    }

    fn __repr__(&self) -> String {
        format!("Position('{}')", self.rows_text())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let other = other.get();
            other.pegs == self.pegs && other.board == self.board
        })
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.pegs.0, self.board.holes(), self.board.jumps().len()).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (String, &'static str))> {
        let class = py.get_type::<Self>().into_any();
        Ok((class, (self.rows_text(), self.lattice_name())))
    }
}
