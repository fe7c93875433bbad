//! A move in 16 bits, for tables.

use shakmaty::{Move, Role, Square};

/// From-square, to-square and promotion in 15 bits; 0 is no move. Castling goes from the king to its rook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ShortMove(u16);

impl ShortMove {
    /// No move.
    pub const NONE: Self = Self(0);

    /// Shortens a move.
    #[inline]
    pub fn of(m: Move) -> Self {
        let from = m.from().map_or(0, |s| s.to_usize() as u16);
        let promotion = m.promotion().map_or(0, |role: Role| role as u16);
        Self(from | (m.to().to_usize() as u16) << 6 | promotion << 12)
    }

    /// Whether there is no move in it.
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Where it goes; for castling, the rook's square.
    #[inline]
    pub(crate) fn to(self) -> Square {
        Square::new(u32::from(self.0 >> 6 & 63))
    }

    /// The 16 bits.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// From the 16 bits; what is no legal move anywhere is found when it is [expanded](crate::Position::expand).
    pub fn from_bits(bits: u16) -> Self {
        Self(bits)
    }
}
