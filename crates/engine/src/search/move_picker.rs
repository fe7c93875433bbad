//! The moves of a node in the order in which they are searched.
//!
//! Stages: the hash move before anything is scored; then captures that lose no material by static exchange evaluation, killers, quiet
//! moves by history, captures that lose material. All moves are generated at once, since that costs less than the evaluation of one
//! position; they are scored when the second is requested, and sorted only as far as they are taken.

use shakmaty::{Move, MoveList, Role};

use super::features::Features;
use super::history::{History, LIMIT, NO_PIECE_TO, PieceTo};
use super::see;
use crate::position::{Position, ShortMove};

const GOOD_CAPTURE: i32 = 1 << 22;
const KILLER: i32 = 1 << 20;
const BAD_CAPTURE: i32 = -(1 << 22);
/// Quiet moves lie below the killers, and those below captures whose exchange was not evaluated yet.
const _: () = assert!(4 * LIMIT < KILLER);

/// Which moves are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveFilter {
    /// All.
    All,
    /// Captures and promotions to a queen.
    Noisy,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    TtMove,
    Score,
    #[default]
    Pick,
}

/// Moves with the keys they are sorted by; reused from node to node, so that nothing is allocated.
#[derive(Clone, Debug, Default)]
pub(crate) struct MoveBuffer {
    moves: Vec<Move>,
    /// For each move its score in the upper 24 bits, 255 minus its index in the lower 8: the largest key is the best move, and
    /// of equal ones the first. One word a move lets the compiler search the maximum in vector registers.
    keys: Vec<i32>,
}

impl MoveBuffer {
    #[inline]
    fn key(score: i32, index: usize) -> i32 {
        score << 8 | (255 - index as i32)
    }

    /// The index of the best move from `next` on.
    #[inline]
    fn best_from(&self, next: usize) -> usize {
        let best = self.keys[next..].iter().fold(i32::MIN, |a, &b| a.max(b));
        (255 - (best & 255)) as usize
    }

    /// Exchanges two moves; the key of the second place is made right, that of the first is not needed any more.
    #[inline]
    fn bring_forward(&mut self, next: usize, best: usize) {
        self.moves.swap(next, best);
        self.keys.swap(next, best);
        self.keys[best] = Self::key(self.keys[best] >> 8, best);
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
    /// The moves one, two and four plies before.
    context: [PieceTo; 3],
    ordered: bool,
    /// How many moves may be taken in all.
    quota: usize,
}

/// Whether a move changes the material.
#[inline]
pub(crate) fn is_noisy(m: Move) -> bool {
    m.is_capture() || m.promotion() == Some(Role::Queen)
}

impl MovePicker {
    /// The legal moves of a position, in the memory of `list`.
    pub(crate) fn new(
        legal: &MoveList,
        filter: MoveFilter,
        tt_move: ShortMove,
        killers: [ShortMove; 2],
        context: [PieceTo; 3],
        features: &Features,
        mut list: MoveBuffer,
    ) -> Self {
        list.moves.clear();
        match filter {
            MoveFilter::All => list.moves.extend_from_slice(legal),
            MoveFilter::Noisy => list
                .moves
                .extend(legal.iter().copied().filter(|&m| is_noisy(m))),
        }
        Self {
            quota: features.beam(list.moves.len()),
            list,
            next: 0,
            stage: Stage::TtMove,
            tt_move,
            killers,
            context,
            ordered: features.order_moves,
        }
    }

    /// Moves in the order given, in the memory of `list`.
    pub(crate) fn in_order(moves: impl Iterator<Item = Move>, mut list: MoveBuffer) -> Self {
        list.moves.clear();
        list.moves.extend(moves);
        Self {
            quota: list.moves.len(),
            list,
            context: [NO_PIECE_TO; 3],
            ..Self::default()
        }
    }

    /// The number of moves, taken or not.
    pub(crate) fn len(&self) -> usize {
        self.list.moves.len()
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
        if self.stage == Stage::TtMove {
            self.stage = Stage::Score;
            if !self.tt_move.is_none() {
                let is_tt_move = |&m: &Move| ShortMove::of(m) == self.tt_move;
                if let Some(i) = self.list.moves.iter().position(is_tt_move) {
                    self.list.moves.swap(0, i);
                    self.next = 1;
                    return Some(self.list.moves[0]);
                }
            }
        }
        if self.stage == Stage::Score {
            self.stage = Stage::Pick;
            if self.ordered {
                self.score(position, history);
            }
        }
        if self.ordered {
            self.select(position);
        }
        let m = self.list.moves[self.next];
        self.next += 1;
        Some(m)
    }

    /// Brings the best of the remaining moves to the front; the exchange of a capture is evaluated when its turn comes.
    fn select(&mut self, position: &Position) {
        loop {
            let best = self.list.best_from(self.next);
            let score = self.list.keys[best] >> 8;
            let is_unverified_capture = score >= GOOD_CAPTURE / 2;
            if is_unverified_capture && !see::wins_at_least(position, self.list.moves[best], 0) {
                self.list.keys[best] = MoveBuffer::key(score + BAD_CAPTURE - GOOD_CAPTURE, best);
                continue;
            }
            self.list.bring_forward(self.next, best);
            return;
        }
    }

    fn score(&mut self, position: &Position, history: &History) {
        let side = position.turn();
        let MoveBuffer { moves, keys } = &mut self.list;
        keys.clear();
        keys.resize(self.next, 0);
        let scored = moves.iter().enumerate().skip(self.next);
        keys.extend(scored.map(|(index, &m)| {
            let score = if is_noisy(m) {
                let taken = m.capture().map_or(0, |role| see::VALUE[role as usize]);
                let promoted = m.promotion().map_or(0, |role| see::VALUE[role as usize]);
                GOOD_CAPTURE + 16 * (taken + promoted) + history.capture(side, m)
                    - see::VALUE[m.role() as usize].min(1000) / 8
            } else if m.promotion().is_some() {
                BAD_CAPTURE
            } else if let Some(i) = self.killers.iter().position(|&k| k == ShortMove::of(m)) {
                KILLER - i as i32
            } else {
                history.quiet(side, m, &self.context)
            };
            MoveBuffer::key(score, index)
        }));
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
        let context = [NO_PIECE_TO; 3];
        let killers = [ShortMove::NONE; 2];
        let legal = position.legal_moves();
        let mut picker = MovePicker::new(
            &legal,
            MoveFilter::All,
            first,
            killers,
            context,
            features,
            MoveBuffer::default(),
        );
        let history = History::default();
        std::iter::from_fn(|| picker.next(&position, &history))
            .map(|m| position.uci(m))
            .collect()
    }

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    /// The packed keys give what a search over plain scores gives: of equal scores the first, also after exchanges.
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
                keys: (plain.iter().enumerate())
                    .map(|(i, &score)| MoveBuffer::key(score, i))
                    .collect(),
            };
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

    #[test]
    fn a_beam_keeps_the_best_part() {
        let half = Features {
            beam_percent: 50,
            ..Features::default()
        };
        assert_eq!(all(KIWIPETE, "0000", &half).len(), 24);
    }
}
