//! Who plays whom, with which colours, from which opening: fixed before the first game.
//!
//! The games of a match are numbered from 0. Games 2k and 2k + 1 are a pair: the same two engines and the same
//! opening, colours exchanged. A round is one pair of every pairing, and all pairs of a round start from the same
//! opening, so no engine gets better openings than another.

use serde::{Deserialize, Serialize};

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Everybody meets everybody.
    RoundRobin,
    /// The first engine meets each other one.
    Gauntlet,
}

/// The plan of all games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    rounds: u64,
}

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its number.
    pub number: u64,
    /// Who has White.
    pub white: usize,
    /// Who has Black.
    pub black: usize,
    /// The place of the opening in the list of openings.
    pub opening: u64,
}

impl Schedule {
    /// The games of `rounds` rounds among `engines` engines.
    pub fn new(format: Format, engines: usize, rounds: u64) -> Self {
        let heads = match format {
            Format::RoundRobin => engines,
            Format::Gauntlet => engines.min(1),
        };
        let pairings = (0..heads).flat_map(|a| (a + 1..engines).map(move |b| (a, b)));
        Self {
            pairings: pairings.collect(),
            rounds,
        }
    }

    /// Who meets whom; the first named has White first.
    pub fn pairings(&self) -> &[(usize, usize)] {
        &self.pairings
    }

    /// Games in all.
    pub fn games(&self) -> u64 {
        2 * self.rounds * self.pairings.len() as u64
    }

    /// How many openings it takes.
    pub fn openings(&self) -> u64 {
        self.rounds
    }

    /// A game by its number.
    ///
    /// # Panics
    /// If `number` is not below [`Schedule::games`].
    pub fn fixture(&self, number: u64) -> Fixture {
        assert!(number < self.games(), "game {number} of {}", self.games());
        let pair = number / 2;
        let pairings = self.pairings.len() as u64;
        let (a, b) = self.pairings[(pair % pairings) as usize];
        let (white, black) = if number.is_multiple_of(2) {
            (a, b)
        } else {
            (b, a)
        };
        Fixture {
            number,
            white,
            black,
            opening: pair / pairings,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_pairing_plays_every_opening_with_both_colours(
            engines in 2usize..7,
            rounds in 1u64..20,
            gauntlet in any::<bool>(),
        ) {
            let format = if gauntlet { Format::Gauntlet } else { Format::RoundRobin };
            let schedule = Schedule::new(format, engines, rounds);
            let mut met: BTreeMap<_, u64> = BTreeMap::new();
            for number in 0..schedule.games() {
                let f = schedule.fixture(number);
                prop_assert!(f.white != f.black && f.opening < rounds);
                *met.entry((f.white, f.black, f.opening)).or_default() += 1;
                if number % 2 == 1 {
                    let first = schedule.fixture(number - 1);
                    prop_assert_eq!((first.white, first.black, first.opening), (f.black, f.white, f.opening));
                }
            }
            prop_assert!(met.values().all(|&n| n == 1));
            let pairs = if gauntlet { engines - 1 } else { engines * (engines - 1) / 2 };
            prop_assert_eq!(met.len() as u64, 2 * rounds * pairs as u64);
            for (a, b, opening) in met.keys() {
                prop_assert!(met.contains_key(&(*b, *a, *opening)));
                prop_assert!(!gauntlet || *a == 0 || *b == 0);
            }
        }
    }
}
