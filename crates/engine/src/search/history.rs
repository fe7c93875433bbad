//! What threads remember of moves that were good or bad, and of evaluations that were wrong.
//!
//! The tables may be shared by threads that search one tree: every value is a relaxed atomic, read and written without a lock.
//! Of two updates at once one may be lost, which costs a little memory of the past and no truth.

use std::sync::atomic::{AtomicI16, Ordering};

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

/// A value that several threads may nudge.
#[derive(Debug, Default)]
struct Value(AtomicI16);

impl Value {
    #[inline]
    fn get(&self) -> i32 {
        i32::from(self.0.load(Ordering::Relaxed))
    }

    /// Moves towards the sign of a bonus, the less the nearer it is to the limit.
    #[inline]
    fn nudge(&self, bonus: i32, limit: i32) {
        let old = self.get();
        let new = old + bonus - old * bonus.abs() / limit;
        self.0.store(new as i16, Ordering::Relaxed);
    }
}

/// The tables, row after row.
#[derive(Debug)]
pub(crate) struct History {
    /// By side, square from, square to.
    butterfly: Box<[Value]>,
    /// By step and role taken.
    captures: Box<[Value]>,
    /// By earlier step and step.
    continuations: Box<[Value]>,
    /// By kind of key, side to move, key.
    corrections: Box<[Value]>,
}

const ROLES: usize = 7;
const SQUARES_SQUARED: usize = 4096;
const OWN_STEPS: usize = NO_STEP as usize;

/// The step that a move is.
#[inline]
pub(crate) fn step(side: Color, m: Move) -> Step {
    (piece_index(m.role().of(side)) * 64 + m.to().to_usize()) as Step
}

fn from_to(m: Move) -> usize {
    m.from().map_or(0, |s| s.to_usize()) * 64 + m.to().to_usize()
}

impl Default for History {
    fn default() -> Self {
        let values = |n: usize| (0..n).map(|_| Value::default()).collect();
        Self {
            butterfly: values(2 * SQUARES_SQUARED),
            captures: values(OWN_STEPS * ROLES),
            continuations: values(STEPS * OWN_STEPS),
            corrections: values(3 * 2 * CORRECTIONS),
        }
    }
}

impl History {
    pub(crate) fn clear(&self) {
        let tables = [
            &self.butterfly,
            &self.captures,
            &self.continuations,
            &self.corrections,
        ];
        for value in tables.into_iter().flatten() {
            value.0.store(0, Ordering::Relaxed);
        }
    }

    #[inline]
    fn butterfly(&self, side: Color, m: Move) -> &Value {
        &self.butterfly[side as usize * SQUARES_SQUARED + from_to(m)]
    }

    /// What followed an earlier step.
    #[inline]
    fn after(&self, earlier: Step) -> &[Value] {
        &self.continuations[usize::from(earlier) * OWN_STEPS..][..OWN_STEPS]
    }

    #[inline]
    fn taking(&self, side: Color, m: Move) -> &Value {
        let taken = m.capture().map_or(0, |role: Role| role as usize);
        &self.captures[usize::from(step(side, m)) * ROLES + taken]
    }

    /// Of a quiet move after the steps one, two and four plies before.
    #[inline]
    pub(crate) fn quiet(&self, side: Color, m: Move, before: &[Step; 3]) -> i32 {
        let to = usize::from(step(side, m));
        let continuation = |i: usize| self.after(before[i])[to].get();
        self.butterfly(side, m).get() + continuation(0) + continuation(1) + continuation(2) / 2
    }

    pub(crate) fn nudge_quiet(&self, side: Color, m: Move, before: &[Step; 3], bonus: i32) {
        let to = usize::from(step(side, m));
        self.butterfly(side, m).nudge(bonus, LIMIT);
        for &earlier in before {
            self.after(earlier)[to].nudge(bonus, LIMIT);
        }
    }

    #[inline]
    pub(crate) fn capture(&self, side: Color, m: Move) -> i32 {
        self.taking(side, m).get()
    }

    pub(crate) fn nudge_capture(&self, side: Color, m: Move, bonus: i32) {
        self.taking(side, m).nudge(bonus, LIMIT);
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
        let sum: i32 = slots.iter().map(|&i| self.corrections[i].get()).sum();
        sum / 32
    }

    /// Learns that a search of `depth` found the evaluation off by `error`.
    pub(crate) fn correct(&self, position: &Position, depth: i32, error: Score) {
        let bonus = (error * depth / 8).clamp(-CORRECTION_LIMIT / 4, CORRECTION_LIMIT / 4);
        for slot in Self::correction_slots(position) {
            self.corrections[slot].nudge(bonus, CORRECTION_LIMIT);
        }
    }
}
