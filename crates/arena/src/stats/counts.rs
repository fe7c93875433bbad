//! How often each score occurred.

use serde::{Deserialize, Serialize};

/// Results of single games from the point of view of the first player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trinomial {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Trinomial {
    /// Games in all.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: a win counts 1, a draw 1/2.
    pub fn points(self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The same results from the point of view of the second player.
    pub fn reversed(self) -> Self {
        Self {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }

    /// Counts one game of 0, 1 or 2 half points.
    ///
    /// # Panics
    /// If `half_points` is above 2.
    pub fn add(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            2 => self.wins += 1,
            more => panic!("a game of {more} half points"),
        }
    }
}

impl std::ops::AddAssign for Trinomial {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// Results of pairs of games (one opening, both colours): how many scored 0, 1/2, 1, 3/2 and 2
/// points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Pairs in all.
    pub fn pairs(self) -> u64 {
        self.0.iter().sum()
    }

    /// The same results from the point of view of the second player.
    pub fn reversed(mut self) -> Self {
        self.0.reverse();
        self
    }
}

impl std::ops::AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

/// How often each of some evenly spaced scores, from 0 to 1 per game, occurred.
pub trait Counts {
    /// The counts, from the worst score to the best.
    fn counts(&self) -> Vec<u64>;
    /// How many games make one observation: 1, or 2 for pairs.
    const GAMES: u32;

    /// Observations in all.
    fn total(&self) -> u64 {
        self.counts().iter().sum()
    }
}

impl Counts for Trinomial {
    fn counts(&self) -> Vec<u64> {
        vec![self.losses, self.draws, self.wins]
    }
    const GAMES: u32 = 1;
}

impl Counts for Pentanomial {
    fn counts(&self) -> Vec<u64> {
        self.0.to_vec()
    }
    const GAMES: u32 = 2;
}
