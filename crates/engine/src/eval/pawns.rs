//! Pawn structure, cached by pawn key, and passed pawns with the pieces around them.

use shakmaty::{Bitboard, Board, Color, Role, Square};

use super::attack_map::{
    AttackMap, attack_span, beside, fill_forward, forward, from_pawn, half_board, pawn_span, rank,
};
use super::counter::{SideCounter, Sum, TermCounter};
use super::terms::*;
use super::weights::{Pair, Weights};
use crate::position::Position;

/// The value of a pawn structure for White, and its passed pawns by side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Structure {
    key: u64,
    pub(super) worth: Pair,
    pub(super) passed: [Bitboard; 2],
}

const SLOTS: usize = 1 << 13;

/// A cache of pawn structures: most positions of a search share few of them.
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
        // A board without pawns has key 0 and value 0, as an empty slot.
        if slot.key != key {
            let mut sum = Sum {
                weights,
                total: Pair::default(),
            };
            let mut passed = [Bitboard::EMPTY; 2];
            for side in [Color::White, Color::Black] {
                passed[side as usize] = count(
                    position.board(),
                    side,
                    &mut SideCounter::new(&mut sum, side),
                );
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
pub(super) fn count<A: TermCounter>(
    board: &Board,
    side: Color,
    counter: &mut SideCounter<'_, A>,
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
        counter.add(MATERIAL, 1);
        counter.add(SQUARE + half_board(pawn, side), 1);
        let doubled = (file_ahead & own).any();
        if doubled {
            counter.add(DOUBLED, 1);
        }
        let opposed = (file_ahead & other).any();
        let neighbours = beside(Bitboard::from_file(pawn.file())) & own;
        if neighbours.is_empty() {
            counter.add(ISOLATED + usize::from(!opposed), 1);
        } else {
            let stop = forward(square, side);
            let behind = (reach & stop).is_empty();
            if behind && (pawn_span(other, !side) & stop).any() {
                counter.add(BACKWARD + usize::from(!opposed), 1);
            }
        }
        if (beside(square) & own).any() {
            counter.add(PHALANX + r, 1);
        }
        if (guarded & square).any() {
            counter.add(SUPPORTED + r, 1);
        }
        if (blocked_ahead & square).is_empty() && !doubled {
            passed |= square;
            counter.add(PASSED + r, 1);
        }
    }
    passed
}

/// Counts the terms of a side's passed pawns that depend on the pieces.
#[inline(always)]
pub(super) fn count_passed<A: TermCounter>(
    map: &AttackMap<'_>,
    position: &Position,
    side: Color,
    counter: &mut SideCounter<'_, A>,
) {
    let board = map.board;
    for pawn in map.passed[side as usize] {
        let square = Bitboard::from_square(pawn);
        let r = rank(pawn, side);
        let stop = forward(square, side);
        let Some(stop_square) = stop.first() else {
            continue;
        };
        let path = fill_forward(stop, side);
        if (stop & board.occupied()).any() {
            counter.add(PASSED_BLOCKED + r, 1);
        }
        if (path & (board.by_color(!side) | map.attacked(!side))).is_empty() {
            counter.add(PASSED_FREE + r, 1);
        }
        if (map.attacked(side) & stop).any() {
            counter.add(PASSED_GUARDED + r, 1);
        }
        if r >= 3 {
            let distance = |king: Square| king.distance(stop_square) as usize;
            counter.add(PASSED_OWN_KING + distance(map.kings[side as usize]), 1);
            counter.add(PASSED_OTHER_KING + distance(map.kings[!side as usize]), 1);
        }
        if unstoppable(map, position, side, pawn, path) {
            counter.add(PASSED_UNSTOPPABLE, 1);
        }
    }
}

/// The rule of the square: the other side has only its king, which cannot catch the pawn.
#[inline(always)]
fn unstoppable(
    map: &AttackMap<'_>,
    position: &Position,
    side: Color,
    pawn: Square,
    path: Bitboard,
) -> bool {
    let board = map.board;
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
    map.kings[!side as usize].distance(goal) > moves + late
}

/// Squares of an area that no pawn of the other side can ever attack.
#[inline(always)]
pub(super) fn out_of_reach(map: &AttackMap<'_>, side: Color) -> Bitboard {
    !attack_span(map.own(!side, Role::Pawn), !side)
}

/// Enemy pieces that a safe pawn push would attack.
#[inline(always)]
pub(super) fn push_targets(map: &AttackMap<'_>, side: Color) -> Bitboard {
    let board = map.board;
    let pawns = map.own(side, Role::Pawn);
    let free = !board.occupied();
    let once = forward(pawns, side) & free;
    let fourth = if side.is_white() {
        0xff << 24
    } else {
        0xff << 32
    };
    let twice = forward(once, side) & free & Bitboard(fourth);
    let safe = !map.attacked_by(!side, Role::Pawn) & (map.attacked(side) | !map.attacked(!side));
    pawn_span((once | twice) & safe, side) & board.by_color(!side) & !board.pawns()
}

/// Whether a pawn of `side` guards the square.
#[inline(always)]
pub(super) fn guards(map: &AttackMap<'_>, square: Square, side: Color) -> bool {
    (from_pawn(square, !side) & map.own(side, Role::Pawn)).any()
}
