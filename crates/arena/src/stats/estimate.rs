//! Elo differences from results.

use serde::Serialize;

use super::counts::{Counts, Pentanomial, Trinomial};
use super::normal::{Z95, normal_cdf};
use super::{NELO_PER_SIGMA, likelihood};

/// The fewest games whose spread says something about the error of an estimate.
const FEWEST_GAMES: f64 = 10.0;

/// The expected score, 0 to 1, of a player who is `elo` points stronger: Elo's logistic curve.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference at which `score` (0 to 1) is expected; infinite at 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    // The sum with 0 turns the negative zero of an even score into 0.
    -400.0 * (1.0 / score.clamp(0.0, 1.0) - 1.0).log10() + 0.0
}

/// Estimates of the strength of the first player relative to the second. Intervals are of 95 %.
///
/// The standard error is that of the observed scores, of pairs of games if they are given. Elo is
/// infinite if a player has won all games, and not a number without games. Errors are not numbers
/// if all observations are equal or there are fewer than ten games: their spread is then unknown.
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
    /// Infinite if all observations are equal.
    pub nelo: f64,
    /// Half the width of the interval of normalised Elo.
    pub nelo_error: f64,
    /// The likelihood that the first player is the stronger one, 0 to 1.
    pub los: f64,
}

impl Estimate {
    /// The estimate from results of one kind.
    pub fn of<C: Counts>(results: &C) -> Self {
        let counts: Vec<f64> = results.counts().iter().map(|&n| n as f64).collect();
        let total: f64 = counts.iter().sum();
        let games = f64::from(C::GAMES);
        let (score, variance) = likelihood::Distribution::of(&counts).mean_and_variance();
        Self::from_moments(score, variance / total, games * total, total)
    }

    /// The estimate from all games of two players, of which some form pairs.
    ///
    /// The score is that of all games. The variance of their mean is that of the mean of pairs and
    /// of single games, weighted by the squares of the numbers of games; with pairs only, the
    /// result equals that of [`Self::of`] the pairs.
    pub fn of_games(games: &Trinomial, pairs: &Pentanomial) -> Self {
        let variance_of = |counts: Vec<u64>| {
            let counts: Vec<f64> = counts.iter().map(|&n| n as f64).collect();
            likelihood::Distribution::of(&counts).mean_and_variance().1
        };
        let (total, paired) = (games.games() as f64, 2.0 * pairs.pairs() as f64);
        let single = total - paired;
        let mut variance = 0.0;
        if paired > 0.0 {
            variance += paired * paired * variance_of(pairs.counts()) / (paired / 2.0);
        }
        if single > 0.0 {
            variance += single * single * variance_of(games.counts()) / single;
        }
        let observed = paired / 2.0 + single;
        Self::from_moments(
            games.points() / total,
            variance / (total * total),
            total,
            observed,
        )
    }

    /// The estimate from a mean score of `games` games in `observed` pairs and single games, and
    /// the variance of that mean.
    fn from_moments(score: f64, variance: f64, games: f64, observed: f64) -> Self {
        // Equal observations show no spread, which does not mean that there is none; nor do few
        // show how wide it is.
        let spread = variance > 0.0 && games >= FEWEST_GAMES;
        let or_unknown = |error: f64| if spread { error } else { f64::NAN };
        let error = variance.sqrt();
        let interval = (
            elo_of_score(score - Z95 * error),
            elo_of_score(score + Z95 * error),
        );
        let above = (score - 0.5) / error;
        Self {
            score,
            score_error: or_unknown(error),
            elo: elo_of_score(score),
            elo_error: or_unknown((interval.1 - interval.0) / 2.0),
            elo_interval: (or_unknown(interval.0), or_unknown(interval.1)),
            nelo: (score - 0.5) / (games * variance).sqrt() * NELO_PER_SIGMA,
            nelo_error: or_unknown(Z95 * NELO_PER_SIGMA / games.sqrt()),
            los: if score == 0.5 {
                // Only draws: nobody is ahead.
                0.5
            } else if variance == 0.0 {
                // All are won by the same side: the share of those that it wins is above a half
                // with this probability, if all shares were equally likely before.
                let other = 0.5f64.powf(observed + 1.0);
                if score > 0.5 { 1.0 - other } else { other }
            } else {
                normal_cdf(above)
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

        /// All games in pairs: the estimate from the pairs. No pairs: that from the games.
        #[test]
        fn mixtures_agree_with_pure_results(counts in prop::array::uniform5(1u64..1000), draws in 0u64..100) {
            let pairs = Pentanomial(counts);
            let [a, b, c, d, e] = counts;
            let ones = draws.min(c);
            let games = Trinomial {
                losses: 2 * a + b + ones,
                draws: b + 2 * (c - ones) + d,
                wins: ones + d + 2 * e,
            };
            let (mixed, pure) = (Estimate::of_games(&games, &pairs), Estimate::of(&pairs));
            for (a, b) in [(mixed.elo, pure.elo), (mixed.elo_error, pure.elo_error), (mixed.nelo, pure.nelo), (mixed.nelo_error, pure.nelo_error), (mixed.los, pure.los)] {
                prop_assert!((a - b).abs() < 1e-7 * (1.0 + a.abs()), "{} {}", a, b);
            }
            let single = Estimate::of_games(&games, &Pentanomial::default());
            prop_assert!((single.elo_error - Estimate::of(&games).elo_error).abs() < 1e-9);
        }

        /// Pairs whose games are independent give the same estimate as the games alone.
        #[test]
        fn independent_pairs_agree_with_games(w in 1u64..60, d in 1u64..60, l in 1u64..60) {
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
    fn extremes_are_infinite_or_unknown() {
        let won = Estimate::of(&Trinomial {
            wins: 9,
            ..Trinomial::default()
        });
        let los = 1.0 - 0.5f64.powi(10);
        assert_eq!((won.score, won.elo, won.los), (1.0, f64::INFINITY, los));
        let two_pairs = Estimate::of(&Pentanomial([0, 0, 0, 2, 0]));
        assert_eq!((two_pairs.score, two_pairs.los), (0.75, 0.875));
        assert_eq!(Estimate::of(&Pentanomial([2, 0, 0, 0, 0])).los, 0.125);
        let drawn = Estimate::of(&Pentanomial([0, 0, 7, 0, 0]));
        assert_eq!((drawn.elo.to_bits(), drawn.los), (0.0f64.to_bits(), 0.5));
        assert!(drawn.elo_error.is_nan() && drawn.elo_interval.0.is_nan());
        assert!(Estimate::of(&Trinomial::default()).score.is_nan());
        let of_wins = |wins| {
            Estimate::of(&Trinomial {
                wins,
                draws: 1,
                losses: 4,
            })
        };
        let (few, enough) = (of_wins(4), of_wins(5));
        assert!(few.elo.is_finite() && few.elo_error.is_nan() && few.nelo_error.is_nan());
        assert!(enough.elo_error.is_finite() && enough.nelo_error.is_finite());
    }
}
