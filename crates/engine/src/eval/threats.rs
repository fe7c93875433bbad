//! Pieces under attack, and space behind the pawns.

use shakmaty::{Bitboard, Color, Role};

use super::facts::{Facts, fill_forward};
use super::terms::*;
use super::{Account, Ledger, pawns};

const CENTRE_FILES: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);

pub(super) fn count<A: Account>(facts: &Facts<'_>, side: Color, ledger: &mut Ledger<'_, A>) {
    let board = facts.board;
    let others = board.by_color(!side) & !board.kings();
    let weak = others & !facts.attacked_by(!side, Role::Pawn);
    let minors = facts.attacked_by(side, Role::Knight) | facts.attacked_by(side, Role::Bishop);
    let rooks = facts.attacked_by(side, Role::Rook);
    let pawns = facts.attacked_by(side, Role::Pawn);
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
        tally(ledger, PAWN_THREAT + index, kind & others & pawns);
        tally(ledger, MINOR_THREAT + index, kind & heavier & minors);
        let below_queen = if role == Role::Queen { others } else { weak };
        tally(ledger, ROOK_THREAT + index, kind & below_queen & rooks);
    }
    let loose = others & facts.attacked(side) & !facts.attacked(!side);
    tally(ledger, HANGING, loose);
    let unsure = weak & !facts.twice[!side as usize];
    tally(
        ledger,
        KING_THREAT,
        unsure & facts.attacked_by(side, Role::King),
    );
    tally(ledger, PUSH_THREAT, pawns::push_targets(facts, side));
    space(facts, side, ledger);
}

#[inline]
fn tally<A: Account>(ledger: &mut Ledger<'_, A>, term: usize, squares: Bitboard) {
    let n = squares.count() as i32;
    if n > 0 {
        ledger.add(term, n);
    }
}

/// Room matters while there are pieces to put into it.
fn space<A: Account>(facts: &Facts<'_>, side: Color, ledger: &mut Ledger<'_, A>) {
    let board = facts.board;
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
        & !facts.own(side, Role::Pawn)
        & !facts.attacked_by(!side, Role::Pawn);
    let behind = area & fill_forward(facts.own(side, Role::Pawn), !side) & !facts.attacked(!side);
    let squares = (area.count() + behind.count()) as i32;
    ledger.add(SPACE, squares * (pieces - 3) / 8);
}
