//! Mop-up evaluation: progress against a bare king.

use shakmaty::{Color, Square};

use crate::position::Position;

/// Mop-up evaluation against a bare king, for White, in centipawns: rewards a king at the edge (in
/// a corner that the bishop reaches), and kings near each other.
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
