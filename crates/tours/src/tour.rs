//! One tour, as the step number of every square.

use everymove_kernel::grid::Square;

use crate::board::{Board, Kind};

/// A tour of a board: `steps[square]` is the step number of the square, from 0, or [`Tour::HOLE`].
///
/// Solvers construct only valid tours; what was read from a file must be checked by [`crate::check`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tour {
    board: Board,
    kind: Kind,
    steps: Vec<u32>,
}

impl Tour {
    /// The step number of a hole.
    pub const HOLE: u32 = u32::MAX;

    /// A tour from step numbers, one for each square of the grid.
    ///
    /// # Panics
    /// If there are not as many step numbers as squares.
    pub fn from_steps(board: Board, kind: Kind, steps: Vec<u32>) -> Self {
        assert_eq!(steps.len(), board.grid().len(), "one step number a square");
        Self { board, kind, steps }
    }

    /// A tour from the squares in the order of the visit.
    ///
    /// # Panics
    /// If a square is outside the grid.
    pub fn from_order(board: Board, kind: Kind, order: &[Square]) -> Self {
        let mut steps = vec![Self::HOLE; board.grid().len()];
        for (step, &square) in order.iter().enumerate() {
            steps[square] = step as u32;
        }
        Self { board, kind, steps }
    }

    /// The board that it visits.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Open or closed.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The step number of every square, row by row from the bottom.
    pub fn steps(&self) -> &[u32] {
        &self.steps
    }

    /// The step numbers, without a copy.
    pub fn into_steps(self) -> Vec<u32> {
        self.steps
    }

    /// Bytes that it takes in memory.
    pub fn bytes(&self) -> u64 {
        let holes = size_of_val(self.board.holes());
        (size_of::<Self>() + self.steps.len() * size_of::<u32>() + holes) as u64
    }

    /// The squares in the order of the visit.
    pub fn order(&self) -> Vec<Square> {
        let mut order = vec![0; self.board.playable()];
        for (square, &step) in self.steps.iter().enumerate() {
            if step != Self::HOLE {
                order[step as usize] = square;
            }
        }
        order
    }
}
