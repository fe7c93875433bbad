//! A move in 16 bits, for the transposition table.

use shakmaty::{Move, Role, Square};

/// From-square, to-square and promotion in 15 bits; 0 is no move. Castling goes from the king to
/// its rook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ShortMove(u16);

impl ShortMove {
    /// No move.
    pub const NONE: Self = Self(0);

    /// The short form of a move.
    #[inline]
    pub fn of(m: Move) -> Self {
        if let Move::Normal {
            from,
            to,
            promotion,
            ..
        } = m
        {
            let promotion = promotion.map_or(0, |role| role as u16);
            return Self(u32::from(from) as u16 | (u32::from(to) as u16) << 6 | promotion << 12);
        }
        let from = m.from().map_or(0, |s| s.to_usize() as u16);
        let promotion = m.promotion().map_or(0, |role: Role| role as u16);
        Self(from | (m.to().to_usize() as u16) << 6 | promotion << 12)
    }

    /// Whether it is [`Self::NONE`].
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// The square the move starts from.
    #[inline]
    pub(crate) fn from(self) -> Square {
        Square::new(u32::from(self.0 & 63))
    }

    /// The role of a promoted piece.
    #[inline]
    pub(crate) fn promotion(self) -> Option<Role> {
        Role::try_from(u32::from(self.0 >> 12 & 7)).ok()
    }

    /// The target square; for castling, the rook's square.
    #[inline]
    pub(crate) fn to(self) -> Square {
        Square::new(u32::from(self.0 >> 6 & 63))
    }

    /// The 16 bits.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// From the 16 bits. Whether the move is legal shows when it is
    /// [expanded](crate::Position::expand).
    pub fn from_bits(bits: u16) -> Self {
        Self(bits)
    }
}
