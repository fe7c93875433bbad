//! A table in memory: the value of every position, for the side to move.

use everymove_kernel::run::Reservation;

use crate::ending::{Ending, Side};
use crate::index::Index;

/// The value of a position for the side to move, with the plies of the table's metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move wins.
    Win(u16),
    /// Neither side wins.
    Draw,
    /// The side to move loses.
    Loss(u16),
}

impl Value {
    /// The plies; none of a draw.
    pub fn plies(self) -> Option<u16> {
        match self {
            Self::Win(plies) | Self::Loss(plies) => Some(plies),
            Self::Draw => None,
        }
    }

    /// `win`, `draw` or `loss`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Win(_) => "win",
            Self::Draw => "draw",
            Self::Loss(_) => "loss",
        }
    }
}

/// Codes below are draws; while a table is solved, they are the least plies of a loss so far.
pub(crate) const WIN: u16 = 0x4000;
/// Codes from here to the next are losses.
pub(crate) const LOSS: u16 = 0x8000;
/// No legal position.
pub(crate) const ILLEGAL: u16 = u16::MAX;
/// The bits of a code that are plies.
pub(crate) const PLIES: u16 = WIN - 1;

/// The value of a code; none if the position is not legal.
pub(crate) fn decoded(code: u16) -> Option<Value> {
    match code {
        ILLEGAL => None,
        0..WIN => Some(Value::Draw),
        WIN..LOSS => Some(Value::Win(code & PLIES)),
        LOSS.. => Some(Value::Loss(code & PLIES)),
    }
}

/// The values of all positions of an ending.
#[derive(Debug)]
pub struct Table {
    pub(crate) ending: Ending,
    pub(crate) index: Index,
    /// By the side to move.
    pub(crate) codes: [Vec<u16>; 2],
    pub(crate) _held: Reservation,
}

impl Table {
    /// What it is the table of.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// The number of positions that are stored, of both sides to move.
    pub fn positions(&self) -> u64 {
        2 * self.index.len() as u64
    }

    /// The order of the group of symmetries by which positions are the same.
    pub fn symmetries(&self) -> usize {
        self.index.symmetries.len()
    }

    /// The value of a position with the royals and the men of the ending on these squares; none if it is not legal.
    pub fn value(&self, side: Side, royals: [usize; 2], men: &[usize]) -> Option<Value> {
        decoded(self.code(side, royals, men.iter().copied()))
    }

    #[inline]
    pub(crate) fn code(
        &self,
        side: Side,
        royals: [usize; 2],
        men: impl Iterator<Item = usize>,
    ) -> u16 {
        match self.index.position(royals, men) {
            Some(position) => self.codes[side][position],
            None => ILLEGAL,
        }
    }
}
