//! Moves in the order in which they are worth trying.
//!
//! Stages: the table's move before anything is scored; then captures that lose nothing, killers, quiet moves by history, captures that
//! lose something. All moves are generated at once, since that costs less than evaluating one
//! position; they are scored when the second is asked for, and sorted only as far as they are taken.

use shakmaty::{Move, MoveList, Role};

use super::features::Features;
use super::history::{History, LIMIT, Step};
use super::see;
use crate::Position;
use crate::position::ShortMove;

const GOOD_CAPTURE: i32 = 1 << 22;
const KILLER: i32 = 1 << 20;
const BAD_CAPTURE: i32 = -(1 << 22);
/// Above every quiet move, below the killers: captures that were not yet weighed lie above [`KILLER`].
const _: () = assert!(4 * LIMIT < KILLER);

#[derive(Clone, Copy, Debug)]
struct Scored {
    m: Move,
    score: i32,
}

/// Which moves are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All.
    All,
    /// Captures and promotions to a queen.
    Noisy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Table,
    Score,
    Pick,
}

/// The moves of one node.
#[derive(Clone, Debug)]
pub(crate) struct Picker {
    moves: Vec<Scored>,
    next: usize,
    stage: Stage,
    table_move: ShortMove,
    killers: [ShortMove; 2],
    before: [Step; 3],
    ordered: bool,
    /// How many moves may be taken in all.
    quota: usize,
}

/// Whether a move changes the material.
#[inline]
pub(crate) fn is_noisy(m: Move) -> bool {
    m.is_capture() || m.promotion() == Some(Role::Queen)
}

impl Picker {
    /// The legal moves of a position.
    pub(crate) fn new(
        legal: &MoveList,
        wanted: Wanted,
        table_move: ShortMove,
        killers: [ShortMove; 2],
        before: [Step; 3],
        features: &Features,
    ) -> Self {
        let wanted = |m: &&Move| wanted == Wanted::All || is_noisy(**m);
        let moves: Vec<_> = (legal.iter().filter(wanted))
            .map(|&m| Scored { m, score: 0 })
            .collect();
        let quota = features.beam(moves.len());
        Self {
            moves,
            next: 0,
            stage: Stage::Table,
            table_move,
            killers,
            before,
            ordered: features.order_moves,
            quota,
        }
    }

    /// Moves in an order that somebody else has chosen.
    pub(crate) fn given(moves: impl Iterator<Item = Move>) -> Self {
        let moves: Vec<_> = moves.map(|m| Scored { m, score: 0 }).collect();
        Self {
            quota: moves.len(),
            moves,
            next: 0,
            stage: Stage::Pick,
            table_move: ShortMove::NONE,
            killers: [ShortMove::NONE; 2],
            before: [super::history::NO_STEP; 3],
            ordered: false,
        }
    }

    /// How many moves there are, taken or not.
    pub(crate) fn len(&self) -> usize {
        self.moves.len()
    }

    /// The next move, best first.
    pub(crate) fn next(&mut self, position: &Position, history: &History) -> Option<Move> {
        if self.next >= self.quota {
            return None;
        }
        if self.stage == Stage::Table {
            self.stage = Stage::Score;
            let wanted = |scored: &Scored| ShortMove::of(scored.m) == self.table_move;
            if let Some(i) = self.moves.iter().position(wanted) {
                self.moves.swap(0, i);
                self.next = 1;
                return Some(self.moves[0].m);
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
        let m = self.moves[self.next].m;
        self.next += 1;
        Some(m)
    }

    /// Brings the best of the moves left to the front; captures are weighed when their turn comes.
    fn select(&mut self, position: &Position) {
        loop {
            let left = &mut self.moves[self.next..];
            let mut best = 0;
            for (i, scored) in left.iter().enumerate() {
                if scored.score > left[best].score {
                    best = i;
                }
            }
            let candidate = &mut left[best];
            let unweighed = candidate.score >= GOOD_CAPTURE / 2;
            if unweighed && !see::wins_at_least(position, candidate.m, 0) {
                candidate.score += BAD_CAPTURE - GOOD_CAPTURE;
                continue;
            }
            left.swap(0, best);
            return;
        }
    }

    fn score(&mut self, position: &Position, history: &History) {
        let side = position.turn();
        for scored in &mut self.moves[self.next..] {
            let m = scored.m;
            scored.score = if is_noisy(m) {
                let taken = m.capture().map_or(0, |role| see::VALUE[role as usize]);
                let promoted = m.promotion().map_or(0, |role| see::VALUE[role as usize]);
                GOOD_CAPTURE + 16 * (taken + promoted) + history.capture(side, m)
                    - see::VALUE[m.role() as usize].min(1000) / 8
            } else if m.promotion().is_some() {
                BAD_CAPTURE
            } else if let Some(i) = self.killers.iter().position(|&k| k == ShortMove::of(m)) {
                KILLER - i as i32
            } else {
                history.quiet(side, m, &self.before)
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    fn all(fen: &str, table_move: &str, features: &Features) -> Vec<String> {
        let position = Position::from_fen(fen, CastlingMode::Standard).unwrap();
        let first = position
            .parse_uci(table_move)
            .map_or(ShortMove::NONE, ShortMove::of);
        let before = [super::super::history::NO_STEP; 3];
        let killers = [ShortMove::NONE; 2];
        let legal = position.legal_moves();
        let mut picker = Picker::new(&legal, Wanted::All, first, killers, before, features);
        let history = History::default();
        std::iter::from_fn(|| picker.next(&position, &history))
            .map(|m| position.uci(m))
            .collect()
    }

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

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
