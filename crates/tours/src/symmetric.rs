//! Symmetric tours: those that a symmetry of the board maps onto themselves, and those that consist
//! of rotated copies of a path.
//!
//! Instead of squares, the search visits orbits of squares, a half or a quarter as many.
//!
//! - [`diagrams`] counts, [`list`] shows the closed tours that a rotation maps onto themselves;
//! - [`quarter_paths`] and [`systems`] make open tours of odd boards from four copies of a path;
//! - [`classes`] counts tours up to the symmetries of the board, [`Representatives`] chooses one of
//!   each class.
//!
//! ```
//! use everymove_kernel::run::Run;
//! use everymove_tours::board::{Board, Kind};
//! use everymove_tours::symmetric::{self, Rotation};
//!
//! let (board, run) = (Board::knight(6, 6)?, Run::serial());
//! assert_eq!(symmetric::diagrams(&board, Rotation::Half, &run)?.diagrams, 78);
//! assert_eq!(symmetric::diagrams(&board, Rotation::Quarter, &run)?.diagrams, 10);
//! let classes = symmetric::classes(&board, Kind::Closed, 9862, &run)?;
//! assert_eq!(classes.classes, 1245);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod classes;
mod invariant;
mod quarter;
mod quotient;
mod representatives;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::ControlFlow;

use everymove_kernel::grid::{Grid, Square, Symmetry};
use everymove_kernel::run::{Run, Stopped, Work};
use thiserror::Error;

pub use classes::{BySymmetry, Classes, classes};
pub use quarter::{QuarterCount, SystemType, quarter_paths, systems};
pub use representatives::Representatives;

use crate::board::{Board, Kind};
use crate::search::SearchError;

/// A turn about the centre of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rotation {
    /// By 180 degrees.
    Half,
    /// By 90 degrees; the board must be square.
    Quarter,
}

impl Rotation {
    fn symmetry(self) -> Symmetry {
        match self {
            Self::Half => Symmetry::HalfTurn,
            Self::Quarter => Symmetry::QuarterTurn,
        }
    }
}

impl fmt::Display for Rotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Half => "half turn",
            Self::Quarter => "quarter turn",
        })
    }
}

/// Why symmetric tours cannot be asked for, or why there are none.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SymmetricError {
    /// The symmetry does not map the board onto itself.
    #[error("{} does not map the {grid} board with its holes onto itself", name(*.symmetry))]
    NotSymmetric {
        /// The board.
        grid: Grid,
        /// The symmetry.
        symmetry: Symmetry,
    },
    /// The board has too many orbits for the bit sets.
    #[error("the {grid} board has more than {max} orbits of squares: symmetric search takes at most {max}", max = quotient::Quotient::MAX_ORBITS)]
    TooLarge {
        /// The board.
        grid: Grid,
    },
    /// Quarter paths leave a centre square over, and here is none.
    #[error(
        "the {grid} board has no centre square to join quarter paths: expected an odd side such as 7x7"
    )]
    NoCentre {
        /// The board.
        grid: Grid,
    },
    /// A theorem rules symmetric tours out.
    #[error("no closed tour of this {grid} board is symmetric under a {rotation}: {reason}")]
    Impossible {
        /// The board.
        grid: Grid,
        /// The rotation.
        rotation: Rotation,
        /// The theorem in words.
        reason: Impossible,
    },
    /// A number of tours that contradicts the number of symmetric ones.
    #[error(
        "the {grid} board cannot have {total} tours: with its symmetric tours, that is no whole number of classes"
    )]
    WrongTotal {
        /// The board.
        grid: Grid,
        /// The number of undirected tours that was given.
        total: u128,
    },
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A small board whose tours were listed and looked at.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// Why there are no closed tours with a symmetry. All reasons are about pieces that change colour
/// with every move.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq, Hash)]
pub enum Impossible {
    /// A cycle that alternates between two colours has even length.
    #[error(
        "every move changes the colour of the square, so a closed tour needs an even number of squares, not {0}"
    )]
    OddSquares(usize),
    /// A quarter turn would map the centre to itself, or a part of the squares has no four images.
    #[error(
        "a quarter turn shifts the tour by a quarter of its squares, and 4 does not divide {0}"
    )]
    NoQuarter(usize),
    /// Shifting by a quarter of the tour and turning the board disagree about colours.
    #[error(
        "a quarter turn shifts the tour by {shift} squares, which {} the colours, but turns squares {} \
         (without holes the side must be 4k+2)",
        if *.shift % 2 == 0 { "keeps" } else { "exchanges" },
        if *.shift % 2 == 0 { "to the other colour" } else { "to their own colour" }
    )]
    Colours {
        /// A quarter of the number of squares.
        shift: usize,
    },
}

fn name(symmetry: Symmetry) -> &'static str {
    match symmetry {
        Symmetry::Identity => "the identity",
        Symmetry::HalfTurn => "a half turn",
        Symmetry::FlipRows | Symmetry::FlipCols => "a reflection in a middle line",
        Symmetry::Transpose | Symmetry::AntiTranspose => "a reflection in a diagonal",
        Symmetry::QuarterTurn | Symmetry::ThreeQuarterTurn => "a quarter turn",
    }
}

/// How many closed tours a rotation maps onto themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagrams {
    /// Closed tours as sets of moves, neither directions nor images counted apart. Those with
    /// quarter-turn symmetry are among those with half-turn symmetry.
    pub diagrams: u64,
    /// `nodes` visited.
    pub work: Work,
}

/// Counts the closed tours that a rotation maps onto themselves.
///
/// # Errors
/// [`SymmetricError`]: [`Impossible`](SymmetricError::Impossible) names the theorem if there can be none.
pub fn diagrams(board: &Board, rotation: Rotation, run: &Run) -> Result<Diagrams, SymmetricError> {
    possible(board, rotation)?;
    let found = invariant::count(board, Kind::Closed, rotation.symmetry(), run)?;
    Ok(Diagrams {
        diagrams: found.tours,
        work: Work::of("nodes", found.nodes),
    })
}

/// Hands each closed tour that a rotation maps onto itself to `visitor`, as its squares in order,
/// until that breaks: one direction of each, from the first square of the board. Always in the same
/// order.
///
/// # Errors
/// As [`diagrams`].
pub fn list(
    board: &Board,
    rotation: Rotation,
    run: &Run,
    mut visitor: impl FnMut(&[Square]) -> ControlFlow<()>,
) -> Result<Work, SymmetricError> {
    possible(board, rotation)?;
    let nodes = invariant::list(board, Kind::Closed, rotation.symmetry(), run, &mut visitor)?;
    Ok(Work::of("nodes", nodes))
}

/// Refuses rotations that do not map the board onto itself, or that a theorem rules out for closed
/// tours.
fn possible(board: &Board, rotation: Rotation) -> Result<(), SymmetricError> {
    let (grid, symmetry) = (board.grid(), rotation.symmetry());
    if !board.symmetries().contains(&symmetry) {
        return Err(SymmetricError::NotSymmetric { grid, symmetry });
    }
    if !board.leaper().changes_colour() {
        return Ok(());
    }
    let squares = board.playable();
    let shift = squares / 4;
    let reason = if !squares.is_multiple_of(2) {
        Impossible::OddSquares(squares)
    } else if rotation == Rotation::Half {
        return Ok(());
    } else if !squares.is_multiple_of(4) {
        Impossible::NoQuarter(squares)
    } else if !(grid.rows() + shift).is_multiple_of(2) {
        return Ok(());
    } else {
        Impossible::Colours { shift }
    };
    Err(SymmetricError::Impossible {
        grid,
        rotation,
        reason,
    })
}
