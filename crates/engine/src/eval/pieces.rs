//! Material, piece-square values, mobility and the other terms of each piece; their attacks are added to the attack map.

use shakmaty::attacks::{bishop_attacks, knight_attacks, rook_attacks};
use shakmaty::{Bitboard, Color, Role, Square};

use super::attack_map::{AttackMap, fill_forward, forward, half_board, rank};
use super::counter::{SideCounter, TermCounter};
use super::terms::*;
use super::{king, pawns};

#[inline(always)]
pub(super) fn count<A: TermCounter>(
    map: &mut AttackMap<'_>,
    side: Color,
    counter: &mut SideCounter<'_, A>,
) {
    let own = map.board.by_color(side);
    if (map.board.bishops() & own).more_than_one() {
        counter.add(BISHOP_PAIR, 1);
    }
    count_role(map, side, Role::Knight, counter);
    count_role(map, side, Role::Bishop, counter);
    count_role(map, side, Role::Rook, counter);
    count_role(map, side, Role::Queen, counter);
    let king = map.kings[side as usize];
    counter.add(
        SQUARE + (Role::King as usize - 1) * 32 + half_board(king, side),
        1,
    );
}

#[inline(always)]
fn count_role<A: TermCounter>(
    map: &mut AttackMap<'_>,
    side: Color,
    role: Role,
    counter: &mut SideCounter<'_, A>,
) {
    for square in map.own(side, role) {
        let attacks = attacks(map, side, role, square);
        let mobility = (attacks & map.area[side as usize]).count();
        counter.add(MATERIAL + role as usize - 1, 1);
        counter.add(mobility_term(role) + mobility, 1);
        counter.add(
            SQUARE + (role as usize - 1) * 32 + half_board(square, side),
            1,
        );
        king::count_king_attack(map, side, role, attacks);
        map.add_attacks(side, role, attacks);
        match role {
            Role::Knight | Role::Bishop => minor(map, side, role, square, counter),
            Role::Rook => rook(map, side, square, counter),
            _ => {}
        }
    }
}

#[inline(always)]
fn mobility_term(role: Role) -> usize {
    match role {
        Role::Knight => KNIGHT_MOBILITY,
        Role::Bishop => BISHOP_MOBILITY,
        Role::Rook => ROOK_MOBILITY,
        _ => QUEEN_MOBILITY,
    }
}

/// The squares a piece attacks; sliders attack through own pieces that move the same way (X-ray).
#[inline(always)]
fn attacks(map: &AttackMap<'_>, side: Color, role: Role, square: Square) -> Bitboard {
    let board = map.board;
    let occupied = board.occupied();
    let queens = map.own(side, Role::Queen);
    match role {
        Role::Knight => knight_attacks(square),
        Role::Bishop => bishop_attacks(square, occupied & !queens),
        Role::Rook => rook_attacks(square, occupied & !queens & !map.own(side, Role::Rook)),
        _ => bishop_attacks(square, occupied) | rook_attacks(square, occupied),
    }
}

#[inline(always)]
fn minor<A: TermCounter>(
    map: &AttackMap<'_>,
    side: Color,
    role: Role,
    square: Square,
    counter: &mut SideCounter<'_, A>,
) {
    let here = Bitboard::from_square(square);
    let outpost = (3..=5).contains(&rank(square, side))
        && pawns::guards(map, square, side)
        && (pawns::out_of_reach(map, side) & here).any();
    if outpost {
        counter.add(OUTPOST + usize::from(role == Role::Bishop), 1);
    }
    if (forward(here, side) & map.board.pawns()).any() {
        counter.add(SHIELDED_MINOR, 1);
    }
    if role == Role::Bishop {
        let colour = if square.is_light() {
            Bitboard::LIGHT_SQUARES
        } else {
            Bitboard::DARK_SQUARES
        };
        let pawns = (map.own(side, Role::Pawn) & colour).count();
        counter.add(BISHOP_PAWNS + pawns, 1);
    }
}

#[inline(always)]
fn rook<A: TermCounter>(
    map: &AttackMap<'_>,
    side: Color,
    square: Square,
    counter: &mut SideCounter<'_, A>,
) {
    let file = Bitboard::from_file(square.file());
    let pawns = map.board.pawns();
    if (file & pawns).is_empty() {
        counter.add(ROOK_OPEN, 1);
    } else if (file & map.own(side, Role::Pawn)).is_empty() {
        counter.add(ROOK_HALF_OPEN, 1);
    }
    if rank(square, side) == 6 {
        let seventh = Bitboard::from_rank(square.rank());
        let king_back = rank(map.kings[!side as usize], side) == 7;
        if king_back || (seventh & map.own(!side, Role::Pawn)).any() {
            counter.add(ROOK_SEVENTH, 1);
        }
    }
    let ahead = fill_forward(Bitboard::from_square(square), side);
    if (ahead & map.passed[side as usize]).any() {
        counter.add(ROOK_BEHIND, 1);
    }
}
