//! A problem of peg solitaire with its winning set, and advice from it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use everymove_api::Error;
use everymove_api::pegs::{ProblemRequest, finish_name, start_name};
use everymove_kernel::files::Disk;
use everymove_pegs::{
    self as pegs, Advice, Board, HintDetail, JumpHint, Loss, WinningSet, advise, parse_game,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::raise;
use crate::peg_position::{Position, jump_name, picture, theme};
use crate::run::{Frame, work};

/// A board, a start, a finish, and the winning set once it is loaded.
#[pyclass(frozen, module = "everymove._native")]
pub(crate) struct Problem {
    problem: pegs::Problem,
    set: OnceLock<Arc<WinningSet>>,
}

impl Problem {
    fn board(&self) -> &Board {
        self.problem.board()
    }

    fn position_of(&self, text: &str) -> Result<pegs::Position, Error> {
        self.board()
            .position(text)
            .map_err(Error::field("position"))
    }
}

impl Problem {
    /// The pegs of a position, or of a text.
    fn pegs_of(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<pegs::Position> {
        match position.cast::<Position>() {
            Ok(position) if position.get().board == *self.board() => Ok(position.get().pegs),
            Ok(position) => {
                let line = format!(
                    "expected a position of the {} board, not of the {} board",
                    self.board().name(),
                    position.get().board.name()
                );
                Err(raise(py, &Error::message(Some("position"), line)))
            }
            Err(_) => {
                let text: String = position.extract()?;
                self.position_of(&text).map_err(|error| raise(py, &error))
            }
        }
    }
}

#[pymethods]
impl Problem {
    #[new]
    fn new(py: Python<'_>, request: &str) -> PyResult<Self> {
        let read = || {
            let request: ProblemRequest =
                serde_json::from_str(request).map_err(|error| Error::input(None, error))?;
            request.plan()
        };
        let problem = read().map_err(|error| raise(py, &error))?;
        Ok(Self {
            problem,
            set: OnceLock::new(),
        })
    }

    #[getter]
    fn name(&self) -> &str {
        self.board().name()
    }

    #[getter]
    fn rows(&self) -> String {
        self.board().short_line(self.board().full())
    }

    #[getter]
    fn lattice(&self) -> &'static str {
        match self.board().lattice() {
            pegs::Lattice::Square => "square",
            pegs::Lattice::Triangular => "triangular",
        }
    }

    #[getter]
    fn start(&self) -> Position {
        Position::new(self.board(), self.problem.start())
    }

    #[getter]
    fn start_text(&self) -> String {
        start_name(&self.problem)
    }

    #[getter]
    fn finish_text(&self) -> String {
        finish_name(&self.problem)
    }

    fn position(&self, py: Python<'_>, text: &str) -> PyResult<Position> {
        let pegs = self.position_of(text).map_err(|error| raise(py, &error))?;
        Ok(Position::new(self.board(), pegs))
    }

    fn is_finish(&self, position: &Position) -> bool {
        position.board == *self.board() && self.problem.is_finish(position.pegs)
    }

    /// The jumps of a game as names, and the positions from the start.
    fn play(&self, py: Python<'_>, moves: &str) -> PyResult<(Vec<String>, Vec<Position>)> {
        let board = self.board();
        let start = self.problem.start();
        let jumps = parse_game(board, start, moves)
            .map_err(|error| raise(py, &Error::input(Some("moves"), error)))?;
        let mut positions = vec![Position::new(board, start)];
        let mut now = start;
        for jump in &jumps {
            now = jump.after(now);
            positions.push(Position::new(board, now));
        }
        let names = jumps.iter().map(|jump| jump_name(board, jump)).collect();
        Ok((names, positions))
    }

    #[pyo3(signature = (moves, *, animated=false, dark=false))]
    fn svg(&self, py: Python<'_>, moves: &str, animated: bool, dark: bool) -> PyResult<String> {
        let jumps = parse_game(self.board(), self.problem.start(), moves)
            .map_err(|error| raise(py, &Error::input(Some("moves"), error)))?;
        let start = self.problem.start();
        Ok(picture(self.board(), start, &jumps, animated, theme(dark)))
    }

    /// Whether the winning set is loaded.
    #[getter]
    fn is_loaded(&self) -> bool {
        self.set.get().is_some()
    }

    /// Finds the winning set, or reads it from a file.
    #[pyo3(signature = (folder=None, name=None, threads=None, ram=None, progress=None))]
    fn load(
        &self,
        py: Python<'_>,
        folder: Option<String>,
        name: Option<String>,
        threads: Option<usize>,
        ram: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<u64> {
        let problem = self.problem.clone();
        let frame = Frame::new(threads, ram, progress);
        let set = work(py, &frame, move |run, _| {
            Ok(match (folder, name) {
                (Some(folder), Some(name)) => {
                    WinningSet::load(&Disk::new(folder), &name, run)?.of(&problem)?
                }
                _ => WinningSet::new(&problem, run)?,
            })
        })?;
        let positions = set.positions();
        // Another thread may have been quicker: its set is the same.
        let _ = self.set.set(Arc::new(set));
        Ok(positions)
    }

    /// Winning positions up to symmetry, of a loaded set.
    #[getter]
    fn winning_positions(&self) -> Option<u64> {
        self.set.get().map(|set| set.positions())
    }

    /// Advice from the winning set; `None` if it is not loaded or, unless the position arose in a
    /// game, does not hold the position.
    #[pyo3(signature = (position, played=false))]
    fn hint(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        played: bool,
    ) -> PyResult<Option<Hint>> {
        let Some(set) = self.set.get() else {
            return Ok(None);
        };
        let pegs = self.pegs_of(py, position)?;
        if !played && !set.contains(pegs) {
            return Ok(None);
        }
        Ok(Some(Hint {
            hint: Advice::new(set).hint(pegs),
            loss: None,
            board: self.board().clone(),
        }))
    }

    /// Advice on a position, whatever it takes.
    #[pyo3(signature = (position, solutions, moves, threads=None, ram=None, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn advise(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        solutions: bool,
        moves: bool,
        threads: Option<usize>,
        ram: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Hint> {
        let detail = match (solutions, moves) {
            (_, true) => HintDetail::FewestMoves,
            (true, false) => HintDetail::Solutions,
            (false, false) => HintDetail::SafeJumps,
        };
        let pegs = self.pegs_of(py, position)?;
        let problem = self.problem.from(pegs).map_err(Error::field("position"));
        let problem = problem.map_err(|error| raise(py, &error))?;
        let board = self.board().clone();
        let frame = Frame::new(threads, ram, progress);
        work(py, &frame, move |run, _| {
            let advised = advise(&problem, detail, run)?;
            Ok(Hint {
                hint: advised.hint,
                loss: advised.loss,
                board,
            })
        })
    }
}

/// Advice on a position; true if it can still be won.
///
/// Attributes: winnable; jumps, those that keep it so; losing_jumps, all_jumps; position. If they
/// were asked for: solutions (their number from here), shares (of the solutions, by jump, from 0 to
/// 1), moves (the fewest from here). For a lost position that was examined by itself: reason (full,
/// stuck, pegs, class or exhaustion) and proof.
#[pyclass(frozen, module = "everymove.pegs", name = "Hint")]
pub(crate) struct Hint {
    hint: pegs::Hint,
    loss: Option<Loss>,
    board: Board,
}

impl Hint {
    fn names<'py>(
        &self,
        py: Python<'py>,
        wanted: impl Fn(&JumpHint) -> bool,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let jumps = self.hint.jumps.iter().filter(|hint| wanted(hint));
        let names = jumps.map(|hint| jump_name(&self.board, &hint.jump));
        PyTuple::new(py, names.collect::<Vec<_>>())
    }
}

#[pymethods]
impl Hint {
    #[getter]
    fn winnable(&self) -> bool {
        self.hint.is_winnable
    }

    #[getter]
    fn jumps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.names(py, |hint| hint.keeps_winnable)
    }

    #[getter]
    fn all_jumps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.names(py, |_| true)
    }

    #[getter]
    fn losing_jumps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.names(py, |hint| !hint.keeps_winnable)
    }

    #[getter]
    fn position(&self) -> Position {
        Position::new(&self.board, self.hint.position)
    }

    #[getter]
    fn solutions(&self) -> Option<u128> {
        self.hint.solutions
    }

    #[getter]
    fn moves(&self) -> Option<u32> {
        self.hint.moves
    }

    /// The share of the solutions that begins with each jump, if they were counted.
    #[getter]
    fn shares(&self) -> Option<BTreeMap<String, f64>> {
        self.hint.solutions?;
        let jumps = self.hint.jumps.iter();
        let shares = jumps.map(|jump| {
            let share = self.hint.share(jump).unwrap_or(0.0);
            (jump_name(&self.board, &jump.jump), share)
        });
        Some(shares.collect())
    }

    #[getter]
    fn reason(&self) -> Option<&'static str> {
        self.loss.as_ref().map(Loss::name)
    }

    #[getter]
    fn proof(&self) -> Option<String> {
        match &self.loss {
            Some(Loss::Class(proof)) => Some(proof.text(&self.board).trim_end().to_owned()),
            _ => None,
        }
    }

    fn __bool__(&self) -> bool {
        self.hint.is_winnable
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let jumps: Vec<String> = self.jumps(py)?.extract()?;
        Ok(match self.hint.is_winnable {
            true => format!("<Hint: winnable, by {}>", jumps.join(" ")),
            false => "<Hint: lost>".to_owned(),
        })
    }
}
