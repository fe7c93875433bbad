//! Openings generated from the rules alone.

use std::collections::HashSet;

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Run, Stop, Stopped};
use serde::{Deserialize, Serialize};
use shakmaty::zobrist::Zobrist128;
use shakmaty::{CastlingMode, EnPassantMode, Position};

use super::{balance, chess960};
use crate::game_state::{GameState, Opening};

/// How openings are generated. Equal options give equal openings on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratorOptions {
    /// The seed of the random moves.
    pub seed: u64,
    /// The number of random plies.
    pub plies: u32,
    /// The largest absolute value of a small search, in hundredths of a pawn.
    pub balance: u32,
    /// Whether each opening starts from a random initial position of Chess960.
    pub chess960: bool,
}

impl Default for GeneratorOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            plies: 8,
            balance: 60,
            chess960: false,
        }
    }
}

/// Generates openings one after another, no two of which lead to the same position.
///
/// Each is a sequence of random legal moves, all equally likely, which is rejected if the game is
/// over, the side to move is in check or the position is not balanced. The engines of a pair of
/// games both play both sides, so a remaining imbalance favours neither.
///
/// ```
/// use everymove_arena::openings::{Generator, GeneratorOptions};
///
/// let openings: Vec<_> = Generator::new(GeneratorOptions::default()).take(3).collect();
/// assert!(openings.iter().all(|opening| opening.moves.len() == 8));
/// assert_eq!(openings, Generator::new(GeneratorOptions::default()).take(3).collect::<Vec<_>>());
/// ```
#[derive(Debug)]
pub struct Generator {
    options: GeneratorOptions,
    rng: SplitMix64,
    seen: HashSet<u128>,
}

/// After this many rejected sequences in a row there are no more openings of this kind.
const MAX_ATTEMPTS: u32 = 20_000;

impl Generator {
    /// A generator that starts with the first opening.
    pub fn new(options: GeneratorOptions) -> Self {
        Self {
            options,
            rng: SplitMix64::new(options.seed),
            seen: HashSet::new(),
        }
    }

    /// Returns the next opening; `None` if there are no more.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` is raised; the opening is then skipped.
    pub fn next_opening(&mut self, stop: &Stop) -> Result<Option<Opening>, Stopped> {
        for _ in 0..MAX_ATTEMPTS {
            stop.check()?;
            if let Some(opening) = self.random_opening() {
                return Ok(Some(opening));
            }
        }
        Ok(None)
    }

    fn random_opening(&mut self) -> Option<Opening> {
        let (fen, mode) = if self.options.chess960 {
            (
                Some(chess960::fen(self.rng.below(960))),
                CastlingMode::Chess960,
            )
        } else {
            (None, CastlingMode::Standard)
        };
        let start = Opening {
            fen,
            moves: Vec::new(),
        };
        let mut game = GameState::new(&start, mode).ok()?;
        for _ in 0..self.options.plies {
            let moves = game.position().legal_moves();
            let m = moves[self.rng.below(moves.len() as u64) as usize];
            game.play(m);
            if game.end().is_some() {
                return None;
            }
        }
        let position = game.position();
        let balanced = || balance::value(position).unsigned_abs() <= self.options.balance;
        if position.is_check() || !balanced() {
            return None;
        }
        let Zobrist128(key) = position.zobrist_hash(EnPassantMode::Legal);
        self.seen.insert(key).then(|| Opening {
            fen: start.fen,
            moves: game.uci_moves().to_vec(),
        })
    }
}

/// Generates the first `number` openings, or all if there are fewer; `run` can stop it and shows
/// its progress.
///
/// # Errors
/// [`Stopped`] if the stop flag of `run` was raised.
pub fn generate(
    options: GeneratorOptions,
    number: u64,
    run: &Run,
) -> Result<Vec<Opening>, Stopped> {
    run.progress.start("generating openings", number);
    let mut openings = Vec::new();
    let mut generator = Generator::new(options);
    while (openings.len() as u64) < number {
        let Some(opening) = generator.next_opening(&run.stop)? else {
            break;
        };
        openings.push(opening);
        run.progress.advance(1);
    }
    Ok(openings)
}

impl Iterator for Generator {
    type Item = Opening;

    fn next(&mut self) -> Option<Opening> {
        self.next_opening(&Stop::default()).ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_playable_distinct_and_balanced() {
        for chess960 in [false, true] {
            let options = GeneratorOptions {
                chess960,
                ..GeneratorOptions::default()
            };
            let openings: Vec<_> = Generator::new(options).take(50).collect();
            assert_eq!(openings.iter().collect::<HashSet<_>>().len(), 50);
            for opening in &openings {
                let mode = if chess960 {
                    CastlingMode::Chess960
                } else {
                    CastlingMode::Standard
                };
                let game = GameState::new(opening, mode).unwrap();
                assert_eq!(game.uci_moves().len(), 8);
                assert!(balance::value(game.position()).unsigned_abs() <= 60);
            }
        }
    }

    #[test]
    fn the_generator_ends_when_there_are_no_more_openings() {
        let options = GeneratorOptions {
            plies: 1,
            balance: 1000,
            ..GeneratorOptions::default()
        };
        assert_eq!(Generator::new(options).take(100).count(), 20);
    }
}
