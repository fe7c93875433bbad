//! What a thread remembers of moves that were good or bad, and of evaluations that were wrong.

use shakmaty::{Color, Move, Role};

use crate::Position;
use crate::position::keys::piece_index;
use crate::score::Score;

/// History values stay within this.
pub(crate) const LIMIT: i32 = 16_384;

/// A piece that went to a square: a row of the continuation history.
pub(crate) type Step = u16;
/// No move before: a null move, the start of the search.
pub(crate) const NO_STEP: Step = 768;
const STEPS: usize = 769;

const CORRECTIONS: usize = 1 << 14;
const CORRECTION_LIMIT: i32 = 1024;

/// Tables of one thread.
#[derive(Clone, Debug)]
pub(crate) struct History {
    butterfly: Vec<[i16; 4096]>,
    captures: Vec<[i16; 7]>,
    continuations: Vec<[i16; 768]>,
    corrections: Vec<i16>,
}

/// The step that a move is.
#[inline]
pub(crate) fn step(side: Color, m: Move) -> Step {
    (piece_index(m.role().of(side)) * 64 + m.to().to_usize()) as Step
}

fn from_to(m: Move) -> usize {
    m.from().map_or(0, |s| s.to_usize()) * 64 + m.to().to_usize()
}

/// Moves a value towards the sign of a bonus, the less the nearer it is to the limit.
#[inline]
fn nudge(value: &mut i16, bonus: i32, limit: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / limit) as i16;
}

impl Default for History {
    fn default() -> Self {
        Self {
            butterfly: vec![[0; 4096]; 2],
            captures: vec![[0; 7]; 768],
            continuations: vec![[0; 768]; STEPS],
            corrections: vec![0; 3 * 2 * CORRECTIONS],
        }
    }
}

impl History {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Of a quiet move after the steps one, two and four plies before.
    #[inline]
    pub(crate) fn quiet(&self, side: Color, m: Move, before: &[Step; 3]) -> i32 {
        let to = usize::from(step(side, m));
        let continuation = |i: usize| i32::from(self.continuations[usize::from(before[i])][to]);
        i32::from(self.butterfly[side as usize][from_to(m)])
            + continuation(0)
            + continuation(1)
            + continuation(2) / 2
    }

    pub(crate) fn nudge_quiet(&mut self, side: Color, m: Move, before: &[Step; 3], bonus: i32) {
        let to = usize::from(step(side, m));
        nudge(&mut self.butterfly[side as usize][from_to(m)], bonus, LIMIT);
        for &earlier in before {
            nudge(
                &mut self.continuations[usize::from(earlier)][to],
                bonus,
                LIMIT,
            );
        }
    }

    #[inline]
    pub(crate) fn capture(&self, side: Color, m: Move) -> i32 {
        let taken = m.capture().map_or(0, |role: Role| role as usize);
        i32::from(self.captures[usize::from(step(side, m))][taken])
    }

    pub(crate) fn nudge_capture(&mut self, side: Color, m: Move, bonus: i32) {
        let taken = m.capture().map_or(0, |role: Role| role as usize);
        nudge(
            &mut self.captures[usize::from(step(side, m))][taken],
            bonus,
            LIMIT,
        );
    }

    fn correction_slots(position: &Position) -> [usize; 3] {
        let keys = position.keys();
        let side = position.turn() as usize;
        let slot =
            |table: usize, key: u64| (table * 2 + side) * CORRECTIONS + key as usize % CORRECTIONS;
        [
            slot(0, keys.pawns),
            slot(1, keys.pieces[0]),
            slot(2, keys.pieces[1]),
        ]
    }

    /// How far evaluations of positions like this one were off.
    #[inline]
    pub(crate) fn correction(&self, position: &Position) -> Score {
        let slots = Self::correction_slots(position);
        let sum: i32 = slots.iter().map(|&i| i32::from(self.corrections[i])).sum();
        sum / 32
    }

    /// Learns that a search of `depth` found the evaluation off by `error`.
    pub(crate) fn correct(&mut self, position: &Position, depth: i32, error: Score) {
        let bonus = (error * depth / 8).clamp(-CORRECTION_LIMIT / 4, CORRECTION_LIMIT / 4);
        for slot in Self::correction_slots(position) {
            nudge(&mut self.corrections[slot], bonus, CORRECTION_LIMIT);
        }
    }
}
