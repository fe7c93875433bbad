//! What no jump can change: the linear invariants of a board over GF(2), and the classes they make.
//!
//! A jump flips three holes. A set of holes that every jump meets in none or two of its three holes
//! keeps the parity of its pegs. These sets form a linear space, the null space of the matrix with
//! a row for each jump. On large enough square boards it has four dimensions, which give Reiss'
//! sixteen classes; on triangular ones two (Beasley, *The Ins and Outs of Peg Solitaire*; Bell,
//! "Triangular peg solitaire unlimited"). Here it is computed for each board, never assumed.

use crate::jump::Jump;
use crate::position::{Bits, Position};

/// The values of a board's invariants in a position: bit `i` is the parity of pegs on the `i`-th
/// set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class(pub u64);

/// A basis of the sets of holes whose parity no jump changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariants {
    basis: Vec<Position>,
}

impl Invariants {
    /// The null space of the jumps on a board of `holes` holes.
    pub(crate) fn new(holes: usize, jumps: &[Jump]) -> Self {
        // Reduced row echelon form of the jump matrix: (pivot, row).
        let mut rows: Vec<(usize, u64)> = Vec::new();
        for jump in jumps {
            let mut row = jump.mask();
            for &(pivot, other) in &rows {
                if row >> pivot & 1 == 1 {
                    row ^= other;
                }
            }
            if row == 0 {
                continue;
            }
            let pivot = row.trailing_zeros() as usize;
            for (_, other) in &mut rows {
                if *other >> pivot & 1 == 1 {
                    *other ^= row;
                }
            }
            rows.push((pivot, row));
        }
        let free = (0..holes).filter(|hole| rows.iter().all(|(pivot, _)| pivot != hole));
        let basis = free
            .map(|hole| {
                let bound = rows.iter().filter(|(_, row)| row >> hole & 1 == 1);
                Position(bound.fold(1 << hole, |set, (pivot, _)| set | 1 << pivot))
            })
            .collect();
        Self { basis }
    }

    /// The basis: sets of holes, linearly independent.
    pub fn basis(&self) -> &[Position] {
        &self.basis
    }

    /// The class of a position.
    pub fn class(&self, position: Position) -> Class {
        let parity = |set: &Position| u64::from((set.0 & position.0).count_ones() & 1);
        let values = self.basis.iter().enumerate();
        Class(values.fold(0, |class, (i, set)| class | parity(set) << i))
    }

    /// The set of holes that the chosen basis sets (bits of `choice`) add up to.
    pub(crate) fn combination(&self, choice: u64) -> Position {
        Position(Bits(choice).fold(0, |set, i| set ^ self.basis[i].0))
    }
}
