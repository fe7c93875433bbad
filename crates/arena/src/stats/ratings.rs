//! Ratings of several players from all their games together: Bradley and Terry's model with draws
//! as half wins.

use std::f64::consts::LN_10;

use everymove_kernel::run::{Stop, Stopped};
use serde::Serialize;

use super::normal::Z95;
use super::{Trinomial, score_of_elo};
use crate::error::RatingError;

/// Results between two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The player whose results these are.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// The results from the point of view of the first player.
    pub results: Trinomial,
}

/// The fixed point of the rating scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// The mean of all ratings is this.
    Mean(f64),
    /// This player has this rating.
    Player(usize, f64),
}

/// A player's rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// In Elo points.
    pub elo: f64,
    /// Half the width of the 95 % interval of the difference to the anchor; 0 for an anchored
    /// player, `None` where there are too many players to compute it.
    pub error: Option<f64>,
}

/// The largest number of players whose errors are computed: the time grows with its square, and
/// with the number of games.
const MOST_WITH_ERRORS: usize = 1000;

/// Maximum-likelihood ratings of `players` players.
///
/// The model: the first of two players scores [`score_of_elo`] of their difference. Draws count as
/// half a win and half a loss, which overestimates the error where draws are frequent. Found by
/// Newton's method; the likelihood has one maximum if the graph of wins is strongly connected
/// (Ford, "Solution of a ranking problem from binary comparisons", 1957), which is checked first.
/// The time and the memory of ratings grow with the players and pairings; above 1000 players they
/// come without errors.
///
/// # Errors
/// [`RatingError::Unbounded`] otherwise, [`RatingError::Stopped`].
///
/// # Panics
/// If a pairing names a player that is not below `players`.
pub fn ratings(
    players: usize,
    pairings: &[Pairing],
    anchor: Anchor,
    stop: &Stop,
) -> Result<Vec<Rating>, RatingError> {
    if !is_connected(players, pairings) {
        return Err(RatingError::Unbounded);
    }
    let fixed = match anchor {
        Anchor::Mean(_) => 0,
        Anchor::Player(player, _) => player,
    };
    let mut elo = vec![0.0; players];
    let mut information = Information::new(pairings, &elo, fixed);
    let mut before = f64::INFINITY;
    for _ in 0..200 {
        let gradient = gradient(&elo, pairings, fixed);
        let step = information.solve(&gradient, stop)?;
        // A full Newton step far from the maximum may overshoot: it is limited to 200 Elo.
        let largest = step.iter().map(|s: &f64| s.abs()).fold(0.0, f64::max);
        let shrink = if largest > 200.0 {
            200.0 / largest
        } else {
            1.0
        };
        for (e, s) in elo.iter_mut().zip(&step) {
            *e += s * shrink;
        }
        information = Information::new(pairings, &elo, fixed);
        // Rounding may keep steps from becoming smaller than this.
        if largest < 1e-9 || largest < 1e-6 && largest >= before {
            break;
        }
        before = largest;
    }
    let mean = elo.iter().sum::<f64>() / players as f64;
    let shift = match anchor {
        Anchor::Mean(value) => value - mean,
        Anchor::Player(_, value) => value,
    };
    let variances = match players {
        0..=MOST_WITH_ERRORS => Some(information.variances(anchor, stop)?),
        _ => None,
    };
    let error = |i: usize| Some(Z95 * variances.as_ref()?[i].max(0.0).sqrt());
    let rating = |(i, elo)| Rating {
        elo: elo + shift,
        error: error(i),
    };
    Ok(elo.into_iter().enumerate().map(rating).collect())
}

/// Elo points to the logarithm of the odds of a win.
const SLOPE: f64 = LN_10 / 400.0;

/// The gradient of the log-likelihood, with the rating of player `fixed` constant.
fn gradient(elo: &[f64], pairings: &[Pairing], fixed: usize) -> Vec<f64> {
    let mut gradient = vec![0.0; elo.len()];
    for p in pairings {
        let expected = p.results.games() as f64 * score_of_elo(elo[p.first] - elo[p.second]);
        let excess = SLOPE * (p.results.points() - expected);
        gradient[p.first] += excess;
        gradient[p.second] -= excess;
    }
    gradient[fixed] = 0.0;
    gradient
}

/// The information matrix of ratings, with that of player `fixed` constant. It is positive
/// definite, and not 0 only on its diagonal and for players who met.
struct Information<'a> {
    pairings: &'a [Pairing],
    /// By pairing: what couples the two players, with a negative sign the matrix's entries for
    /// them.
    weights: Vec<f64>,
    diagonal: Vec<f64>,
    fixed: usize,
}

impl<'a> Information<'a> {
    fn new(pairings: &'a [Pairing], elo: &[f64], fixed: usize) -> Self {
        let weight = |p: &Pairing| {
            let expected = score_of_elo(elo[p.first] - elo[p.second]);
            SLOPE * SLOPE * p.results.games() as f64 * expected * (1.0 - expected)
        };
        let weights: Vec<f64> = pairings.iter().map(weight).collect();
        let mut diagonal = vec![0.0; elo.len()];
        for (p, weight) in pairings.iter().zip(&weights) {
            diagonal[p.first] += weight;
            diagonal[p.second] += weight;
        }
        Self {
            pairings,
            weights,
            diagonal,
            fixed,
        }
    }

    /// The matrix times a vector whose entry for the fixed player is 0.
    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; vector.len()];
        for (p, weight) in self.pairings.iter().zip(&self.weights) {
            let flow = weight * (vector[p.first] - vector[p.second]);
            product[p.first] += flow;
            product[p.second] -= flow;
        }
        product[self.fixed] = 0.0;
        product
    }

    /// The inverse times a vector whose entry for the fixed player is 0, by conjugate gradients (M.
    /// Hestenes and E. Stiefel, 1952), scaled by the diagonal.
    fn solve(&self, wanted: &[f64], stop: &Stop) -> Result<Vec<f64>, Stopped> {
        let scaled = |residual: &[f64]| -> Vec<f64> {
            let entries = residual.iter().zip(&self.diagonal);
            entries.map(|(r, d)| r / d).collect()
        };
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut solution = vec![0.0; wanted.len()];
        let mut residual = wanted.to_vec();
        let mut direction = scaled(&residual);
        let mut size = dot(&residual, &direction);
        let enough = size * 1e-26;
        // Without rounding, as many steps as players would do.
        for _ in 0..2 * wanted.len() + 100 {
            stop.check()?;
            if size <= enough {
                break;
            }
            let image = self.times(&direction);
            let length = size / dot(&direction, &image);
            for (i, d) in direction.iter().enumerate() {
                solution[i] += length * d;
                residual[i] -= length * image[i];
            }
            let preconditioned = scaled(&residual);
            let next = dot(&residual, &preconditioned);
            for (d, p) in direction.iter_mut().zip(preconditioned) {
                *d = p + next / size * *d;
            }
            size = next;
        }
        Ok(solution)
    }

    /// By player: the variance of the rating relative to the anchor.
    fn variances(&self, anchor: Anchor, stop: &Stop) -> Result<Vec<f64>, Stopped> {
        let players = self.diagonal.len();
        // By player: its variance, and its mean covariance with all, if the fixed player is the
        // anchor.
        let mut rows = Vec::with_capacity(players);
        for i in 0..players {
            let mut unit = vec![0.0; players];
            if i != self.fixed {
                unit[i] = 1.0;
            }
            let row = self.solve(&unit, stop)?;
            rows.push((row[i], row.iter().sum::<f64>() / players as f64));
        }
        let of_mean = rows.iter().map(|row| row.1).sum::<f64>() / players as f64;
        let variance = |(own, with_mean): (f64, f64)| match anchor {
            Anchor::Player(..) => own,
            Anchor::Mean(_) => own - 2.0 * with_mean + of_mean,
        };
        Ok(rows.into_iter().map(variance).collect())
    }
}

/// Whether from each player a chain of (half) wins leads to each other one.
fn is_connected(players: usize, pairings: &[Pairing]) -> bool {
    let mut beats = Vec::new();
    for p in pairings {
        if p.results.wins + p.results.draws > 0 {
            beats.push((p.first, p.second));
        }
        if p.results.losses + p.results.draws > 0 {
            beats.push((p.second, p.first));
        }
    }
    let beaten: Vec<_> = beats.iter().map(|&(a, b)| (b, a)).collect();
    players > 1 && reaches_all(players, beats) && reaches_all(players, beaten)
}

/// Whether a walk along the edges leads from the first player to all others.
fn reaches_all(players: usize, mut edges: Vec<(usize, usize)>) -> bool {
    edges.sort_unstable();
    let mut seen = vec![false; players];
    let mut open = vec![0];
    while let Some(player) = open.pop() {
        if !std::mem::replace(&mut seen[player], true) {
            let from = edges.partition_point(|edge| edge.0 < player);
            let next = edges[from..].iter().take_while(|edge| edge.0 == player);
            open.extend(next.map(|edge| edge.1));
        }
    }
    seen.iter().all(|&s| s)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::elo_of_score;
    use super::*;

    fn pairing(first: usize, second: usize, wins: u64, draws: u64, losses: u64) -> Pairing {
        Pairing {
            first,
            second,
            results: Trinomial {
                wins,
                draws,
                losses,
            },
        }
    }

    proptest! {
        #[test]
        fn two_players_differ_by_the_elo_of_their_score(w in 1u64..200, d in 0u64..200, l in 1u64..200) {
            let found = ratings(2, &[pairing(0, 1, w, d, l)], Anchor::Player(1, 2800.0), &Stop::default()).unwrap();
            let score = (w as f64 + d as f64 / 2.0) / (w + d + l) as f64;
            prop_assert!((found[0].elo - 2800.0 - elo_of_score(score)).abs() < 1e-6);
            prop_assert_eq!(found[1], Rating { elo: 2800.0, error: Some(0.0) });
        }

        /// At the maximum each player's points are what the ratings expect.
        #[test]
        fn points_are_as_expected(results in prop::collection::vec((1u64..50, 0u64..50, 1u64..50), 6)) {
            let places = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
            let pairings: Vec<_> = places.iter().zip(&results)
                .map(|(&(a, b), &(w, d, l))| pairing(a, b, w, d, l)).collect();
            let found = ratings(4, &pairings, Anchor::Mean(0.0), &Stop::default()).unwrap();
            prop_assert!(found.iter().map(|r| r.elo).sum::<f64>().abs() < 1e-6);
            for i in 0..4 {
                let excess: f64 = pairings.iter().map(|p| {
                    let games = p.results.games() as f64;
                    let expected = games * score_of_elo(found[p.first].elo - found[p.second].elo);
                    let points = p.results.points();
                    if p.first == i { points - expected } else if p.second == i { expected - points } else { 0.0 }
                }).sum();
                prop_assert!(excess.abs() < 1e-6, "{}: {}", i, excess);
            }
        }
    }

    #[test]
    fn a_player_who_won_all_has_no_rating() {
        let refused = |pairings: &[Pairing]| {
            ratings(3, pairings, Anchor::Mean(0.0), &Stop::default()).is_err()
        };
        assert!(refused(&[pairing(0, 1, 5, 0, 5), pairing(2, 0, 9, 0, 0)]));
        assert!(refused(&[pairing(0, 1, 5, 0, 5)]));
        assert!(!refused(&[pairing(0, 1, 5, 0, 5), pairing(2, 0, 9, 1, 0)]));
    }

    /// The errors of all players that met all others are those of the inverse of the whole matrix:
    /// of two players, from the weight between them.
    #[test]
    fn errors_are_those_of_the_inverse() {
        let (w, d, l) = (30, 20, 10);
        for anchor in [Anchor::Player(0, 0.0), Anchor::Mean(0.0)] {
            let found = ratings(2, &[pairing(0, 1, w, d, l)], anchor, &Stop::default()).unwrap();
            let expected = score_of_elo(found[1].elo - found[0].elo);
            let weight = SLOPE * SLOPE * 60.0 * expected * (1.0 - expected);
            let of_difference = Z95 * (1.0 / weight).sqrt();
            let of_one = match anchor {
                Anchor::Player(..) => [0.0, of_difference],
                Anchor::Mean(_) => [of_difference / 2.0; 2],
            };
            for (rating, wanted) in found.iter().zip(of_one) {
                assert!((rating.error.unwrap() - wanted).abs() < 1e-9 * of_difference);
            }
        }
    }

    /// Four thousand players in a circle, each with both results against its neighbours and some
    /// strangers: every rating is found, in memory for the games alone.
    #[test]
    fn many_players_have_ratings_without_errors() {
        let players = 4_000;
        let mut pairings = Vec::new();
        for i in 0..players {
            for distance in [1, 137, 1_607] {
                pairings.push(pairing(
                    i,
                    (i + distance) % players,
                    1 + (i % 3) as u64,
                    1,
                    1,
                ));
            }
        }
        let found = ratings(players, &pairings, Anchor::Mean(0.0), &Stop::default()).unwrap();
        assert_eq!(found.len(), players);
        assert!(found.iter().all(|rating| rating.error.is_none()));
        let mut excess = vec![0.0; players];
        for p in &pairings {
            let games = p.results.games() as f64;
            let expected = games * score_of_elo(found[p.first].elo - found[p.second].elo);
            excess[p.first] += p.results.points() - expected;
            excess[p.second] -= p.results.points() - expected;
        }
        assert!(excess.iter().all(|excess| excess.abs() < 1e-6));
        let stop = Stop::default();
        stop.raise();
        let stopped = ratings(players, &pairings, Anchor::Mean(0.0), &stop);
        assert!(matches!(stopped, Err(RatingError::Stopped(_))));
    }
}
