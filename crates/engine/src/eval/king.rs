//! King safety: pawn shelter, pawn storm, and danger from pieces.

use shakmaty::attacks::{bishop_attacks, knight_attacks, rook_attacks};
use shakmaty::{Bitboard, Color, Role};

use super::attack_map::{AttackMap, fill_forward, rank};
use super::counter::{SideCounter, TermCounter};
use super::terms::*;

/// Units of danger of a piece that attacks the zone, knight to queen.
const ATTACKER: [i32; 7] = [0, 0, 5, 4, 5, 7, 0];
/// Units of danger of a safe check, knight to queen.
const SAFE_CHECK: [i32; 7] = [0, 0, 7, 5, 9, 6, 0];
/// The maximum of units that [`DANGER`] distinguishes, two units a term.
const MOST: i32 = 2 * 40 - 1;

/// Adds the attacks of a piece of `side` on the zone of the other king to the units of danger.
#[inline(always)]
pub(super) fn count_king_attack(
    map: &mut AttackMap<'_>,
    side: Color,
    role: Role,
    attacks: Bitboard,
) {
    let near = attacks & map.zone[!side as usize];
    if near.any() {
        map.attackers[side as usize] += 1;
        map.danger[side as usize] += ATTACKER[role as usize] + near.count() as i32;
    }
}

#[inline(always)]
pub(super) fn count<A: TermCounter>(
    map: &AttackMap<'_>,
    side: Color,
    counter: &mut SideCounter<'_, A>,
) {
    shelter(map, side, counter);
    let units = danger(map, side);
    if units > 0 {
        counter.add(DANGER + (units.min(MOST) / 2) as usize, 1);
    }
}

#[inline(always)]
fn shelter<A: TermCounter>(map: &AttackMap<'_>, side: Color, counter: &mut SideCounter<'_, A>) {
    let king = map.kings[side as usize];
    let king_rank = rank(king, side);
    let ahead = fill_forward(Bitboard::from_rank(king.rank()), side);
    let own = map.own(side, Role::Pawn) & ahead;
    let other = map.own(!side, Role::Pawn) & ahead;
    let nearest = |pawns: Bitboard| {
        let found = if side.is_white() {
            pawns.first()
        } else {
            pawns.last()
        };
        found.map(|pawn| rank(pawn, side))
    };
    // A king at the edge counts the three files that are there.
    let centre = king.file().to_usize().clamp(1, 6);
    for file in centre - 1..=centre + 1 {
        let beside = if file == king.file().to_usize() { 0 } else { 8 };
        let squares = Bitboard(0x0101_0101_0101_0101 << file);
        counter.add(SHELTER + beside + nearest(own & squares).unwrap_or(0), 1);
        let storm = nearest(other & squares).map_or(0, |r| r - king_rank);
        counter.add(STORM + beside + storm, 1);
    }
}

/// Units of danger to the king of `side`.
#[inline(always)]
fn danger(map: &AttackMap<'_>, side: Color) -> i32 {
    let us = side as usize;
    let them = !side as usize;
    let queens = map.own(!side, Role::Queen);
    if map.attackers[them] + i32::from(queens.any()) < 2 {
        return 0;
    }
    let board = map.board;
    let king = map.kings[us];
    let guarded_by_king_only =
        map.attacked_by(side, Role::King) & !map.twice[us] & map.attacked(!side);
    let weak = !map.attacked(side) | map.attacked_by(side, Role::King) & !map.twice[us];
    let safe = !board.by_color(!side) & (!map.attacked(side) | weak & map.twice[them]);
    let lines = rook_attacks(king, board.occupied() & !map.own(side, Role::Queen));
    let diagonals = bishop_attacks(king, board.occupied() & !map.own(side, Role::Queen));
    let mut units = map.danger[them] + 3 * guarded_by_king_only.count() as i32;
    let checks = [
        (Role::Knight, knight_attacks(king)),
        (Role::Bishop, diagonals),
        (Role::Rook, lines),
        (Role::Queen, lines | diagonals),
    ];
    for (role, from) in checks {
        if (from & safe & map.attacked_by(!side, role)).any() {
            units += SAFE_CHECK[role as usize];
        }
    }
    if queens.is_empty() {
        units -= 14;
    }
    units
}
