//! Which engines meet in which game, with which colours and from which opening: fixed before the
//! first game.
//!
//! The games of a match are numbered from 0. Games 2k and 2k + 1 are a pair: the same two engines
//! and the same opening, colours exchanged. A round is one pair of every pairing, and all pairs of
//! a round start from the same opening, so no engine gets better openings than another.

use serde::{Deserialize, Serialize};

/// Which engines meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentFormat {
    /// Each engine meets each other one.
    RoundRobin,
    /// The first engine meets each other one.
    Gauntlet,
}

/// The list of all games of a match, computed on request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    rounds: u64,
}

/// A game of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledGame {
    /// Its number.
    pub number: u64,
    /// The index of the engine that plays White.
    pub white: usize,
    /// The index of the engine that plays Black.
    pub black: usize,
    /// The index of its opening; equal to the round, counted from 0.
    pub opening: u64,
}

impl Schedule {
    /// The games of `rounds` rounds among `engines` engines.
    pub fn new(format: TournamentFormat, engines: usize, rounds: u64) -> Self {
        let first_engines = match format {
            TournamentFormat::RoundRobin => engines,
            TournamentFormat::Gauntlet => engines.min(1),
        };
        let pairings = (0..first_engines).flat_map(|a| (a + 1..engines).map(move |b| (a, b)));
        Self {
            pairings: pairings.collect(),
            rounds,
        }
    }

    /// The pairs of engines that meet; the first of a pair has White in the first game.
    pub fn pairings(&self) -> &[(usize, usize)] {
        &self.pairings
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        2 * self.rounds * self.pairings.len() as u64
    }

    /// The number of different openings used.
    pub fn openings(&self) -> u64 {
        self.rounds
    }

    /// A game by its number.
    ///
    /// # Panics
    /// If `number` is not below [`Schedule::games`].
    pub fn game(&self, number: u64) -> ScheduledGame {
        assert!(number < self.games(), "game {number} of {}", self.games());
        let pair = number / 2;
        let pairings = self.pairings.len() as u64;
        let (a, b) = self.pairings[(pair % pairings) as usize];
        let (white, black) = if number.is_multiple_of(2) {
            (a, b)
        } else {
            (b, a)
        };
        ScheduledGame {
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
            let format = if gauntlet { TournamentFormat::Gauntlet } else { TournamentFormat::RoundRobin };
            let schedule = Schedule::new(format, engines, rounds);
            let mut met: BTreeMap<_, u64> = BTreeMap::new();
            for number in 0..schedule.games() {
                let f = schedule.game(number);
                prop_assert!(f.white != f.black && f.opening < rounds);
                *met.entry((f.white, f.black, f.opening)).or_default() += 1;
                if number % 2 == 1 {
                    let first = schedule.game(number - 1);
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
