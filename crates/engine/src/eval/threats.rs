//! Attacked pieces, and space behind the pawns.

use shakmaty::{Bitboard, Color, Role};

use super::attack_map::{AttackMap, fill_forward};
use super::counter::{SideCounter, TermCounter};
use super::pawns;
use super::terms::*;

const CENTRE_FILES: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);

#[inline(always)]
pub(super) fn count<A: TermCounter>(
    map: &AttackMap<'_>,
    side: Color,
    counter: &mut SideCounter<'_, A>,
) {
    let board = map.board;
    let others = board.by_color(!side) & !board.kings();
    let weak = others & !map.attacked_by(!side, Role::Pawn);
    let minors = map.attacked_by(side, Role::Knight) | map.attacked_by(side, Role::Bishop);
    let rooks = map.attacked_by(side, Role::Rook);
    let pawns = map.attacked_by(side, Role::Pawn);
    for role in [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
    ] {
        let kind = board.by_role(role);
        let index = role as usize - 1;
        let heavier = if role == Role::Pawn { weak } else { others };
        count_squares(counter, PAWN_THREAT + index, kind & others & pawns);
        count_squares(counter, MINOR_THREAT + index, kind & heavier & minors);
        let below_queen = if role == Role::Queen { others } else { weak };
        count_squares(counter, ROOK_THREAT + index, kind & below_queen & rooks);
    }
    let loose = others & map.attacked(side) & !map.attacked(!side);
    count_squares(counter, HANGING, loose);
    let unsure = weak & !map.twice[!side as usize];
    count_squares(
        counter,
        KING_THREAT,
        unsure & map.attacked_by(side, Role::King),
    );
    count_squares(counter, PUSH_THREAT, pawns::push_targets(map, side));
    space(map, side, counter);
}

#[inline(always)]
fn count_squares<A: TermCounter>(counter: &mut SideCounter<'_, A>, term: usize, squares: Bitboard) {
    let n = squares.count() as i32;
    if n > 0 {
        counter.add(term, n);
    }
}

/// Counts space, weighted by the number of pieces.
#[inline(always)]
fn space<A: TermCounter>(map: &AttackMap<'_>, side: Color, counter: &mut SideCounter<'_, A>) {
    let board = map.board;
    let own = board.by_color(side);
    let pieces = (own & !board.pawns()).count() as i32;
    if pieces < 5 {
        return;
    }
    let half = if side.is_white() {
        0xffff_ff00
    } else {
        0x00ff_ffff << 32
    };
    let area = CENTRE_FILES
        & Bitboard(half)
        & !map.own(side, Role::Pawn)
        & !map.attacked_by(!side, Role::Pawn);
    let behind = area & fill_forward(map.own(side, Role::Pawn), !side) & !map.attacked(!side);
    let squares = (area.count() + behind.count()) as i32;
    counter.add(SPACE, squares * (pieces - 3) / 8);
}
