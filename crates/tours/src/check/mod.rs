//! The independent verifier: is this really a tour?
//!
//! Nothing in here is shared with any solver. From the board it takes only the number of rows and
//! columns, the legs of the piece and the list of holes; what a move is follows from those alone.
//!
//! A tour that is sound is accepted by one [sweep](self) over the squares, in parallel and with no
//! memory of its own: if every square carries a step below the number of squares n, some square
//! carries step 0, and every square with step k < n-1 has a neighbour with step k+1, then by
//! induction all of 0..n occur, and since there are n squares each occurs once: the steps are a
//! permutation whose successive squares are a move apart. What the sweep does not accept is
//! examined again square by square in the order of the steps, which finds the first fault.
//!
//! ```
//! use everymove_tours::board::{Board, Kind};
//! use everymove_tours::check;
//! use everymove_tours::tour::Tour;
//!
//! let board = Board::knight(3, 4)?;
//! let grid = board.grid();
//! let walk = "a1 c2 a3 b1 d2 b3 c1 a2 c3 d1 b2 d3";
//! let order: Vec<_> = walk.split(' ').map(|name| grid.parse_square(name).unwrap()).collect();
//! let tour = Tour::from_order(board, Kind::Open, &order);
//! let report = check::verify(&tour, 1)?;
//! assert_eq!((report.squares, report.closed), (12, false));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod plain;
mod sweep;

use everymove_kernel::grid::{Grid, Square};
use everymove_kernel::run::{Run, Stop, Stopped};
use thiserror::Error;

use crate::board::{Board, Kind};
use crate::tour::Tour;

/// What a verified tour is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// How many squares it visits.
    pub squares: usize,
    /// The square of step 1.
    pub start: Square,
    /// The square of the last step.
    pub end: Square,
    /// Whether the last square is a move away from the first, so that the tour is closed, even if
    /// it was given as open.
    pub closed: bool,
}

/// The first fault of a tour that is not valid. Steps are counted from 1, as they are printed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    /// Not one step number for each square.
    #[error("{got} step numbers do not fill the {grid} board, which has {} squares", grid.len())]
    WrongLength {
        /// How many there are.
        got: usize,
        /// The board.
        grid: Grid,
    },
    /// A hole carries a step.
    #[error("step {step} visits {square}, which is a hole of this board")]
    HoleVisited {
        /// The step.
        step: u64,
        /// The hole.
        square: String,
    },
    /// A square carries no step.
    #[error("{square} is not visited")]
    NotVisited {
        /// The square.
        square: String,
    },
    /// A step beyond the number of squares.
    #[error("{square} has step {step}, but the steps of this board go from 1 to {last}")]
    StepTooLarge {
        /// The step.
        step: u64,
        /// Its square.
        square: String,
        /// The number of squares.
        last: u64,
    },
    /// Two squares carry the same step.
    #[error("{first} and {second} both have step {step}, and no square has step {missing}")]
    StepTwice {
        /// The step.
        step: u64,
        /// One square.
        first: String,
        /// The other square.
        second: String,
        /// The smallest step that no square carries.
        missing: u64,
    },
    /// A list of squares names one of them twice.
    #[error("{square} is visited twice, at steps {first} and {second}")]
    VisitedTwice {
        /// The square.
        square: String,
        /// The earlier step.
        first: u64,
        /// The later step.
        second: u64,
    },
    /// Two successive squares are not a move apart.
    #[error("step {step} at {from} to step {} at {to} is not a move of the {leaper}", step + 1)]
    NotAMove {
        /// The earlier step.
        step: u64,
        /// Where it is.
        from: String,
        /// Where the next one is.
        to: String,
        /// The piece, in words.
        leaper: String,
    },
    /// A tour given as closed whose ends are not a move apart.
    #[error(
        "the tour is not closed: the last step {last} at {end} is no move of the {leaper} away from step 1 at {start}"
    )]
    DoesNotReturn {
        /// The number of squares.
        last: u64,
        /// The last square.
        end: String,
        /// The first square.
        start: String,
        /// The piece, in words.
        leaper: String,
    },
    /// A cycle has at least three squares.
    #[error(
        "{0} square(s) make no closed tour: going back over the same move does not count, so at least 3 are needed"
    )]
    TooShortToClose(usize),
}

/// Verifies a tour with up to `threads` threads, in time linear in the number of squares.
///
/// # Errors
/// The [`Fault`] it has. A faulty tour needs 4 more bytes a square while the fault is sought.
pub fn verify(tour: &Tour, threads: usize) -> Result<Report, Fault> {
    verify_steps(tour.board(), tour.kind(), tour.steps(), threads)
}

/// Like [`verify`] with the threads of a run, and ended by its stop flag.
///
/// # Errors
/// [`Stopped`] if the run was stopped.
pub fn verify_in(tour: &Tour, run: &Run) -> Result<Result<Report, Fault>, Stopped> {
    let threads = run.threads.get();
    let verified = verified(tour.board(), tour.kind(), tour.steps(), threads, &run.stop);
    run.stop.check()?;
    Ok(verified)
}

/// Verifies step numbers (from 0, [`Tour::HOLE`] on holes; row by row from the bottom) as a tour of
/// `board`.
///
/// # Errors
/// As [`verify`], and [`Fault::WrongLength`].
pub fn verify_steps(
    board: &Board,
    kind: Kind,
    steps: &[u32],
    threads: usize,
) -> Result<Report, Fault> {
    verified(board, kind, steps, threads, &Stop::default())
}

/// The same; once the flag is raised, the result means nothing.
fn verified(
    board: &Board,
    kind: Kind,
    steps: &[u32],
    threads: usize,
    stop: &Stop,
) -> Result<Report, Fault> {
    let rules = Rules::of(board);
    if steps.len() != rules.rows * rules.cols {
        return Err(Fault::WrongLength {
            got: steps.len(),
            grid: board.grid(),
        });
    }
    let (start, end) = match sweep::ends(&rules, steps, threads, stop) {
        Some(ends) => ends,
        None => plain::ends(&rules, board.grid(), steps, stop)?,
    };
    let squares = rules.squares;
    let closed = squares >= 3 && rules.is_move(start, end);
    if kind == Kind::Closed && !closed {
        if squares < 3 {
            return Err(Fault::TooShortToClose(squares));
        }
        return Err(Fault::DoesNotReturn {
            last: squares as u64,
            end: board.grid().name(end),
            start: board.grid().name(start),
            leaper: rules.piece(),
        });
    }
    Ok(Report {
        squares,
        start,
        end,
        closed,
    })
}

/// All that the verifier takes from the board: sides, legs (and their name), holes.
struct Rules<'a> {
    rows: usize,
    cols: usize,
    board: &'a Board,
    holes: &'a [Square],
    squares: usize,
}

impl<'a> Rules<'a> {
    fn of(board: &'a Board) -> Self {
        let (rows, cols) = (board.grid().rows(), board.grid().cols());
        Self {
            rows,
            cols,
            board,
            holes: board.holes(),
            squares: rows * cols - board.holes().len(),
        }
    }

    /// Whether two squares are as far apart as the two legs of a leap say.
    fn is_move(&self, from: Square, to: Square) -> bool {
        let rows = (from / self.cols).abs_diff(to / self.cols);
        let cols = (from % self.cols).abs_diff(to % self.cols);
        let mut legs = self.legs();
        legs.any(|(a, b)| (rows, cols) == (a, b) || (cols, rows) == (a, b))
    }

    fn legs(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        (self.board.leaper().legs().iter()).map(|&(a, b)| (a as usize, b as usize))
    }

    fn piece(&self) -> String {
        self.board.leaper().words()
    }
}

#[cfg(test)]
mod tests;
