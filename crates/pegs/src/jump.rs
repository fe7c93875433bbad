//! A jump: one peg over a neighbouring peg into the empty hole behind it.

use crate::position::{Hole, Position};

/// A jump: the peg in `from` goes over the one in `over`, which leaves the board, into the empty
/// `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Jump {
    /// The hole of the jumping peg.
    pub from: Hole,
    /// The peg that is taken away.
    pub over: Hole,
    /// The empty hole the peg lands in.
    pub to: Hole,
}

impl Jump {
    /// The three holes as a word: a jump flips them all.
    pub(crate) fn mask(&self) -> u64 {
        1 << self.from | 1 << self.over | 1 << self.to
    }

    /// The pegs a jump needs, as a word.
    pub(crate) fn pegs(&self) -> u64 {
        1 << self.from | 1 << self.over
    }

    /// Whether the jump can be made in a position.
    pub fn is_legal(&self, position: Position) -> bool {
        position.0 & self.mask() == self.pegs()
    }

    /// The position after the jump; only for a legal one.
    #[must_use]
    pub fn after(&self, position: Position) -> Position {
        Position(position.0 ^ self.mask())
    }
}
