//! A mate prover that uses the rules alone: every move of the attacker against every reply, without
//! evaluation or pruning.
//!
//! It verifies mates that the search reports and completes lines that the transposition table cut
//! short. Draws by repetition and by the fifty-move rule are ignored, as in chess problems.

use std::collections::HashMap;

use shakmaty::Move;

use crate::error::NodeLimitReached;
use crate::position::Position;

/// A proof search that visits a limited number of positions.
pub struct Prover<'a> {
    known: HashMap<u64, Bounds>,
    left: u64,
    is_over: Option<&'a dyn Fn() -> bool>,
}

/// What was proved about a position with the attacker to move.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// There is no mate in this number of moves.
    none: u32,
    /// There is a mate in this number of moves.
    mate: u32,
}

const NEVER: u32 = u32::MAX;

impl<'a> Prover<'a> {
    /// A prover that visits up to `positions` positions.
    pub fn new(positions: u64) -> Self {
        Self {
            known: HashMap::new(),
            left: positions,
            is_over: None,
        }
    }

    /// The same; it also ends, with [`NodeLimitReached`], soon after `is_over` returns true.
    #[must_use]
    pub fn until(self, is_over: &'a dyn Fn() -> bool) -> Self {
        Self {
            is_over: Some(is_over),
            ..self
        }
    }

    /// The least number of moves in which the side to move mates, up to `most`; `None` if there is
    /// no such mate.
    ///
    /// # Errors
    /// [`NodeLimitReached`] when that many positions have been visited.
    ///
    /// ```
    /// use everymove_engine::{Position, mate::Prover};
    /// use shakmaty::CastlingMode;
    ///
    /// let fen = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1";
    /// let position = Position::from_fen(fen, CastlingMode::Standard)?;
    /// assert_eq!(Prover::new(10_000).shortest(&position, 3), Ok(Some(2)));
    /// # Ok::<(), everymove_engine::FenError>(())
    /// ```
    pub fn shortest(
        &mut self,
        position: &Position,
        most: u32,
    ) -> Result<Option<u32>, NodeLimitReached> {
        for n in 1..=most {
            if self.mates(position, n)? {
                return Ok(Some(n));
            }
        }
        Ok(None)
    }

    /// A line of `plies` moves that ends in mate: best attack against the longest defence.
    ///
    /// # Errors
    /// [`NodeLimitReached`] when that many positions have been visited; `Ok(None)` if there is no
    /// such mate.
    pub fn line(
        &mut self,
        position: &Position,
        plies: u32,
    ) -> Result<Option<Vec<Move>>, NodeLimitReached> {
        let mut line = Vec::new();
        let mut now = position.clone();
        let mut plies = plies;
        while plies > 0 {
            let m = if plies % 2 == 1 {
                self.attack(&now, plies.div_ceil(2))?
            } else {
                self.defence(&now, plies / 2)?
            };
            let Some(m) = m else {
                return Ok(None);
            };
            now = now.play(m);
            line.push(m);
            plies -= 1;
        }
        let mated = now.checkers().any() && now.legal_moves().is_empty();
        Ok(mated.then_some(line))
    }

    /// A move after which every defence is mated in `n - 1` more.
    fn attack(&mut self, position: &Position, n: u32) -> Result<Option<Move>, NodeLimitReached> {
        for m in position.legal_moves() {
            let next = position.play(m);
            let replies = next.legal_moves();
            let done = if replies.is_empty() {
                next.checkers().any()
            } else {
                n > 1 && self.is_lost(&next, n - 1)?
            };
            if done {
                return Ok(Some(m));
            }
        }
        Ok(None)
    }

    /// The reply that is mated in exactly `n` moves, if all are mated by then.
    fn defence(&mut self, position: &Position, n: u32) -> Result<Option<Move>, NodeLimitReached> {
        if !self.is_lost(position, n)? {
            return Ok(None);
        }
        for m in position.legal_moves() {
            if n == 1 || !self.mates(&position.play(m), n - 1)? {
                return Ok(Some(m));
            }
        }
        Ok(position.legal_moves().first().copied())
    }

    /// Whether the side to move mates in `n` moves or fewer.
    fn mates(&mut self, position: &Position, n: u32) -> Result<bool, NodeLimitReached> {
        let key = position.keys().all;
        let known = self.known.get(&key).copied();
        let bounds = known.unwrap_or(Bounds {
            none: 0,
            mate: NEVER,
        });
        if bounds.mate <= n {
            return Ok(true);
        }
        if bounds.none >= n {
            return Ok(false);
        }
        self.left = self.left.checked_sub(1).ok_or(NodeLimitReached)?;
        if self.left.is_multiple_of(64) && self.is_over.is_some_and(|is_over| is_over()) {
            self.left = 0;
            return Err(NodeLimitReached);
        }
        let found = self.try_all(position, n)?;
        let entry = self.known.entry(key).or_insert(bounds);
        if found {
            entry.mate = entry.mate.min(n);
        } else {
            entry.none = entry.none.max(n);
        }
        Ok(found)
    }

    fn try_all(&mut self, position: &Position, n: u32) -> Result<bool, NodeLimitReached> {
        let mut tries = Vec::new();
        for m in position.legal_moves() {
            let next = position.play(m);
            let check = next.checkers().any();
            if n == 1 && !check {
                continue;
            }
            let replies = next.legal_moves().len();
            if replies == 0 && check {
                return Ok(true);
            }
            if replies > 0 && n > 1 {
                tries.push((!check, replies, next));
            }
        }
        // Checks and moves with few replies first: they mate most often.
        tries.sort_by_key(|&(quiet, replies, _)| (quiet, replies));
        for (_, _, next) in &tries {
            if self.is_lost(next, n - 1)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the side to move, which has a move, is mated in `n` moves whatever it plays.
    fn is_lost(&mut self, position: &Position, n: u32) -> Result<bool, NodeLimitReached> {
        for m in position.legal_moves() {
            if !self.mates(&position.play(m), n)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
