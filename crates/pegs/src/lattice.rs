//! The two lattices a board can lie on: which way pegs jump, and which turns map the lattice to
//! itself.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// How the places of a board touch.
///
/// Places are given by row (from the top) and column. On the square lattice a place has four
/// neighbours; on the triangular lattice it also touches the places one row up and one column left,
/// and one row down and one column right, so that a left-aligned staircase of rows 1, 2, 3, ...
/// long is a triangle with all its sides alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lattice {
    /// Four directions.
    Square,
    /// Six directions.
    Triangular,
}

/// A text that names no lattice.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a lattice: expected square or triangular")]
pub struct NotALattice(String);

/// A step from a place to a neighbour: rows down, columns right.
pub(crate) type Step = (i32, i32);

const SQUARE: [Step; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const TRIANGULAR: [Step; 6] = [(0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0)];

impl Lattice {
    /// The steps from a place to its neighbours.
    pub(crate) fn steps(self) -> &'static [Step] {
        match self {
            Self::Square => &SQUARE,
            Self::Triangular => &TRIANGULAR,
        }
    }

    /// The linear maps that permute the steps: eight on the square lattice, twelve on the
    /// triangular one.
    pub(crate) fn linear_symmetries(self) -> Vec<LinearMap> {
        let steps = self.steps();
        let candidates = steps
            .iter()
            .flat_map(|&down| steps.iter().map(move |&right| LinearMap { down, right }));
        candidates
            .filter(|turn| {
                let mut images: Vec<Step> = steps.iter().map(|&step| turn.apply(step)).collect();
                images.sort_unstable();
                images.dedup();
                images.len() == steps.len() && images.iter().all(|image| steps.contains(image))
            })
            .collect()
    }
}

impl fmt::Display for Lattice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Square => "square",
            Self::Triangular => "triangular",
        })
    }
}

impl FromStr for Lattice {
    type Err = NotALattice;

    fn from_str(text: &str) -> Result<Self, NotALattice> {
        match text {
            "square" => Ok(Self::Square),
            "triangular" | "triangle" | "hex" => Ok(Self::Triangular),
            _ => Err(NotALattice(text.to_owned())),
        }
    }
}

/// A linear map of the plane, given by the images of one step down and one step right.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinearMap {
    down: Step,
    right: Step,
}

impl LinearMap {
    /// The image of the place at (row, column).
    pub(crate) fn apply(self, (row, col): Step) -> Step {
        (
            row * self.down.0 + col * self.right.0,
            row * self.down.1 + col * self.right.1,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn point_groups_have_their_orders() {
        assert_eq!(Lattice::Square.linear_symmetries().len(), 8);
        assert_eq!(Lattice::Triangular.linear_symmetries().len(), 12);
    }
}
