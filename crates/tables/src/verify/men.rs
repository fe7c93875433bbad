//! Men on squares and what they attack, by the shakmaty library's attack tables.

use shakmaty::{Bitboard, Color, Square, attacks};

use crate::position::index_space::{Man, Side, Space, Squares};
use crate::position::material::Kind;

/// The men of a half on their squares.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) men: [Man; 8],
    pub(super) at: Squares,
    pub(super) count: usize,
    pub(super) occupied: Bitboard,
}

pub(super) fn square(s: u8) -> Square {
    Square::new(u32::from(s))
}

pub(super) fn index(s: Square) -> u8 {
    u32::from(s) as u8
}

/// The attacker's pawns move up the board.
fn color(side: Side) -> Color {
    match side {
        Side::Attacker => Color::White,
        Side::Defender => Color::Black,
    }
}

/// The squares that a man attacks.
#[inline]
pub(super) fn reach(man: Man, s: u8, occupied: Bitboard) -> Bitboard {
    match man.kind {
        Kind::King => attacks::king_attacks(square(s)),
        Kind::Queen => attacks::queen_attacks(square(s), occupied),
        Kind::Rook => attacks::rook_attacks(square(s), occupied),
        Kind::Bishop => attacks::bishop_attacks(square(s), occupied),
        Kind::Knight => attacks::knight_attacks(square(s)),
        Kind::Pawn => attacks::pawn_attacks(color(man.side), square(s)),
    }
}

/// The number of the king of a side among the men of a half.
pub(super) fn king(side: Side) -> usize {
    match side {
        Side::Attacker => 0,
        Side::Defender => 1,
    }
}

impl Placed {
    pub(super) fn new(space: &Space) -> Self {
        let mut men = [space.men[0]; 8];
        let count = space.men.len();
        men[..count].copy_from_slice(&space.men);
        Self {
            men,
            at: [0; 8],
            count,
            occupied: Bitboard::EMPTY,
        }
    }

    /// Puts the men on other squares; false if two share one.
    #[inline]
    pub(super) fn put(&mut self, at: Squares) -> bool {
        self.at = at;
        self.occupied = at[..self.count].iter().map(|&s| square(s)).collect();
        self.occupied.count() == self.count
    }

    /// The squares of a side's men.
    #[inline]
    pub(super) fn of(&self, side: Side) -> Bitboard {
        let of_side = (0..self.count).filter(|&man| self.men[man].side == side);
        of_side.map(|man| square(self.at[man])).collect()
    }

    /// The squares that a side attacks if just these squares are occupied; one man of it may be gone.
    #[inline]
    pub(super) fn attacked(&self, by: Side, occupied: Bitboard, gone: Option<usize>) -> Bitboard {
        let attackers =
            (0..self.count).filter(|&man| self.men[man].side == by && Some(man) != gone);
        attackers
            .map(|man| reach(self.men[man], self.at[man], occupied))
            .fold(Bitboard::EMPTY, |all, squares| all | squares)
    }

    /// The man on a square.
    pub(super) fn on(&self, s: u8) -> Option<usize> {
        self.at[..self.count].iter().position(|&at| at == s)
    }

    /// Whether a move, which may take a man (in passing too), leaves its own king unattacked.
    pub(super) fn is_legal(&self, mover: usize, to: u8, taken: Option<usize>) -> bool {
        let side = self.men[mover].side;
        let mut occupied = self.occupied;
        occupied.discard(square(self.at[mover]));
        if let Some(taken) = taken {
            occupied.discard(square(self.at[taken]));
        }
        occupied.add(square(to));
        let king = king(side);
        let king = if mover == king { to } else { self.at[king] };
        !self
            .attacked(side.other(), occupied, taken)
            .contains(square(king))
    }
}
