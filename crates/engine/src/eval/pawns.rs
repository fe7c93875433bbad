//! Pawn structure, cached by pawn key, and passed pawns with what stands around them.

use shakmaty::{Bitboard, Board, Color, Role, Square};

use super::facts::{
    Facts, attack_span, beside, fill_forward, forward, from_pawn, half_board, pawn_span, rank,
};
use super::terms::*;
use super::{Account, Ledger, Pair, Sum, Weights};
use crate::Position;

/// A pawn structure's worth for white, and its passed pawns by side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Structure {
    key: u64,
    pub(super) worth: Pair,
    pub(super) passed: [Bitboard; 2],
}

const SLOTS: usize = 1 << 13;

/// Structures seen before: the same pawns stand in most positions of a search.
#[derive(Debug)]
pub(super) struct PawnCache(Box<[Structure]>);

impl Default for PawnCache {
    fn default() -> Self {
        Self(vec![Structure::default(); SLOTS].into())
    }
}

impl PawnCache {
    pub(super) fn probe(&mut self, position: &Position, weights: &Weights) -> Structure {
        let key = position.keys().pawns;
        let slot = &mut self.0[key as usize % SLOTS];
        // No pawns at all have key 0, worth nothing: the empty slot is right about them.
        if slot.key != key {
            let mut sum = Sum {
                weights,
                total: Pair::default(),
            };
            let mut passed = [Bitboard::EMPTY; 2];
            for side in [Color::White, Color::Black] {
                passed[side as usize] =
                    count(position.board(), side, &mut Ledger::new(&mut sum, side));
            }
            *slot = Structure {
                key,
                worth: sum.total,
                passed,
            };
        }
        *slot
    }
}

/// Counts a side's pawns and returns those that are passed.
pub(super) fn count<A: Account>(
    board: &Board,
    side: Color,
    ledger: &mut Ledger<'_, A>,
) -> Bitboard {
    let own = board.pawns() & board.by_color(side);
    let other = board.pawns() & board.by_color(!side);
    let guarded = pawn_span(own, side);
    let reach = attack_span(own, side);
    let blocked_ahead = attack_span(other, !side) | fill_forward(forward(other, !side), !side);
    let mut passed = Bitboard::EMPTY;
    for pawn in own {
        let square = Bitboard::from_square(pawn);
        let file_ahead = fill_forward(forward(square, side), side);
        let r = rank(pawn, side);
        ledger.add(MATERIAL, 1);
        ledger.add(SQUARE + half_board(pawn, side), 1);
        let doubled = (file_ahead & own).any();
        if doubled {
            ledger.add(DOUBLED, 1);
        }
        let opposed = (file_ahead & other).any();
        let neighbours = beside(Bitboard::from_file(pawn.file())) & own;
        if neighbours.is_empty() {
            ledger.add(ISOLATED + usize::from(!opposed), 1);
        } else {
            let stop = forward(square, side);
            let behind = (reach & stop).is_empty();
            if behind && (pawn_span(other, !side) & stop).any() {
                ledger.add(BACKWARD + usize::from(!opposed), 1);
            }
        }
        if (beside(square) & own).any() {
            ledger.add(PHALANX + r, 1);
        }
        if (guarded & square).any() {
            ledger.add(SUPPORTED + r, 1);
        }
        if (blocked_ahead & square).is_empty() && !doubled {
            passed |= square;
            ledger.add(PASSED + r, 1);
        }
    }
    passed
}

/// What the pieces mean for a side's passed pawns.
pub(super) fn count_passed<A: Account>(
    facts: &Facts<'_>,
    position: &Position,
    side: Color,
    ledger: &mut Ledger<'_, A>,
) {
    let board = facts.board;
    for pawn in facts.passed[side as usize] {
        let square = Bitboard::from_square(pawn);
        let r = rank(pawn, side);
        let stop = forward(square, side);
        let Some(stop_square) = stop.first() else {
            continue;
        };
        let path = fill_forward(stop, side);
        if (stop & board.occupied()).any() {
            ledger.add(PASSED_BLOCKED + r, 1);
        }
        if (path & (board.by_color(!side) | facts.attacked(!side))).is_empty() {
            ledger.add(PASSED_FREE + r, 1);
        }
        if (facts.attacked(side) & stop).any() {
            ledger.add(PASSED_GUARDED + r, 1);
        }
        if r >= 3 {
            let distance = |king: Square| king.distance(stop_square) as usize;
            ledger.add(PASSED_OWN_KING + distance(facts.kings[side as usize]), 1);
            ledger.add(PASSED_OTHER_KING + distance(facts.kings[!side as usize]), 1);
        }
        if unstoppable(facts, position, side, pawn, path) {
            ledger.add(PASSED_UNSTOPPABLE, 1);
        }
    }
}

/// The rule of the square: the other side has only its king, and it comes too late.
fn unstoppable(
    facts: &Facts<'_>,
    position: &Position,
    side: Color,
    pawn: Square,
    path: Bitboard,
) -> bool {
    let board = facts.board;
    let others = board.by_color(!side);
    if (others & !board.pawns() & !board.kings()).any() || (path & board.occupied()).any() {
        return false;
    }
    let Some(goal) = (path & Bitboard::BACKRANKS).first() else {
        return false;
    };
    let r = rank(pawn, side);
    let moves = (7 - r).min(5) as u32;
    let late = u32::from(position.turn() != side);
    facts.kings[!side as usize].distance(goal) > moves + late
}

/// Squares of an area that no pawn of the other side can ever attack.
pub(super) fn out_of_reach(facts: &Facts<'_>, side: Color) -> Bitboard {
    !attack_span(facts.own(!side, Role::Pawn), !side)
}

/// Enemy pieces that a safe pawn push would attack.
pub(super) fn push_targets(facts: &Facts<'_>, side: Color) -> Bitboard {
    let board = facts.board;
    let pawns = facts.own(side, Role::Pawn);
    let free = !board.occupied();
    let once = forward(pawns, side) & free;
    let fourth = if side.is_white() {
        0xff << 24
    } else {
        0xff << 32
    };
    let twice = forward(once, side) & free & Bitboard(fourth);
    let safe =
        !facts.attacked_by(!side, Role::Pawn) & (facts.attacked(side) | !facts.attacked(!side));
    pawn_span((once | twice) & safe, side) & board.by_color(!side) & !board.pawns()
}

/// Whether a pawn of `side` stands behind, or guards, the square.
pub(super) fn guards(facts: &Facts<'_>, square: Square, side: Color) -> bool {
    (from_pawn(square, !side) & facts.own(side, Role::Pawn)).any()
}
