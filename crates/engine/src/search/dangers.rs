//! Quiet moves that give check, leave the attack of a less valuable piece, or enter one: a part of the order of moves.

use shakmaty::{Bitboard, Move, Role, Square};

use super::constants;
use super::see;
use crate::position::Position;

/// Squares of one position that matter to the order of quiet moves.
pub(super) struct Dangers {
    /// By role: the squares from which a piece of the side to move gives check.
    checks: [Bitboard; 7],
    /// By role: the squares that less valuable pieces of the opponent attack.
    lesser: [Bitboard; 7],
}

/// Material that a move that gives check may lose, in centipawns.
const LOSS_OF_CHECK: i32 = 75;

impl Dangers {
    pub(super) fn of(position: &Position) -> Self {
        let threats = position.threats();
        let (pawns, minors, rooks) = (threats.pawns, threats.minors, threats.rooks);
        let none = Bitboard::EMPTY;
        let lesser = [none, none, pawns, pawns, minors, rooks, none];
        let checks = position.check_squares();
        Self { checks, lesser }
    }

    /// What the order of a quiet move gains.
    #[inline]
    pub(super) fn bonus(
        &self,
        position: &Position,
        m: Move,
        role: Role,
        from: Square,
        to: Square,
    ) -> i32 {
        let lesser = self.lesser[role as usize];
        let pawns = see::VALUE[role as usize] / 100;
        let mut bonus = 0;
        if lesser.contains(from) {
            bonus += constants::OrderEscape() * pawns;
        }
        if lesser.contains(to) {
            bonus -= constants::OrderEnter() * pawns;
        }
        if self.checks[role as usize].contains(to)
            && see::wins_at_least(position, m, -LOSS_OF_CHECK)
        {
            bonus += constants::OrderCheck();
        }
        bonus
    }
}
