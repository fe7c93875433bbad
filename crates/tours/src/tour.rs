//! One tour, as the step number of every square.

use everymove_kernel::grid::Square;

use crate::board::{Board, Kind};

/// How the step numbers of a tour, counted from 1, add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Magic {
    /// All rows have one sum, and all columns.
    Semi,
    /// The same, and both long diagonals of the square board have that sum.
    Full,
}

/// A tour of a board: `steps[square]` is the step number of the square, from 0, or [`Tour::HOLE`].
///
/// Solvers construct only valid tours; what was read from a file must be checked by
/// [`crate::check`].
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

    /// Whether the step numbers are magic, of boards without holes and of at least two rows and
    /// columns.
    pub fn magic(&self) -> Option<Magic> {
        let grid = self.board.grid();
        let (rows, cols) = (grid.rows(), grid.cols());
        if !self.board.holes().is_empty() || rows < 2 || cols < 2 {
            return None;
        }
        let number = |square: Square| u64::from(self.steps[square]) + 1;
        let row = |row: usize| (0..cols).map(|col| number(row * cols + col)).sum::<u64>();
        let sum = row(0);
        // Few boards come further than this.
        if (1..rows).any(|other| row(other) != sum) {
            return None;
        }
        let col = |col: usize| (0..rows).map(|row| number(row * cols + col)).sum::<u64>();
        let first = col(0);
        if (1..cols).any(|other| col(other) != first) {
            return None;
        }
        let diagonals = [0, cols - 1].map(|from| {
            let col = |row: usize| from.abs_diff(row);
            (0..rows.min(cols))
                .map(|row| number(row * cols + col(row)))
                .sum::<u64>()
        });
        let is_full = rows == cols && diagonals == [sum; 2];
        Some(if is_full { Magic::Full } else { Magic::Semi })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tour(rows: &[&[u32]]) -> Tour {
        let board = Board::knight(rows.len() as u32, rows[0].len() as u32).unwrap();
        let steps = rows.concat().into_iter().map(|number| number - 1).collect();
        Tour::from_steps(board, Kind::Open, steps)
    }

    /// Beverley's tour of 1848, the oldest that is known.
    const BEVERLEY: [&[u32]; 8] = [
        &[1, 30, 47, 52, 5, 28, 43, 54],
        &[48, 51, 2, 29, 44, 53, 6, 27],
        &[31, 46, 49, 4, 25, 8, 55, 42],
        &[50, 3, 32, 45, 56, 41, 26, 7],
        &[33, 62, 15, 20, 9, 24, 39, 58],
        &[16, 19, 34, 61, 40, 57, 10, 23],
        &[63, 14, 17, 36, 21, 12, 59, 38],
        &[18, 35, 64, 13, 60, 37, 22, 11],
    ];

    #[test]
    fn magic_numbers_are_noticed() {
        let beverley = tour(&BEVERLEY);
        assert!(crate::check::verify(&beverley, 1).is_ok());
        assert_eq!(beverley.magic(), Some(Magic::Semi));
        let mut turned = BEVERLEY;
        turned.swap(0, 1);
        assert_eq!(tour(&turned).magic(), Some(Magic::Semi));
        // The numbers of no tour, but of a magic square.
        assert_eq!(
            tour(&[&[2, 7, 6], &[9, 5, 1], &[4, 3, 8]]).magic(),
            Some(Magic::Full)
        );
        assert_eq!(
            tour(&[&[2, 6, 7], &[9, 1, 5], &[4, 8, 3]]).magic(),
            Some(Magic::Semi)
        );
        assert_eq!(tour(&[&[2, 7, 6], &[9, 5, 1], &[4, 8, 3]]).magic(), None);
        assert_eq!(tour(&[&[1, 8, 3, 6], &[7, 2, 5, 4]]).magic(), None);
    }
}
