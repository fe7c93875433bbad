//! The king's shelter, the storm against it and the danger that pieces bring.

use shakmaty::attacks::{bishop_attacks, knight_attacks, rook_attacks};
use shakmaty::{Bitboard, Color, Role};

use super::facts::{Facts, fill_forward, rank};
use super::terms::*;
use super::{Account, Ledger};

/// Units of danger of a piece that attacks the zone, knight to queen.
const ATTACKER: [i32; 7] = [0, 0, 5, 4, 5, 7, 0];
/// Of a check that can be given safely.
const SAFE_CHECK: [i32; 7] = [0, 0, 7, 5, 9, 6, 0];
/// The most units that [`DANGER`] tells apart, two a term.
const MOST: i32 = 2 * 40 - 1;

/// Notes what a piece of `side` attacks around the other king.
#[inline]
pub(super) fn note_attack(facts: &mut Facts<'_>, side: Color, role: Role, attacks: Bitboard) {
    let near = attacks & facts.zone[!side as usize];
    if near.any() {
        facts.attackers[side as usize] += 1;
        facts.danger[side as usize] += ATTACKER[role as usize] + near.count() as i32;
    }
}

pub(super) fn count<A: Account>(facts: &Facts<'_>, side: Color, ledger: &mut Ledger<'_, A>) {
    shelter(facts, side, ledger);
    let units = danger(facts, side);
    if units > 0 {
        ledger.add(DANGER + (units.min(MOST) / 2) as usize, 1);
    }
}

fn shelter<A: Account>(facts: &Facts<'_>, side: Color, ledger: &mut Ledger<'_, A>) {
    let king = facts.kings[side as usize];
    let king_rank = rank(king, side);
    let ahead = fill_forward(Bitboard::from_rank(king.rank()), side);
    let own = facts.own(side, Role::Pawn) & ahead;
    let other = facts.own(!side, Role::Pawn) & ahead;
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
        ledger.add(SHELTER + beside + nearest(own & squares).unwrap_or(0), 1);
        let storm = nearest(other & squares).map_or(0, |r| r - king_rank);
        ledger.add(STORM + beside + storm, 1);
    }
}

/// Units of danger to the king of `side`.
fn danger(facts: &Facts<'_>, side: Color) -> i32 {
    let us = side as usize;
    let them = !side as usize;
    let queens = facts.own(!side, Role::Queen);
    if facts.attackers[them] + i32::from(queens.any()) < 2 {
        return 0;
    }
    let board = facts.board;
    let king = facts.kings[us];
    let guarded_by_king_only =
        facts.attacked_by(side, Role::King) & !facts.twice[us] & facts.attacked(!side);
    let weak = !facts.attacked(side) | facts.attacked_by(side, Role::King) & !facts.twice[us];
    let safe = !board.by_color(!side) & (!facts.attacked(side) | weak & facts.twice[them]);
    let lines = rook_attacks(king, board.occupied() & !facts.own(side, Role::Queen));
    let diagonals = bishop_attacks(king, board.occupied() & !facts.own(side, Role::Queen));
    let mut units = facts.danger[them] + 3 * guarded_by_king_only.count() as i32;
    let checks = [
        (Role::Knight, knight_attacks(king)),
        (Role::Bishop, diagonals),
        (Role::Rook, lines),
        (Role::Queen, lines | diagonals),
    ];
    for (role, from) in checks {
        if (from & safe & facts.attacked_by(!side, role)).any() {
            units += SAFE_CHECK[role as usize];
        }
    }
    if queens.is_empty() {
        units -= 14;
    }
    units
}
