//! The moves of a node in the order in which they are searched.
//!
//! Stages: the hash move before anything else is generated; then captures that lose no material by
//! static exchange evaluation, killers, quiet moves by history, captures that lose material. All
//! moves are generated when the second is requested, quiet ones are scored when the first of them
//! is, and moves are sorted only as far as they are taken.

use shakmaty::{Bitboard, Color, Move, Role, Square};

use super::features::Features;
use super::history::{History, LIMIT, MoveContext};
use super::{constants, see};
pub(crate) use crate::position::generate::is_noisy;
use crate::position::{Position, ShortMove};

const GOOD_CAPTURE: i32 = 1 << 19;
const KILLER: i32 = (1 << 18) - 1024;
const BAD_CAPTURE: i32 = -(1 << 19);
/// The score of quiet moves that have none yet: above all of them, below captures.
const PENDING: i32 = KILLER + 1;
/// Quiet moves lie below the killers, and those below captures whose exchange was not evaluated
/// yet.
const _: () = assert!(15 * LIMIT < KILLER && KILLER < GOOD_CAPTURE / 2);

/// Added to scores in keys: no key is that of a float that is denormal, infinite, negative or no
/// number.
const CENTRE: i32 = 1 << 21;
/// The key of a move that was taken, and of places without a move: below those of all moves.
const TAKEN: u32 = 0;
/// The number of keys is a multiple of this.
const LANES: usize = 8;

/// What is known of a move's static exchange evaluation when it is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// Nothing: a quiet move, or the hash move.
    #[default]
    Unknown,
    /// A capture or promotion that loses no material.
    Keeps,
    /// A capture or promotion that loses material; so do all moves after it.
    Loses,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// The hash move is known to be legal; the moves are not generated.
    Known,
    TtMove,
    Score,
    #[default]
    Pick,
}

/// Moves with the keys they are sorted by; reused from node to node, so that nothing is allocated.
#[derive(Clone, Debug, Default)]
pub(crate) struct MoveBuffer {
    moves: Vec<Move>,
    /// For each move its score plus [`CENTRE`] in the upper 24 bits, 255 minus its index in the
    /// lower 8: the largest key is the best move, and of equal ones the first.
    keys: Vec<u32>,
}

impl MoveBuffer {
    /// Replaces the moves by the legal moves of a position; false if there are none.
    pub(crate) fn fill_legal(&mut self, position: &Position) -> bool {
        self.moves.clear();
        self.moves.extend_from_slice(&position.legal_moves());
        !self.moves.is_empty()
    }

    /// Replaces the moves by the legal captures and promotions to a queen; false if there are none.
    pub(crate) fn fill_noisy(&mut self, position: &Position) -> bool {
        self.moves.clear();
        position.add_noisy_moves(&mut self.moves);
        !self.moves.is_empty()
    }

    #[inline]
    fn key(score: i32, index: usize) -> u32 {
        ((score + CENTRE) as u32) << 8 | (255 - index as u32)
    }

    /// The score in the key of a move.
    #[inline]
    fn score(&self, index: usize) -> i32 {
        (self.keys[index] >> 8) as i32 - CENTRE
    }

    /// Computes the keys of the moves from `next` on.
    #[inline]
    fn set_keys(&mut self, next: usize, score: impl Fn(Move) -> i32) {
        self.keys.clear();
        self.keys.resize(next, TAKEN);
        let scored = self.moves.iter().enumerate().skip(next);
        self.keys
            .extend(scored.map(|(index, &m)| Self::key(score(m), index)));
        let padded = self.keys.len().next_multiple_of(LANES);
        self.keys.resize(padded, TAKEN);
    }

    /// The index of the best move from `next` on.
    #[inline]
    fn best_from(&self, next: usize) -> usize {
        // Positive floats are in the order of their bits, and every x86-64 processor has the
        // maximum of four floats as one instruction.
        let mut best = [0.0; LANES];
        for keys in self.keys[next / LANES * LANES..].chunks_exact(LANES) {
            for (best, &key) in best.iter_mut().zip(keys) {
                let key = f32::from_bits(key);
                *best = if key > *best { key } else { *best };
            }
        }
        let best = best.into_iter().map(f32::to_bits).max();
        (255 - (best.unwrap_or(TAKEN) & 255)) as usize
    }

    /// Exchanges two moves; the first is taken.
    #[inline]
    fn bring_forward(&mut self, next: usize, best: usize) {
        self.moves.swap(next, best);
        self.keys[best] = match self.keys[next] {
            TAKEN => TAKEN,
            _ => Self::key(self.score(next), best),
        };
        self.keys[next] = TAKEN;
    }

    /// Takes all moves whose scores are those of quiet moves; returns their number.
    fn drop_quiets(&mut self) -> usize {
        let quiets = Self::key(BAD_CAPTURE / 2, 255)..Self::key(GOOD_CAPTURE / 2, 255);
        let mut dropped = 0;
        for key in &mut self.keys {
            if quiets.contains(key) {
                *key = TAKEN;
                dropped += 1;
            }
        }
        dropped
    }
}

/// The moves of one node.
#[derive(Clone, Debug, Default)]
pub(crate) struct MovePicker {
    list: MoveBuffer,
    next: usize,
    stage: Stage,
    tt_move: ShortMove,
    killers: [ShortMove; 2],
    context: MoveContext,
    ordered: bool,
    /// How many moves may be taken in all.
    quota: usize,
    /// The static exchange evaluation of the move taken last.
    pub(crate) exchange: Exchange,
}

impl MovePicker {
    /// The moves in `list`, which are legal.
    pub(crate) fn new(
        list: MoveBuffer,
        tt_move: ShortMove,
        killers: [ShortMove; 2],
        context: MoveContext,
        features: &Features,
    ) -> Self {
        Self {
            quota: features.beam(list.moves.len()),
            list,
            next: 0,
            stage: Stage::TtMove,
            tt_move,
            killers,
            context,
            ordered: features.order_moves,
            exchange: Exchange::Unknown,
        }
    }

    /// All legal moves of a position, `None` if there are none. If the hash move is certainly
    /// legal, the others are generated when the second move is requested.
    pub(crate) fn of_all(
        position: &Position,
        mut list: MoveBuffer,
        tt_move: ShortMove,
        killers: [ShortMove; 2],
        context: MoveContext,
        features: &Features,
    ) -> Result<Self, MoveBuffer> {
        list.moves.clear();
        let first = (features.beam_percent == 100)
            .then(|| position.plain_legal_move(tt_move))
            .flatten();
        match first {
            Some(m) => list.moves.push(m),
            None if list.fill_legal(position) => {}
            None => return Err(list),
        }
        let all = Self::new(list, tt_move, killers, context, features);
        Ok(match first {
            Some(_) => Self {
                quota: usize::MAX,
                stage: Stage::Known,
                ..all
            },
            None => all,
        })
    }

    /// Moves in the order given, in the memory of `list`.
    pub(crate) fn in_order(moves: impl Iterator<Item = Move>, mut list: MoveBuffer) -> Self {
        list.moves.clear();
        list.moves.extend(moves);
        Self {
            quota: list.moves.len(),
            list,
            context: MoveContext::NONE,
            ..Self::default()
        }
    }

    /// The number of moves, taken or not; the largest number if they are not generated yet.
    pub(crate) fn len(&self) -> usize {
        if self.stage == Stage::Known {
            usize::MAX
        } else {
            self.list.moves.len()
        }
    }

    /// Gives the memory back.
    pub(crate) fn into_list(self) -> MoveBuffer {
        self.list
    }

    /// The next move, best first.
    #[inline]
    pub(crate) fn next(&mut self, position: &Position, history: &History) -> Option<Move> {
        if self.next >= self.quota {
            return None;
        }
        self.exchange = Exchange::Unknown;
        if self.stage == Stage::Known {
            if self.next == 0 {
                self.next = 1;
                return Some(self.list.moves[0]);
            }
            self.list.fill_legal(position);
            self.quota = self.list.moves.len();
            self.stage = Stage::Score;
            self.bring_tt_move_forward();
            if self.next >= self.quota {
                return None;
            }
        }
        if self.stage == Stage::TtMove {
            self.stage = Stage::Score;
            if self.bring_tt_move_forward() {
                self.next = 1;
                return Some(self.list.moves[0]);
            }
        }
        if self.stage == Stage::Score {
            self.stage = Stage::Pick;
            if self.ordered {
                self.score(position.turn(), history);
            }
        }
        if self.ordered {
            self.select(position, history);
        }
        let m = self.list.moves[self.next];
        self.next += 1;
        Some(m)
    }

    /// Leaves out the quiet moves that were not taken yet, but promotions to less than a queen;
    /// returns their number.
    pub(crate) fn drop_quiets(&mut self) -> usize {
        if !self.ordered || self.stage != Stage::Pick {
            return 0;
        }
        let left = self.quota - self.next;
        let dropped = self.list.drop_quiets();
        let kept = self.list.moves.len() - self.next - dropped;
        self.quota = self.next + left.min(kept);
        dropped
    }

    /// Exchanges the first move with the hash move; false if that is not among the moves.
    fn bring_tt_move_forward(&mut self) -> bool {
        let is_tt_move = |&m: &Move| ShortMove::of(m) == self.tt_move;
        let found = (!self.tt_move.is_none())
            .then(|| self.list.moves.iter().position(is_tt_move))
            .flatten();
        if let Some(i) = found {
            self.list.moves.swap(0, i);
        }
        found.is_some()
    }

    /// Brings the best of the remaining moves to the front; the exchange of a capture is evaluated
    /// when its turn comes.
    fn select(&mut self, position: &Position, history: &History) {
        loop {
            let best = self.list.best_from(self.next);
            let score = self.list.score(best);
            if score == PENDING {
                self.score_quiets(position, history);
                continue;
            }
            let is_unverified_capture = score >= GOOD_CAPTURE / 2;
            if is_unverified_capture && !see::wins_at_least(position, self.list.moves[best], 0) {
                self.list.keys[best] = MoveBuffer::key(score + BAD_CAPTURE - GOOD_CAPTURE, best);
                continue;
            }
            self.exchange = if is_unverified_capture {
                Exchange::Keeps
            } else if score < BAD_CAPTURE / 2 {
                Exchange::Loses
            } else {
                Exchange::Unknown
            };
            self.list.bring_forward(self.next, best);
            return;
        }
    }

    /// The scores of captures and promotions.
    fn score(&mut self, side: Color, history: &History) {
        self.list.set_keys(self.next, |m| {
            if is_noisy(m) {
                let taken = m.capture().map_or(0, |role| see::VALUE[role as usize]);
                let promoted = m.promotion().map_or(0, |role| see::VALUE[role as usize]);
                GOOD_CAPTURE + 16 * (taken + promoted) + history.capture(side, m)
                    - see::VALUE[m.role() as usize].min(1000) / 8
            } else if m.promotion().is_some() {
                BAD_CAPTURE
            } else {
                PENDING
            }
        });
    }

    /// The scores of the quiet moves.
    fn score_quiets(&mut self, position: &Position, history: &History) {
        let rows = history.quiet_rows(position, &self.context);
        let dangers = Dangers::of(position);
        let [first, second] = self.killers;
        let pending = MoveBuffer::key(PENDING, 255)..=MoveBuffer::key(PENDING, 0);
        for (index, &m) in self.list.moves.iter().enumerate().skip(self.next) {
            if !pending.contains(&self.list.keys[index]) {
                continue;
            }
            let short = ShortMove::of(m);
            let score = if short == first {
                KILLER
            } else if short == second {
                KILLER - 1
            } else if let Move::Normal { role, from, to, .. } = m {
                rows.sum(role, from.to_usize() * 64 + to.to_usize(), to)
                    + dangers.bonus(position, m, role, from, to)
            } else {
                history.quiet(position, m, &self.context)
            };
            self.list.keys[index] = MoveBuffer::key(score, index);
        }
    }
}

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

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    fn all(fen: &str, tt_move: &str, features: &Features) -> Vec<String> {
        let position = Position::from_fen(fen, CastlingMode::Standard).unwrap();
        let first = position
            .parse_uci(tt_move)
            .map_or(ShortMove::NONE, ShortMove::of);
        let context = MoveContext::NONE;
        let killers = [ShortMove::NONE; 2];
        let mut list = MoveBuffer::default();
        assert!(list.fill_legal(&position));
        let all_at_once = MovePicker::new(list, first, killers, context, features);
        let list = MoveBuffer::default();
        let later = MovePicker::of_all(&position, list, first, killers, context, features);
        let history = History::default();
        let [expected, moves] = [all_at_once, later.unwrap()].map(|mut picker| {
            std::iter::from_fn(|| picker.next(&position, &history))
                .map(|m| position.uci(m))
                .collect::<Vec<_>>()
        });
        assert_eq!(moves, expected);
        moves
    }

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    /// The packed keys give what a search over plain scores gives: of equal scores the first, also
    /// after exchanges.
    #[test]
    fn selection_is_that_of_plain_scores() {
        use everymove_kernel::rng::SplitMix64;

        let mut rng = SplitMix64::new(3);
        let some_move = Position::default().legal_moves()[0];
        for _ in 0..200 {
            let n = 1 + rng.below(256) as usize;
            let mut plain: Vec<i32> = (0..n)
                .map(|_| match rng.below(3) {
                    0 => GOOD_CAPTURE + rng.below(40_000) as i32,
                    1 => BAD_CAPTURE - rng.below(9) as i32,
                    _ => rng.below(7) as i32 - 3,
                })
                .collect();
            let mut list = MoveBuffer {
                moves: vec![some_move; n],
                keys: Vec::new(),
            };
            let scores = std::cell::RefCell::new(plain.clone().into_iter());
            list.set_keys(0, |_| scores.borrow_mut().next().unwrap());
            for next in 0..n {
                let mut best = next;
                for i in next..n {
                    if plain[i] > plain[best] {
                        best = i;
                    }
                }
                assert_eq!(list.best_from(next), best);
                plain.swap(next, best);
                list.bring_forward(next, best);
            }
        }
    }

    #[test]
    fn every_move_comes_once() {
        for features in [Features::default(), Features::plain()] {
            let mut moves = all(KIWIPETE, "a2a3", &features);
            assert_eq!(moves[0], "a2a3");
            moves.sort();
            moves.dedup();
            assert_eq!(moves.len(), 48);
        }
    }

    #[test]
    fn losing_captures_come_last() {
        let moves = all(KIWIPETE, "0000", &Features::default());
        assert_eq!(moves[0], "e2a6");
        let place = |m: &str| moves.iter().position(|x| x == m).unwrap();
        assert!(place("f3f6") > place("a2a3"), "{moves:?}");
    }

    /// After any number of moves the quiet ones can be left out: the others still come.
    #[test]
    fn quiet_moves_can_be_left_out() {
        let position = Position::from_fen(KIWIPETE, CastlingMode::Standard).unwrap();
        let history = History::default();
        let picker = |taken: usize| {
            let mut list = MoveBuffer::default();
            list.fill_legal(&position);
            let killers = [ShortMove::NONE; 2];
            let none = ShortMove::NONE;
            let features = Features::default();
            let mut picker = MovePicker::new(list, none, killers, MoveContext::NONE, &features);
            for _ in 0..taken {
                picker.next(&position, &history);
            }
            picker
        };
        for taken in 1..48 {
            let mut picked = picker(taken);
            let rest = std::iter::from_fn(|| picked.next(&position, &history));
            let (noisy, quiet): (Vec<Move>, Vec<Move>) = rest.partition(|&m| is_noisy(m));
            let mut picked = picker(taken);
            assert_eq!(picked.drop_quiets(), quiet.len(), "{taken} taken");
            let mut rest: Vec<Move> = Vec::new();
            rest.extend(std::iter::from_fn(|| picked.next(&position, &history)));
            assert_eq!(rest.len(), noisy.len(), "{taken} taken");
            assert!(rest.iter().all(|m| noisy.contains(m)), "{taken} taken");
        }
    }

    #[test]
    fn a_beam_keeps_the_best_part() {
        let half = Features {
            beam_percent: 50,
            ..Features::default()
        };
        assert_eq!(all(KIWIPETE, "0000", &half).len(), 24);
    }
}
