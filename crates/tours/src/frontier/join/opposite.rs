//! Which blocks of the second half face those of the first.

use super::super::bits::Index;
use super::super::degrees::{Degrees, DigitMap};
use super::super::plan::Meet;

/// Where the second half has the block that faces one of the first.
pub(super) enum Facing {
    /// Where its degree vector is.
    Indexed(Index),
    /// At the same position.
    Aligned,
}

/// A pair of facing blocks: positions in the two layers, and how often the pair counts.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) first: u32,
    pub(super) second: u32,
    pub(super) weight: u8,
}

/// The degree vectors of the second half that face those of the first.
pub(in super::super) struct Opposite<'a> {
    meet: &'a Meet,
    complement: DigitMap,
}

impl<'a> Opposite<'a> {
    pub(in super::super) fn new(meet: &'a Meet) -> Self {
        Self {
            meet,
            complement: DigitMap::complement(&meet.facing),
        }
    }

    /// The degree vector of the second half that faces one of the first, and its folded form.
    pub(in super::super) fn of(&self, degrees: Degrees) -> (Degrees, Degrees) {
        let facing = self.complement.apply(degrees);
        let fold = self.meet.second_fold.as_ref();
        (facing, fold.map_or(facing, |fold| fold.canonical(facing)))
    }
}
