//! Histories: how often moves caused cutoffs, and how far static evaluations were from search
//! results.
//!
//! The tables may be shared by threads that search one tree: every value is a relaxed atomic, read
//! and written without a lock. Of two updates at once one may be lost, which changes the order of
//! moves slightly and no result.

use std::sync::atomic::{AtomicI16, Ordering};

use everymove_kernel::prefetch::prefetch;
use shakmaty::{Bitboard, Color, Move, Role, Square};

use super::constants;
use crate::position::keys::piece_index;
use crate::position::{Position, ShortMove};
use crate::score::Score;

/// Bound of the absolute value of a history.
pub(crate) const LIMIT: i32 = 16_384;

/// A piece and its target square (piece x 64 + square): a row of the continuation history.
pub(crate) type PieceTo = u16;
/// The row for no earlier move: after a null move, or before the root.
pub(crate) const NO_PIECE_TO: PieceTo = 768;
const CONTEXT_COUNT: usize = 769;

const CORRECTIONS: usize = 1 << 14;
const CORRECTION_LIMIT: i32 = 1024;

/// A value that several threads may update.
#[derive(Debug, Default)]
struct Value(AtomicI16);

impl Value {
    #[inline]
    fn get(&self) -> i32 {
        i32::from(self.0.load(Ordering::Relaxed))
    }

    /// Adds a bonus, scaled down as the value comes near the limit.
    #[inline]
    fn update(&self, bonus: i32, limit: i32) {
        let old = self.get();
        let new = old + bonus - old * bonus.abs() / limit;
        self.0.store(new as i16, Ordering::Relaxed);
    }
}

/// The tables, row by row.
#[derive(Debug)]
pub(crate) struct History {
    /// By side, whether the squares from and to are attacked by the opponent, square from, square
    /// to.
    butterfly: Box<[[Value; BY_SQUARES]]>,
    /// By piece, target square and captured role.
    captures: Box<[Value]>,
    /// By earlier piece and square, then piece and square.
    continuations: Box<[Row]>,
    /// By pawn key, then piece and square.
    pawns: Box<[Row]>,
    /// By plies from the root, square from, square to.
    low_plies: Box<[[Value; SQUARES_SQUARED]]>,
    /// By kind of key (pawns, White's pieces, Black's pieces, minor pieces and kings, the last two
    /// moves, the last move and that three plies before it), side to move, key.
    corrections: Box<[Value]>,
}

/// Plies from the root on that have a history of their own.
pub(crate) const LOW_PLIES: usize = 5;
const PAWN_KEYS: usize = 512;
const ROLES: usize = 7;
const SQUARES_SQUARED: usize = 4096;
const PIECE_TO_COUNT: usize = NO_PIECE_TO as usize;
/// By whether the squares are attacked, then by square from and square to.
const BY_SQUARES: usize = 4 * SQUARES_SQUARED;

/// By piece and target square.
type Row = [Value; PIECE_TO_COUNT];

/// The row of a move.
#[inline]
pub(crate) fn piece_to(side: Color, m: Move) -> PieceTo {
    let (role, to) = match m {
        Move::Normal { role, to, .. } => (role, to),
        _ => (m.role(), m.to()),
    };
    (piece_index(role.of(side)) * 64 + to.to_usize()) as PieceTo
}

#[inline]
fn from_to(m: Move) -> usize {
    if let Move::Normal { from, to, .. } = m {
        return from.to_usize() * 64 + to.to_usize();
    }
    m.from().map_or(0, |s| s.to_usize()) * 64 + m.to().to_usize()
}

fn rows<const N: usize>(number: usize) -> Box<[[Value; N]]> {
    let row = || std::array::from_fn(|_| Value::default());
    (0..number).map(|_| row()).collect()
}

impl Default for History {
    fn default() -> Self {
        let values = |n: usize| (0..n).map(|_| Value::default()).collect();
        Self {
            butterfly: rows(2),
            captures: values(PIECE_TO_COUNT * ROLES),
            continuations: rows(CONTEXT_COUNT),
            pawns: rows(PAWN_KEYS),
            low_plies: rows(LOW_PLIES),
            corrections: values(6 * 2 * CORRECTIONS),
        }
    }
}

/// What a history knows of a position beside its pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MoveContext {
    /// The moves one, two and four plies before.
    pub(crate) after: [PieceTo; 3],
    /// Squares that the opponent attacks.
    pub(crate) threats: Bitboard,
    /// Plies from the root, at most [`LOW_PLIES`].
    pub(crate) ply: u8,
}

impl Default for MoveContext {
    fn default() -> Self {
        Self::NONE
    }
}

impl MoveContext {
    /// No move before, no square attacked.
    pub(crate) const NONE: Self = Self {
        after: [NO_PIECE_TO; 3],
        threats: Bitboard::EMPTY,
        ply: LOW_PLIES as u8,
    };
}

/// The place of two squares in the history by squares of a side.
#[inline(always)]
fn by_squares(threats: Bitboard, from_to: usize) -> usize {
    let attacked = |square: usize| (u64::from(threats) >> (square & 63)) as usize & 1;
    (attacked(from_to >> 6) * 2 + attacked(from_to)) * SQUARES_SQUARED + from_to
}

/// The values of the histories that apply to the quiet moves of one position.
pub(crate) struct QuietRows<'a> {
    side: Color,
    butterfly: &'a [Value; BY_SQUARES],
    threats: Bitboard,
    after: [&'a Row; 3],
    pawns: &'a Row,
    /// Near the root: by square from, square to.
    low_ply: Option<&'a [Value; SQUARES_SQUARED]>,
    low_weight: i32,
}

impl QuietRows<'_> {
    /// The history of the move of a role; `from_to` is the square of origin times 64 plus that of
    /// the target.
    #[inline(always)]
    pub(crate) fn sum(&self, role: Role, from_to: usize, to: Square) -> i32 {
        let piece_to = piece_index(role.of(self.side)) * 64 + to.to_usize();
        let [one, two, four] = self.after;
        let sum = one[piece_to].get() * constants::AfterOneWeight()
            + two[piece_to].get() * constants::AfterTwoWeight()
            + four[piece_to].get() * constants::AfterFourWeight()
            + self.pawns[piece_to].get() * constants::PawnWeight();
        let low = self
            .low_ply
            .map_or(0, |low| low[from_to].get() * self.low_weight / 64);
        low + self.butterfly[by_squares(self.threats, from_to)].get() + sum / 64
    }
}

impl History {
    /// Sets all values to 0.
    pub(crate) fn clear(&self) {
        for value in self.tables().into_iter().flatten() {
            value.0.store(0, Ordering::Relaxed);
        }
    }

    /// The same where no other thread has access, which takes less time.
    pub(crate) fn clear_alone(&mut self) {
        let tables = [
            self.butterfly.as_flattened_mut(),
            &mut self.captures,
            self.continuations.as_flattened_mut(),
            self.pawns.as_flattened_mut(),
            self.low_plies.as_flattened_mut(),
            &mut self.corrections,
        ];
        for table in tables {
            table.fill_with(Value::default);
        }
    }

    fn tables(&self) -> [&[Value]; 6] {
        [
            self.butterfly.as_flattened(),
            &self.captures,
            self.continuations.as_flattened(),
            self.pawns.as_flattened(),
            self.low_plies.as_flattened(),
            &self.corrections,
        ]
    }

    #[inline]
    fn butterfly(&self, side: Color, threats: Bitboard, from_to: usize) -> &Value {
        &self.butterfly[side as usize][by_squares(threats, from_to)]
    }

    #[inline]
    fn low_ply(&self, ply: u8) -> Option<&[Value; SQUARES_SQUARED]> {
        self.low_plies.get(usize::from(ply))
    }

    #[inline]
    fn pawn_row(&self, position: &Position) -> &Row {
        &self.pawns[position.keys().pawns as usize % PAWN_KEYS]
    }

    /// The row of moves that followed an earlier one.
    #[inline]
    fn after(&self, earlier: PieceTo) -> &Row {
        &self.continuations[usize::from(earlier)]
    }

    #[inline]
    fn capture_value(&self, side: Color, m: Move) -> &Value {
        let taken = m.capture().map_or(0, |role: Role| role as usize);
        &self.captures[usize::from(piece_to(side, m)) * ROLES + taken]
    }

    /// The rows of a side's quiet moves after the moves one, two and four plies before.
    #[inline]
    pub(crate) fn quiet_rows(&self, position: &Position, context: &MoveContext) -> QuietRows<'_> {
        let side = position.turn();
        QuietRows {
            side,
            butterfly: &self.butterfly[side as usize],
            threats: context.threats,
            after: context.after.map(|earlier| self.after(earlier)),
            pawns: self.pawn_row(position),
            low_ply: self.low_ply(context.ply),
            low_weight: constants::LowPlyWeight() / (1 + 2 * i32::from(context.ply)),
        }
    }

    /// The history of a quiet move after the moves one, two and four plies before.
    #[inline]
    pub(crate) fn quiet(&self, position: &Position, m: Move, context: &MoveContext) -> i32 {
        let rows = self.quiet_rows(position, context);
        rows.sum(m.role(), from_to(m), m.to())
    }

    pub(crate) fn update_quiet(
        &self,
        position: &Position,
        m: Move,
        context: &MoveContext,
        bonus: i32,
    ) {
        let side = position.turn();
        let to = usize::from(piece_to(side, m));
        self.butterfly(side, context.threats, from_to(m))
            .update(bonus, LIMIT);
        for &earlier in &context.after {
            self.after(earlier)[to].update(bonus, LIMIT);
        }
        self.pawn_row(position)[to].update(bonus, LIMIT);
        if let Some(low) = self.low_ply(context.ply) {
            low[from_to(m)].update(bonus, LIMIT);
        }
    }

    /// Updates the history of a quiet move by its squares alone.
    pub(crate) fn update_squares(&self, side: Color, m: ShortMove, threats: Bitboard, bonus: i32) {
        let at = m.from().to_usize() * 64 + m.to().to_usize();
        self.butterfly(side, threats, at).update(bonus, LIMIT);
    }

    /// Updates the history of a move after the moves one, two and four plies before.
    pub(crate) fn update_after(&self, piece_to: PieceTo, context: &MoveContext, bonus: i32) {
        for &earlier in &context.after {
            self.after(earlier)[usize::from(piece_to)].update(bonus, LIMIT);
        }
    }

    #[inline]
    pub(crate) fn capture(&self, side: Color, m: Move) -> i32 {
        self.capture_value(side, m).get()
    }

    pub(crate) fn update_capture(&self, side: Color, m: Move, bonus: i32) {
        self.capture_value(side, m).update(bonus, LIMIT);
    }

    /// Asks the processor to load the corrections of a position.
    #[inline]
    pub(crate) fn prefetch_corrections(&self, position: &Position) {
        for slot in Self::correction_slots(position) {
            prefetch(&self.corrections[slot]);
        }
    }

    /// The places of the corrections by keys of pieces: pawns, White's pieces, Black's pieces,
    /// minor pieces.
    #[inline]
    fn correction_slots(position: &Position) -> [usize; 4] {
        let keys = position.keys();
        let side = position.turn() as usize;
        let slot =
            |table: usize, key: u64| (table * 2 + side) * CORRECTIONS + key as usize % CORRECTIONS;
        [
            slot(0, keys.pawns),
            slot(1, keys.pieces[0]),
            slot(2, keys.pieces[1]),
            slot(3, keys.minors),
        ]
    }

    /// The places of the corrections by the moves one, two and four plies before: the first with
    /// the second, and with the third.
    #[inline]
    fn move_slots(position: &Position, [one, two, four]: [PieceTo; 3]) -> [usize; 2] {
        let side = position.turn() as usize;
        let slot = |table: usize, other: PieceTo| {
            let key = (u64::from(one) * CONTEXT_COUNT as u64 + u64::from(other))
                .wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (2 * table + side) * CORRECTIONS + (key >> 32) as usize % CORRECTIONS
        };
        [slot(4, two), slot(5, four)]
    }

    /// The correction of a static evaluation, in centipawns: the mean error in positions with the
    /// same keys.
    #[inline]
    pub(crate) fn correction(&self, position: &Position, moves: [PieceTo; 3]) -> Score {
        let value = |slot: usize| self.corrections[slot].get();
        let [pawns, white, black, minors] = Self::correction_slots(position).map(value);
        let [short, long] = Self::move_slots(position, moves).map(value);
        let sum = constants::KeyCorrection() * (pawns + white + black)
            + constants::MinorCorrection() * minors
            + constants::MoveCorrection() * short
            + constants::LongCorrection() * long;
        sum / 128
    }

    /// Records that a search of `depth` differed from the evaluation by `error` centipawns.
    pub(crate) fn correct(
        &self,
        position: &Position,
        moves: [PieceTo; 3],
        depth: i32,
        error: Score,
    ) {
        let bonus = (error * depth / 8).clamp(-CORRECTION_LIMIT / 4, CORRECTION_LIMIT / 4);
        let slots = Self::correction_slots(position).into_iter();
        for slot in slots.chain(Self::move_slots(position, moves)) {
            self.corrections[slot].update(bonus, CORRECTION_LIMIT);
        }
    }
}
