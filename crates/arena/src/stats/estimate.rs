//! Elo differences from results.

use serde::Serialize;

use super::counts::Counts;
use super::normal::{Z95, normal_cdf};
use super::{NELO_PER_SIGMA, likelihood};

/// The expected score, 0 to 1, of a player who is `elo` points stronger: Elo's logistic curve.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference at which `score` (0 to 1) is expected; infinite at 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score.clamp(0.0, 1.0) - 1.0).log10()
}

/// What some results say about the first player against the second. Intervals are of 95 %.
///
/// The standard error comes from the observed spread of the scores; of pairs, if they are given. Infinite where a
/// player has won everything, and not a number before the first result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Mean score of a game, 0 to 1.
    pub score: f64,
    /// Standard error of the score.
    pub score_error: f64,
    /// Logistic Elo difference.
    pub elo: f64,
    /// Half the width of the interval of the Elo difference.
    pub elo_error: f64,
    /// The interval of the Elo difference.
    pub elo_interval: (f64, f64),
    /// Normalised Elo: does not change with the share of draws or the balance of openings.
    pub nelo: f64,
    /// Half the width of the interval of normalised Elo.
    pub nelo_error: f64,
    /// The likelihood that the first player is the stronger one, 0 to 1.
    pub los: f64,
}

impl Estimate {
    /// The estimate from these results.
    pub fn of<C: Counts>(results: &C) -> Self {
        let counts: Vec<f64> = results.counts().iter().map(|&n| n as f64).collect();
        let total: f64 = counts.iter().sum();
        let games = f64::from(C::GAMES);
        let (score, variance) = likelihood::Distribution::of(&counts).mean_and_variance();
        let error = (variance / total).sqrt();
        let interval = (
            elo_of_score(score - Z95 * error),
            elo_of_score(score + Z95 * error),
        );
        let above = (score - 0.5) / error;
        Self {
            score,
            score_error: error,
            elo: elo_of_score(score),
            elo_error: (interval.1 - interval.0) / 2.0,
            elo_interval: interval,
            nelo: (score - 0.5) / (games * variance).sqrt() * NELO_PER_SIGMA,
            nelo_error: Z95 * NELO_PER_SIGMA / (games * total).sqrt(),
            // Only draws: nobody is ahead.
            los: if score == 0.5 { 0.5 } else { normal_cdf(above) },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Pentanomial, Trinomial};
    use super::*;

    proptest! {
        #[test]
        fn elo_and_score_are_inverse_and_symmetric(elo in -1200.0f64..1200.0) {
            let score = score_of_elo(elo);
            prop_assert!((elo_of_score(score) - elo).abs() < 1e-6);
            prop_assert!((score + score_of_elo(-elo) - 1.0).abs() < 1e-12);
        }

        #[test]
        fn exchanging_the_players_changes_the_sign(counts in prop::array::uniform5(1u64..1000)) {
            let pairs = Pentanomial(counts);
            let (a, b) = (Estimate::of(&pairs), Estimate::of(&pairs.reversed()));
            prop_assert!((a.score + b.score - 1.0).abs() < 1e-12);
            prop_assert!((a.elo + b.elo).abs() < 1e-6);
            prop_assert!((a.nelo + b.nelo).abs() < 1e-6);
            prop_assert!((a.elo_error - b.elo_error).abs() < 1e-6);
            prop_assert!((a.los + b.los - 1.0).abs() < 1e-9);
            prop_assert!(a.elo_interval.0 <= a.elo && a.elo <= a.elo_interval.1);
        }

        /// Pairs whose games are independent tell the same as the games alone: the models agree.
        #[test]
        fn independent_pairs_say_what_games_say(w in 1u64..60, d in 1u64..60, l in 1u64..60) {
            let pairs = Pentanomial([l * l, 2 * l * d, 2 * l * w + d * d, 2 * w * d, w * w]);
            let n = w + d + l;
            let games = Trinomial { wins: 2 * w * n, draws: 2 * d * n, losses: 2 * l * n };
            let (by_pairs, by_games) = (Estimate::of(&pairs), Estimate::of(&games));
            for (a, b) in [
                (by_pairs.elo, by_games.elo),
                (by_pairs.elo_error, by_games.elo_error),
                (by_pairs.nelo, by_games.nelo),
                (by_pairs.nelo_error, by_games.nelo_error),
                (by_pairs.los, by_games.los),
            ] {
                prop_assert!((a - b).abs() < 1e-6 * (1.0 + a.abs()), "{} {}", a, b);
            }
        }
    }

    #[test]
    fn extremes_are_infinite_not_wrong() {
        let won = Estimate::of(&Trinomial {
            wins: 9,
            ..Trinomial::default()
        });
        assert_eq!((won.score, won.elo, won.los), (1.0, f64::INFINITY, 1.0));
        let drawn = Estimate::of(&Pentanomial([0, 0, 7, 0, 0]));
        assert_eq!((drawn.elo, drawn.elo_error, drawn.los), (0.0, 0.0, 0.5));
        assert!(Estimate::of(&Trinomial::default()).score.is_nan());
    }
}
