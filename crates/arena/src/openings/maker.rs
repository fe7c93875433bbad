//! Openings from the rules alone.

use std::collections::HashSet;

use everymove_kernel::rng::SplitMix64;
use serde::{Deserialize, Serialize};
use shakmaty::zobrist::Zobrist128;
use shakmaty::{CastlingMode, EnPassantMode, Position};

use super::{balance, chess960};
use crate::line::{Line, Opening};

/// How openings are made. Equal recipes make equal openings, on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// Another seed, other openings.
    pub seed: u64,
    /// How many random moves of either side.
    pub plies: u32,
    /// How far from level, in hundredths of a pawn, a small search may find the position.
    pub balance: u32,
    /// Whether each opening starts from a random first position of Chess960.
    pub chess960: bool,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            seed: 1,
            plies: 8,
            balance: 60,
            chess960: false,
        }
    }
}

/// Makes openings one after another, no two of which lead to the same position.
///
/// Each is a walk of random legal moves, every one equally likely, that is thrown away if the game is over, a check is
/// on the board or the position is not balanced. Both players of a pair get both sides of it, so what imbalance is
/// left favours nobody.
///
/// ```
/// use everymove_arena::openings::{Maker, Recipe};
///
/// let openings: Vec<_> = Maker::new(Recipe::default()).take(3).collect();
/// assert!(openings.iter().all(|opening| opening.moves.len() == 8));
/// assert_eq!(openings, Maker::new(Recipe::default()).take(3).collect::<Vec<_>>());
/// ```
#[derive(Debug)]
pub struct Maker {
    recipe: Recipe,
    rng: SplitMix64,
    seen: HashSet<u128>,
}

/// After so many walks in vain there are no more openings of this kind.
const PATIENCE: u32 = 20_000;

impl Maker {
    /// Starts with the first opening of the recipe.
    pub fn new(recipe: Recipe) -> Self {
        Self {
            recipe,
            rng: SplitMix64::new(recipe.seed),
            seen: HashSet::new(),
        }
    }

    fn walk(&mut self) -> Option<Opening> {
        let (fen, mode) = if self.recipe.chess960 {
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
        let mut line = Line::new(&start, mode).ok()?;
        for _ in 0..self.recipe.plies {
            let moves = line.position().legal_moves();
            let m = moves[self.rng.below(moves.len() as u64) as usize];
            line.play(m);
            if line.end().is_some() {
                return None;
            }
        }
        let position = line.position();
        let level = || balance::value(position).unsigned_abs() <= self.recipe.balance;
        if position.is_check() || !level() {
            return None;
        }
        let Zobrist128(key) = position.zobrist_hash(EnPassantMode::Legal);
        self.seen.insert(key).then(|| Opening {
            fen: start.fen,
            moves: line.texts().to_vec(),
        })
    }
}

impl Iterator for Maker {
    type Item = Opening;

    fn next(&mut self) -> Option<Opening> {
        (0..PATIENCE).find_map(|_| self.walk())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_playable_distinct_and_level() {
        for chess960 in [false, true] {
            let recipe = Recipe {
                chess960,
                ..Recipe::default()
            };
            let openings: Vec<_> = Maker::new(recipe).take(50).collect();
            assert_eq!(openings.iter().collect::<HashSet<_>>().len(), 50);
            for opening in &openings {
                let mode = if chess960 {
                    CastlingMode::Chess960
                } else {
                    CastlingMode::Standard
                };
                let line = Line::new(opening, mode).unwrap();
                assert_eq!(line.texts().len(), 8);
                assert!(balance::value(line.position()).unsigned_abs() <= 60);
            }
        }
    }

    #[test]
    fn few_openings_end_in_silence() {
        let recipe = Recipe {
            plies: 1,
            balance: 1000,
            ..Recipe::default()
        };
        assert_eq!(Maker::new(recipe).take(100).count(), 20);
    }
}
