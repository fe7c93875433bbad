//! Instant answers: does this board have a tour at all, and why?
//!
//! Rectangles are settled for the knight by theorems; for other leapers and for boards with holes
//! there are arguments by colour, divisibility, degree and connection. An answer is always right:
//! what the arguments do not settle is [`Existence::Unknown`], a case for a search.
//!
//! ```
//! use everymove_kernel::run::Run;
//! use everymove_tours::board::{Board, Kind};
//! use everymove_tours::question::Question;
//! use everymove_tours::theory::{self, Existence};
//!
//! let run = Run::serial();
//! let closed = Question::new(Board::knight(4, 10)?, Kind::Closed);
//! let Existence::None(reason) = theory::existence(&closed, &run)? else { panic!() };
//! assert!(reason.to_string().contains("Schwenk"));
//! let open = Question::new(closed.board, Kind::Open);
//! assert!(matches!(theory::existence(&open, &run)?, Existence::Exists(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod graph;
mod theorem;

use everymove_kernel::grid::Square;
use everymove_kernel::run::{OverBudget, Run, Stopped};
use thiserror::Error;

use crate::board::{Board, Kind, Leaper};
use crate::question::Question;
pub use theorem::Theorem;

/// Whether there is a tour, as far as theorems decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Existence {
    /// There is a tour.
    Exists(Theorem),
    /// There is none.
    None(Theorem),
    /// The theorems known here do not decide.
    Unknown,
}

/// Why the theorems could not be tried.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ExistenceError {
    /// A board that is examined square by square does not fit the memory budget.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// The squares on which a tour is to start and to end, where given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ends {
    /// The square of step 1.
    pub(crate) start: Option<Square>,
    /// The square of the last step.
    pub(crate) end: Option<Square>,
}

/// Whether there is a tour as the question asks for.
///
/// Takes constant time on rectangles of any size; a board with holes or another leaper is examined
/// square by square if it has at most a million squares.
///
/// # Errors
/// [`ExistenceError`] if such a board does not fit the memory budget, or the run is stopped.
///
/// # Panics
/// If a given end is a hole or outside the board.
pub fn existence(question: &Question, run: &Run) -> Result<Existence, ExistenceError> {
    assert!(
        question.bad_end().is_none(),
        "an end is no square of the board"
    );
    let ends = Ends {
        start: question.start,
        end: question.end,
    };
    existence_between(&question.board, question.kind, ends, run)
}

/// Whether `board` has a tour of this kind, with any ends.
pub(crate) fn existence_of(
    board: &Board,
    kind: Kind,
    run: &Run,
) -> Result<Existence, ExistenceError> {
    existence_between(board, kind, Ends::default(), run)
}

/// Whether `board` has a tour of this kind with the given ends, which are squares of the board.
pub(crate) fn existence_between(
    board: &Board,
    kind: Kind,
    ends: Ends,
    run: &Run,
) -> Result<Existence, ExistenceError> {
    let impossible = match impossible(board, kind, ends) {
        // The theorems on rectangles decide every whole board.
        None if !is_whole_knight_board(board) => graph::impossible(board, kind, ends, run)?,
        decided => decided,
    };
    if let Some(theorem) = impossible {
        return Ok(Existence::None(theorem));
    }
    Ok(exists(board, kind, ends).map_or(Existence::Unknown, Existence::Exists))
}

/// What is impossible by theorems that look at no square in particular.
fn impossible(board: &Board, kind: Kind, ends: Ends) -> Option<Theorem> {
    let whole = is_whole_knight_board(board);
    tiny(board, kind)
        .or_else(|| whole.then(|| rectangle(board, kind)).flatten())
        .or_else(|| ends_alone(board, kind, ends))
        .or_else(|| divisibility(board))
        .or_else(|| colour(board, kind, ends))
        .or_else(|| whole.then(|| four_rows(board, kind, ends)).flatten())
        .or_else(|| narrow(board))
}

fn exists(board: &Board, kind: Kind, ends: Ends) -> Option<Theorem> {
    let (m, n) = sides(board);
    let (start, end) = (ends.start, ends.end);
    if board.playable() == 1 {
        return Some(Theorem::OneSquare);
    }
    let free = match kind {
        // A closed tour may begin anywhere; where it ends is then half chosen.
        Kind::Closed => start.is_none() || end.is_none(),
        Kind::Open => start.is_none() && end.is_none(),
    };
    let rotates = start.is_none() || end.is_none();
    if is_whole_knight_board(board) {
        if free {
            // What `impossible` let pass.
            return Some(match kind {
                Kind::Closed => Theorem::Schwenk,
                Kind::Open if m >= 5 => Theorem::CullDeCurtins,
                Kind::Open => Theorem::Conrad,
            });
        }
        let closed = rectangle(board, Kind::Closed).is_none();
        return (kind == Kind::Open && closed && rotates).then_some(Theorem::Rotation);
    }
    if board.leaper().is_wazir_too() && board.holes().is_empty() {
        // Where no side is even, one move is diagonal.
        let closed = m >= 2 && (m * n % 2 == 0 || board.leaper().legs().contains(&(1, 1)));
        return match kind {
            Kind::Closed => (closed && free).then_some(Theorem::Boustrophedon),
            Kind::Open if free => Some(Theorem::Boustrophedon),
            Kind::Open => (closed && rotates).then_some(Theorem::Rotation),
        };
    }
    None
}

fn is_whole_knight_board(board: &Board) -> bool {
    *board.leaper() == Leaper::KNIGHT && board.holes().is_empty()
}

/// The sides, shorter first.
fn sides(board: &Board) -> (usize, usize) {
    let (rows, cols) = (board.grid().rows(), board.grid().cols());
    (rows.min(cols), rows.max(cols))
}

fn tiny(board: &Board, kind: Kind) -> Option<Theorem> {
    let squares = board.playable();
    (kind == Kind::Closed && squares < 3).then_some(Theorem::TooFewSquares { squares })
}

/// The rectangles that have no knight's tour.
fn rectangle(board: &Board, kind: Kind) -> Option<Theorem> {
    let (m, n) = sides(board);
    match kind {
        Kind::Closed if m % 2 == 1 && n % 2 == 1 => Some(Theorem::OddBoard),
        Kind::Closed if m <= 2 || m == 4 => Some(Theorem::SchwenkSide { side: m }),
        Kind::Closed if m == 3 && matches!(n, 4 | 6 | 8) => {
            Some(Theorem::SchwenkThree { length: n })
        }
        Kind::Open if m <= 2 && n > 1 => Some(Theorem::TwoRows { side: m }),
        Kind::Open if matches!((m, n), (3, 3 | 5 | 6) | (4, 4)) => {
            Some(Theorem::ConradExceptions { rows: m, cols: n })
        }
        _ => None,
    }
}

/// What is wrong with the ends whatever the board is.
fn ends_alone(board: &Board, kind: Kind, ends: Ends) -> Option<Theorem> {
    let (start, end) = (ends.start?, ends.end?);
    let name = |square| board.grid().name(square);
    if start == end && board.playable() > 1 {
        return Some(Theorem::SameEnds {
            square: name(start),
        });
    }
    (kind == Kind::Closed && !board.is_move(start, end)).then(|| Theorem::EndsApart {
        start: name(start),
        end: name(end),
    })
}

/// A piece whose legs have a common divisor, or all an even sum, sees only a part of the squares.
fn divisibility(board: &Board) -> Option<Theorem> {
    let leaper = board.leaper();
    let legs = leaper.legs().iter();
    let divisor = legs.fold(0, |divisor, &(a, b)| gcd(gcd(a, b), divisor)) as usize;
    let class = |square| {
        let (row, col) = board.grid().row_col(square);
        (row % divisor, col % divisor)
    };
    let colour = |square| colour_of(board, square);
    let mixed = |differ: &dyn Fn(Square, Square) -> bool| {
        let mut squares = board.squares();
        let first = squares.next()?;
        squares
            .find(|&other| differ(first, other))
            .map(|other| (first, other))
    };
    let name = |square| board.grid().name(square);
    if divisor > 1
        && let Some((from, to)) = mixed(&|a, b| class(a) != class(b))
    {
        return Some(Theorem::CommonDivisor {
            leaper: leaper.clone(),
            divisor,
            from: name(from),
            to: name(to),
        });
    }
    if leaper.keeps_colour()
        && let Some((from, to)) = mixed(&|a, b| colour(a) != colour(b))
    {
        return Some(Theorem::KeepsColour {
            leaper: leaper.clone(),
            from: name(from),
            to: name(to),
        });
    }
    None
}

/// A leaper that changes colour with each move visits as many squares of one colour as of the
/// other, or one more.
fn colour(board: &Board, kind: Kind, ends: Ends) -> Option<Theorem> {
    if !board.leaper().changes_colour() {
        return None;
    }
    let (dark, light) = colours(board);
    let spare = dark.abs_diff(light);
    if spare > usize::from(kind == Kind::Open) {
        return Some(Theorem::Colours { kind, dark, light });
    }
    if kind == Kind::Closed {
        return None;
    }
    let name = |square| board.grid().name(square);
    if spare == 1 {
        let majority = usize::from(light > dark);
        let wrong = [ends.start, ends.end].into_iter().flatten();
        return wrong
            .into_iter()
            .find(|&end| colour_of(board, end) != majority)
            .map(|end| Theorem::MinorityEnd {
                end: name(end),
                dark,
                light,
            });
    }
    let (start, end) = (ends.start?, ends.end?);
    (colour_of(board, start) == colour_of(board, end)).then(|| Theorem::EndsOfOneColour {
        start: name(start),
        end: name(end),
    })
}

/// On four rows the squares of the outer rows, half of all, have all their neighbours in the inner
/// rows. A tour of 4n squares then has both ends outside: otherwise outer and inner would alternate
/// throughout, and with them the colours, so that all outer squares had one colour.
fn four_rows(board: &Board, kind: Kind, ends: Ends) -> Option<Theorem> {
    let (rows, cols) = (board.grid().rows(), board.grid().cols());
    if kind == Kind::Closed || (rows != 4 && cols != 4) {
        return None;
    }
    let inside = |square| {
        let (row, col) = board.grid().row_col(square);
        (rows == 4 && matches!(row, 1 | 2)) || (cols == 4 && matches!(col, 1 | 2))
    };
    let end = [ends.start, ends.end]
        .into_iter()
        .flatten()
        .find(|&s| inside(s))?;
    Some(Theorem::FourRows {
        end: board.grid().name(end),
    })
}

/// Knuth's condition for a leaper to reach every square of a rectangle.
fn narrow(board: &Board) -> Option<Theorem> {
    let leaper = board.leaper();
    let &[(a, b)] = leaper.legs() else {
        return None;
    };
    let (a, b) = (a as usize, b as usize);
    let (m, n) = sides(board);
    let applies = a >= 1 && board.holes().is_empty() && board.playable() > 1;
    (applies && (m < a + b || n < 2 * b)).then(|| Theorem::Narrow {
        leaper: leaper.clone(),
    })
}

/// 0 for the colour of a1, 1 for the other.
fn colour_of(board: &Board, square: Square) -> usize {
    let (row, col) = board.grid().row_col(square);
    (row + col) % 2
}

/// How many squares have the colour of a1, and how many the other.
fn colours(board: &Board) -> (usize, usize) {
    let light_holes = board
        .holes()
        .iter()
        .filter(|&&h| colour_of(board, h) == 1)
        .count();
    let all = board.grid().len();
    let dark_holes = board.holes().len() - light_holes;
    (all.div_ceil(2) - dark_holes, all / 2 - light_holes)
}

fn gcd(a: u32, b: u32) -> u32 {
    if a == 0 { b } else { gcd(b % a, a) }
}

#[cfg(test)]
pub(crate) mod tests;
