//! One game as bytes.
//!
//! | bytes | content |
//! |---|---|
//! | 2 | plies `n` |
//! | 1 | random plies `r` at the start, at most `n` |
//! | 1 | result: 0 White wins, 1 a draw, 2 Black wins |
//! | `n` | for each ply the index of its move among the legal moves in ascending order of their 16-bit form ([`ShortMove`]) |
//! | 1 to 3 each | for each ply from `r` on the score of the search for White, as the difference from the score before (at first 0) |
//!
//! A difference `d` is written as `2 d`, or `-2 d - 1` if it is negative, seven bits a byte from
//! the lowest, bit 7 set in all bytes but the last.

use everymove_kernel::files::push_varint;
use shakmaty::Move;
use thiserror::Error;

use crate::position::{Position, ShortMove};
use crate::score::{INFINITE, Score};

/// The most plies of a game.
const MOST_PLIES: usize = 1000;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// White wins.
    White,
    /// Nobody wins.
    Draw,
    /// Black wins.
    Black,
}

impl GameResult {
    /// All results, in the order of their bytes.
    pub const ALL: [Self; 3] = [Self::White, Self::Draw, Self::Black];
}

/// A game from the start position: random moves, then moves of searches with their scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The result by the rules or by adjudication.
    pub result: GameResult,
    /// Number of random moves at the start.
    pub random: u8,
    /// For each ply the index of its move among the legal moves in ascending order of their 16-bit
    /// form.
    pub moves: Vec<u8>,
    /// For each ply after the random ones the score for White, in centipawns or as a distance to
    /// mate.
    pub scores: Vec<i16>,
}

/// Bytes that are no game.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordError {
    /// The bytes end within a game.
    #[error("it ends within a game")]
    Short,
    /// A number of plies, a result or a score that no game has.
    #[error("a game in it has an impossible {0}")]
    Field(&'static str),
    /// The index of a move is not below the number of legal moves.
    #[error("ply {0} of a game in it is no legal move")]
    Move(usize),
}

/// The legal moves in the order of a record.
pub(super) fn ordered_moves(position: &Position) -> Vec<Move> {
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.sort_unstable_by_key(|&m| ShortMove::of(m).bits());
    moves
}

impl GameRecord {
    /// Appends the game to `bytes`.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend((self.moves.len() as u16).to_le_bytes());
        bytes.extend([self.random, self.result as u8]);
        bytes.extend(&self.moves);
        let mut before = 0;
        for &score in &self.scores {
            let difference = i32::from(score) - before;
            let folded = (difference << 1 ^ difference >> 31) as u32;
            push_varint(bytes, folded.into());
            before = i32::from(score);
        }
    }

    /// Takes a game from the front of `bytes`. Whether its moves are legal is checked by
    /// [`Self::replay`].
    ///
    /// # Errors
    /// [`RecordError`] for bytes that are no game.
    pub fn read(bytes: &mut &[u8]) -> Result<Self, RecordError> {
        let [low, high, random, result, rest @ ..] = *bytes else {
            return Err(RecordError::Short);
        };
        let plies = usize::from(u16::from_le_bytes([*low, *high]));
        let result = GameResult::ALL.get(usize::from(*result));
        let result = *result.ok_or(RecordError::Field("result"))?;
        if plies > MOST_PLIES || usize::from(*random) > plies {
            return Err(RecordError::Field("number of plies"));
        }
        let (moves, mut rest) = rest.split_at_checked(plies).ok_or(RecordError::Short)?;
        let mut score = 0;
        let mut scores = Vec::with_capacity(plies);
        for _ in usize::from(*random)..plies {
            score += difference(&mut rest)?;
            let small = |s: &i32| s.abs() <= INFINITE;
            let kept = Some(score).filter(small);
            scores.push(kept.ok_or(RecordError::Field("score"))? as i16);
        }
        *bytes = rest;
        Ok(Self {
            result,
            random: *random,
            moves: moves.to_vec(),
            scores,
        })
    }

    /// Calls `visit` with each position after the random moves, the move played in it, and the
    /// score of the search for White.
    ///
    /// # Errors
    /// [`RecordError::Move`] if a move is not legal.
    pub fn replay(&self, mut visit: impl FnMut(&Position, Move, Score)) -> Result<(), RecordError> {
        let mut position = Position::default();
        let random = usize::from(self.random);
        for (ply, &index) in self.moves.iter().enumerate() {
            let moves = ordered_moves(&position);
            let m = moves.get(usize::from(index)).copied();
            let m = m.ok_or(RecordError::Move(ply))?;
            if ply >= random {
                let score = self.scores.get(ply - random).copied();
                visit(&position, m, score.unwrap_or_default().into());
            }
            position = position.play(m);
        }
        Ok(())
    }
}

/// Takes a signed number of up to 3 bytes.
fn difference(bytes: &mut &[u8]) -> Result<i32, RecordError> {
    let mut folded = 0u32;
    for shift in [0, 7, 14] {
        let (&byte, rest) = bytes.split_first().ok_or(RecordError::Short)?;
        *bytes = rest;
        folded |= u32::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Ok((folded >> 1) as i32 ^ -((folded & 1) as i32));
        }
    }
    Err(RecordError::Field("score"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_record_is_read_as_it_was_written(
            moves in prop::collection::vec(any::<u8>(), 0..300),
            scores in prop::collection::vec(-32_000i16..=32_000, 300),
            random in 0u8..12,
            result in 0usize..3,
        ) {
            let random = random.min(moves.len() as u8);
            let scores = scores[..moves.len() - usize::from(random)].to_vec();
            let record = GameRecord { result: GameResult::ALL[result], random, moves, scores };
            let mut bytes = Vec::new();
            record.write(&mut bytes);
            record.write(&mut bytes);
            let mut rest = &bytes[..];
            prop_assert_eq!(GameRecord::read(&mut rest), Ok(record.clone()));
            prop_assert_eq!(GameRecord::read(&mut rest), Ok(record));
            prop_assert!(rest.is_empty());
        }

        /// Any bytes are a game or an error, and a cut game is an error.
        #[test]
        fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut rest = &bytes[..];
            while let Ok(record) = GameRecord::read(&mut rest) {
                let _ = record.replay(|_, _, _| ());
            }
        }
    }

    #[test]
    fn impossible_games_are_refused() {
        let read = |bytes: &[u8]| GameRecord::read(&mut &*bytes);
        assert_eq!(read(&[1, 0, 0]), Err(RecordError::Short));
        assert_eq!(read(&[0, 0, 0, 3]), Err(RecordError::Field("result")));
        assert_eq!(
            read(&[0, 0, 1, 0]),
            Err(RecordError::Field("number of plies"))
        );
        assert_eq!(read(&[2, 0, 0, 0, 1]), Err(RecordError::Short));
        assert_eq!(
            read(&[1, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF]),
            Err(RecordError::Field("score"))
        );
        let late = GameRecord {
            result: GameResult::Draw,
            random: 0,
            moves: vec![19, 20],
            scores: vec![0, 0],
        };
        assert_eq!(late.replay(|_, _, _| ()), Err(RecordError::Move(1)));
    }
}
