//! Attacked squares and areas of both sides, computed once a position.

use shakmaty::attacks::{king_attacks, pawn_attacks};
use shakmaty::{Bitboard, Board, Color, Role, Square};

use crate::position::Position;

/// The input of the counts of terms. Arrays over sides are indexed by `Color as usize`.
pub(super) struct AttackMap<'a> {
    pub(super) board: &'a Board,
    pub(super) kings: [Square; 2],
    /// By role (1..=6); all roles together at 0.
    pub(super) attacks: [[Bitboard; 7]; 2],
    pub(super) twice: [Bitboard; 2],
    /// Squares that count for mobility.
    pub(super) area: [Bitboard; 2],
    /// The squares around the king, and those one rank ahead of them.
    pub(super) zone: [Bitboard; 2],
    /// Units of danger of a side's pieces to the other king, and the number of those pieces.
    pub(super) danger: [i32; 2],
    pub(super) attackers: [i32; 2],
    pub(super) passed: [Bitboard; 2],
}

impl<'a> AttackMap<'a> {
    #[inline(always)]
    pub(super) fn of(position: &'a Position) -> Self {
        let board = position.board();
        let king = |side| board.king_of(side).unwrap_or(Square::A1);
        let mut map = Self {
            board,
            kings: [king(Color::Black), king(Color::White)],
            attacks: [[Bitboard::EMPTY; 7]; 2],
            twice: [Bitboard::EMPTY; 2],
            area: [Bitboard::EMPTY; 2],
            zone: [Bitboard::EMPTY; 2],
            danger: [0; 2],
            attackers: [0; 2],
            passed: [Bitboard::EMPTY; 2],
        };
        for side in [Color::White, Color::Black] {
            let own = board.by_color(side);
            let guarded_by_pawns = pawn_span(board.pawns() & own, side);
            map.twice[side as usize] = pawn_twice(board.pawns() & own, side);
            map.add_attacks(side, Role::Pawn, guarded_by_pawns);
            let king = map.kings[side as usize];
            map.add_attacks(side, Role::King, king_attacks(king));
            let ahead = king_attacks(king);
            map.zone[side as usize] = ahead | forward(ahead, side) | Bitboard::from_square(king);
        }
        for side in [Color::White, Color::Black] {
            let own = board.by_color(side);
            let stuck = own & (board.pawns() & forward(board.occupied(), !side) | board.kings());
            map.area[side as usize] = !(stuck | map.attacks[!side as usize][Role::Pawn as usize]);
        }
        map
    }

    /// Adds the attacks of one piece, or of all pawns.
    #[inline(always)]
    pub(super) fn add_attacks(&mut self, side: Color, role: Role, squares: Bitboard) {
        let attacks = &mut self.attacks[side as usize];
        self.twice[side as usize] |= attacks[0] & squares;
        attacks[role as usize] |= squares;
        attacks[0] |= squares;
    }

    #[inline(always)]
    pub(super) fn own(&self, side: Color, role: Role) -> Bitboard {
        self.board.by_color(side) & self.board.by_role(role)
    }

    #[inline(always)]
    pub(super) fn attacked(&self, side: Color) -> Bitboard {
        self.attacks[side as usize][0]
    }

    #[inline(always)]
    pub(super) fn attacked_by(&self, side: Color, role: Role) -> Bitboard {
        self.attacks[side as usize][role as usize]
    }
}

/// All squares one rank towards the other side.
#[inline(always)]
pub(super) fn forward(squares: Bitboard, side: Color) -> Bitboard {
    Bitboard(if side.is_white() {
        squares.0 << 8
    } else {
        squares.0 >> 8
    })
}

const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Both neighbours on the rank.
#[inline(always)]
pub(super) fn beside(squares: Bitboard) -> Bitboard {
    Bitboard((squares.0 << 1) & NOT_A | (squares.0 >> 1) & NOT_H)
}

/// What pawns attack.
#[inline(always)]
pub(super) fn pawn_span(pawns: Bitboard, side: Color) -> Bitboard {
    forward(beside(pawns), side)
}

#[inline(always)]
fn pawn_twice(pawns: Bitboard, side: Color) -> Bitboard {
    let ahead = forward(pawns, side).0;
    Bitboard((ahead << 1) & NOT_A & ((ahead >> 1) & NOT_H))
}

/// The squares and everything ahead of them.
#[inline(always)]
pub(super) fn fill_forward(squares: Bitboard, side: Color) -> Bitboard {
    let mut b = squares.0;
    if side.is_white() {
        b |= b << 8;
        b |= b << 16;
        b |= b << 32;
    } else {
        b |= b >> 8;
        b |= b >> 16;
        b |= b >> 32;
    }
    Bitboard(b)
}

/// Squares a pawn of `side` can reach by itself or guard on its way.
#[inline(always)]
pub(super) fn attack_span(pawns: Bitboard, side: Color) -> Bitboard {
    fill_forward(pawn_span(pawns, side), side)
}

/// The rank from the side's own back rank, `0..8`.
#[inline(always)]
pub(super) fn rank(square: Square, side: Color) -> usize {
    let rank = square.rank().to_usize();
    if side.is_white() { rank } else { 7 - rank }
}

/// The number of a square within [`super::terms::SQUARE`] for a side.
#[inline(always)]
pub(super) fn half_board(square: Square, side: Color) -> usize {
    let file = square.file().to_usize();
    rank(square, side) * 4 + file.min(7 - file)
}

/// The pawn attacks from one square.
#[inline(always)]
pub(super) fn from_pawn(square: Square, side: Color) -> Bitboard {
    pawn_attacks(side, square)
}
