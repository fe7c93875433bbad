//! Material, squares, mobility and the small things of each piece; attacks are gathered on the way.

use shakmaty::attacks::{bishop_attacks, knight_attacks, rook_attacks};
use shakmaty::{Bitboard, Color, Role, Square};

use super::facts::{Facts, fill_forward, forward, half_board, rank};
use super::terms::*;
use super::{Account, Ledger, king, pawns};

pub(super) fn count<A: Account>(facts: &mut Facts<'_>, side: Color, ledger: &mut Ledger<'_, A>) {
    let own = facts.board.by_color(side);
    if (facts.board.bishops() & own).more_than_one() {
        ledger.add(BISHOP_PAIR, 1);
    }
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        for square in facts.own(side, role) {
            let attacks = attacks(facts, side, role, square);
            let mobility = (attacks & facts.area[side as usize]).count();
            ledger.add(MATERIAL + role as usize - 1, 1);
            ledger.add(mobility_term(role) + mobility, 1);
            ledger.add(
                SQUARE + (role as usize - 1) * 32 + half_board(square, side),
                1,
            );
            king::note_attack(facts, side, role, attacks);
            facts.gather(side, role, attacks);
            match role {
                Role::Knight | Role::Bishop => minor(facts, side, role, square, ledger),
                Role::Rook => rook(facts, side, square, ledger),
                _ => {}
            }
        }
    }
    let king = facts.kings[side as usize];
    ledger.add(
        SQUARE + (Role::King as usize - 1) * 32 + half_board(king, side),
        1,
    );
}

fn mobility_term(role: Role) -> usize {
    match role {
        Role::Knight => KNIGHT_MOBILITY,
        Role::Bishop => BISHOP_MOBILITY,
        Role::Rook => ROOK_MOBILITY,
        _ => QUEEN_MOBILITY,
    }
}

/// Sliders see through own pieces that move the same way.
fn attacks(facts: &Facts<'_>, side: Color, role: Role, square: Square) -> Bitboard {
    let board = facts.board;
    let occupied = board.occupied();
    let queens = facts.own(side, Role::Queen);
    match role {
        Role::Knight => knight_attacks(square),
        Role::Bishop => bishop_attacks(square, occupied & !queens),
        Role::Rook => rook_attacks(square, occupied & !queens & !facts.own(side, Role::Rook)),
        _ => bishop_attacks(square, occupied) | rook_attacks(square, occupied),
    }
}

fn minor<A: Account>(
    facts: &Facts<'_>,
    side: Color,
    role: Role,
    square: Square,
    ledger: &mut Ledger<'_, A>,
) {
    let here = Bitboard::from_square(square);
    let outpost = (3..=5).contains(&rank(square, side))
        && pawns::guards(facts, square, side)
        && (pawns::out_of_reach(facts, side) & here).any();
    if outpost {
        ledger.add(OUTPOST + usize::from(role == Role::Bishop), 1);
    }
    if (forward(here, side) & facts.board.pawns()).any() {
        ledger.add(SHIELDED_MINOR, 1);
    }
    if role == Role::Bishop {
        let colour = if square.is_light() {
            Bitboard::LIGHT_SQUARES
        } else {
            Bitboard::DARK_SQUARES
        };
        let pawns = (facts.own(side, Role::Pawn) & colour).count();
        ledger.add(BISHOP_PAWNS + pawns, 1);
    }
}

fn rook<A: Account>(facts: &Facts<'_>, side: Color, square: Square, ledger: &mut Ledger<'_, A>) {
    let file = Bitboard::from_file(square.file());
    let pawns = facts.board.pawns();
    if (file & pawns).is_empty() {
        ledger.add(ROOK_OPEN, 1);
    } else if (file & facts.own(side, Role::Pawn)).is_empty() {
        ledger.add(ROOK_HALF_OPEN, 1);
    }
    if rank(square, side) == 6 {
        let seventh = Bitboard::from_rank(square.rank());
        let king_back = rank(facts.kings[!side as usize], side) == 7;
        if king_back || (seventh & facts.own(!side, Role::Pawn)).any() {
            ledger.add(ROOK_SEVENTH, 1);
        }
    }
    let ahead = fill_forward(Bitboard::from_square(square), side);
    if (ahead & facts.passed[side as usize]).any() {
        ledger.add(ROOK_BEHIND, 1);
    }
}
