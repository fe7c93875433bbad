//! Endings: a scale factor for advantages that are hard to win, and mop-up evaluation against a bare king.

use shakmaty::{Bitboard, Color, Role, Square};

use crate::position::Position;

/// The scale factor of endings that can be won.
pub(super) const ALL: i32 = 64;

/// The scale factor of the ending value, in 64ths, for the side that `ending` favours.
#[inline(always)]
pub(super) fn scale_factor(position: &Position, ending: i32) -> i32 {
    let strong = if ending >= 0 {
        Color::White
    } else {
        Color::Black
    };
    let board = position.board();
    let own = board.by_color(strong);
    let other = board.by_color(!strong);
    let pawns = (board.pawns() & own).count() as i32;
    let pieces = |side: Bitboard| side & !board.pawns() & !board.kings();
    let units = |side: Bitboard| {
        let count = |role| (board.by_role(role) & side).count() as i32;
        3 * (count(Role::Knight) + count(Role::Bishop))
            + 5 * count(Role::Rook)
            + 9 * count(Role::Queen)
    };
    if pawns == 0 {
        let lead = units(own) - units(other);
        let only_knights = pieces(own) == board.knights() & own;
        if lead <= 3 && !(units(other) == 0 && lead >= 5) || only_knights && units(own) <= 6 {
            return if units(own) <= 3 || only_knights {
                0
            } else {
                8
            };
        }
        return ALL;
    }
    if wrong_bishop(position, strong) {
        return 0;
    }
    let bishops = board.bishops();
    let opposite = (bishops & own)
        .single_square()
        .zip((bishops & other).single_square());
    if let Some((a, b)) = opposite
        && a.is_light() != b.is_light()
    {
        let bare = pieces(own).count() == 1 && pieces(other).count() == 1;
        return if bare {
            (16 + 6 * pawns).min(ALL)
        } else {
            (36 + 3 * pawns).min(ALL)
        };
    }
    (44 + 5 * pawns).min(ALL)
}

/// A rook pawn's bishop that does not guard its corner, with the defending king in that corner.
#[inline(always)]
fn wrong_bishop(position: &Position, strong: Color) -> bool {
    let board = position.board();
    let own = board.by_color(strong);
    let pawns = board.pawns() & own;
    let pieces = own & !pawns & !board.kings();
    let bishops = pieces & board.bishops();
    if pieces != bishops {
        return false;
    }
    let Some(pawn) = pawns.first() else {
        return false;
    };
    let file = Bitboard::from_file(pawn.file());
    if (pawns & !file).any() || (file & (Bitboard(0x8181_8181_8181_8181))).is_empty() {
        return false;
    }
    let rank = if strong.is_white() {
        shakmaty::Rank::Eighth
    } else {
        shakmaty::Rank::First
    };
    let corner = Square::from_coords(pawn.file(), rank);
    let guards = |bishop: Square| bishop.is_light() == corner.is_light();
    if bishops.into_iter().any(guards) {
        return false;
    }
    let king = board.king_of(!strong);
    king.is_some_and(|king| king.distance(corner) <= 1)
}

/// Mop-up evaluation against a bare king, for White, in centipawns: rewards a king at the edge (in a corner that the bishop reaches),
/// and kings near each other.
#[inline(always)]
pub(super) fn mop_up(position: &Position) -> i32 {
    let board = position.board();
    let bare = |side: Color| (board.by_color(side) & !board.kings()).is_empty();
    let (strong, sign) = match (bare(Color::White), bare(Color::Black)) {
        (false, true) => (Color::White, 1),
        (true, false) => (Color::Black, -1),
        _ => return 0,
    };
    let own = board.by_color(strong);
    let knights_and_bishops = (own & (board.knights() | board.bishops())).count();
    let heavy = own & (board.rooks_and_queens());
    if (own & board.pawns()).any() && heavy.is_empty() {
        return 0;
    }
    if heavy.is_empty() && (knights_and_bishops < 2 || (own & board.bishops()).is_empty()) {
        return 0;
    }
    let (Some(hunter), Some(hunted)) = (board.king_of(strong), board.king_of(!strong)) else {
        return 0;
    };
    let near = 14 - 2 * hunter.distance(hunted) as i32;
    let file = hunted.file().to_usize() as i32;
    let rank = hunted.rank().to_usize() as i32;
    let centre = |n: i32| (2 * n - 7).abs() / 2;
    let edge = if heavy.is_empty() && !(own & board.bishops()).more_than_one() {
        let bishop = (own & board.bishops()).first();
        let light = bishop.is_some_and(Square::is_light);
        // Light corners are a8 and h1, dark ones a1 and h8.
        let file = if light { 7 - file } else { file };
        let corner = (file + rank).min(14 - file - rank);
        8 * (7 - corner)
    } else {
        8 * (centre(file) + centre(rank))
    };
    sign * (300 + 6 * near + edge)
}
