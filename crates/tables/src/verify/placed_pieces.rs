//! Pieces on squares and their attacks, by the shakmaty library's attack tables.

use shakmaty::{Bitboard, Color, Square, attacks};

use crate::position::index_space::{IndexSpace, Piece, Side, Squares};
use crate::position::material::Kind;

/// The pieces of a half on their squares.
#[derive(Clone, Debug)]
pub(super) struct PlacedPieces {
    pub(super) pieces: [Piece; 8],
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

/// Returns the squares that a piece attacks.
#[inline]
pub(super) fn reach(piece: Piece, s: u8, occupied: Bitboard) -> Bitboard {
    match piece.kind {
        Kind::King => attacks::king_attacks(square(s)),
        Kind::Queen => attacks::queen_attacks(square(s), occupied),
        Kind::Rook => attacks::rook_attacks(square(s), occupied),
        Kind::Bishop => attacks::bishop_attacks(square(s), occupied),
        Kind::Knight => attacks::knight_attacks(square(s)),
        Kind::Pawn => attacks::pawn_attacks(color(piece.side), square(s)),
    }
}

/// Returns the entry of a side's king in the order of a half.
pub(super) fn king(side: Side) -> usize {
    match side {
        Side::Attacker => 0,
        Side::Defender => 1,
    }
}

impl PlacedPieces {
    pub(super) fn new(space: &IndexSpace) -> Self {
        let mut pieces = [space.pieces[0]; 8];
        let count = space.pieces.len();
        pieces[..count].copy_from_slice(&space.pieces);
        Self {
            pieces,
            at: [0; 8],
            count,
            occupied: Bitboard::EMPTY,
        }
    }

    /// Places the pieces on other squares; returns false if two are on one.
    #[inline]
    pub(super) fn put(&mut self, at: Squares) -> bool {
        self.at = at;
        self.occupied = at[..self.count].iter().map(|&s| square(s)).collect();
        self.occupied.count() == self.count
    }

    /// Returns the squares of a side's pieces.
    #[inline]
    pub(super) fn of(&self, side: Side) -> Bitboard {
        let of_side = (0..self.count).filter(|&piece| self.pieces[piece].side == side);
        of_side.map(|piece| square(self.at[piece])).collect()
    }

    /// Returns the squares that a side attacks with the given blockers; the piece `gone` does not
    /// attack.
    #[inline]
    pub(super) fn attacked(&self, by: Side, occupied: Bitboard, gone: Option<usize>) -> Bitboard {
        let attackers =
            (0..self.count).filter(|&piece| self.pieces[piece].side == by && Some(piece) != gone);
        attackers
            .map(|piece| reach(self.pieces[piece], self.at[piece], occupied))
            .fold(Bitboard::EMPTY, |all, squares| all | squares)
    }

    /// Returns the piece on a square.
    pub(super) fn on(&self, s: u8) -> Option<usize> {
        self.at[..self.count].iter().position(|&at| at == s)
    }

    /// Whether a move, which may capture a piece (en passant too), leaves its own king unattacked.
    pub(super) fn is_legal(&self, mover: usize, to: u8, taken: Option<usize>) -> bool {
        let side = self.pieces[mover].side;
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
