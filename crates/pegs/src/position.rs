//! A set of pegs on a board, as one word.

/// A hole's number on its board: 0 is the first place of the top row, counting along the rows.
pub type Hole = usize;

/// The pegs of a position: bit `i` is set when hole `i` holds a peg.
///
/// A position belongs to the board it was made with; [`Board`](crate::Board) reads and writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position(pub u64);

impl Position {
    /// No pegs.
    pub const EMPTY: Self = Self(0);

    /// One peg.
    pub fn single(hole: Hole) -> Self {
        Self(1 << hole)
    }

    /// Number of pegs.
    pub fn pegs(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether a hole holds a peg.
    pub fn has(self, hole: Hole) -> bool {
        self.0 >> hole & 1 == 1
    }

    /// With a peg put into a hole.
    #[must_use]
    pub fn with(self, hole: Hole) -> Self {
        Self(self.0 | 1 << hole)
    }

    /// With a hole emptied.
    #[must_use]
    pub fn without(self, hole: Hole) -> Self {
        Self(self.0 & !(1 << hole))
    }

    /// The holes that hold pegs, in ascending order.
    pub fn holes(self) -> impl Iterator<Item = Hole> {
        Bits(self.0)
    }
}

/// The indexes of the set bits of a word, in ascending order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits(pub(crate) u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}
