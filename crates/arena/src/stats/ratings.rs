//! Ratings of several players from all their games together: Bradley and Terry's model with draws as half wins.

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
    /// Half the width of the 95 % interval of the difference to the anchor; 0 for an anchored player.
    pub error: f64,
}

/// The largest number of players: the time grows with its cube.
const MAX_PLAYERS: usize = 300;

/// Maximum-likelihood ratings of `players` players.
///
/// The model: the first of two players scores [`score_of_elo`] of their difference. Draws count as half a win and
/// half a loss, which overestimates the error where draws are frequent. Found by Newton's method; the likelihood has
/// one maximum if the graph of wins is strongly connected (Ford, "Solution of a ranking problem from binary
/// comparisons", 1957), which is checked first.
///
/// # Errors
/// [`RatingError::Unbounded`] otherwise, [`RatingError::TooMany`] above 300 players.
///
/// # Panics
/// If a pairing names a player that is not below `players`.
pub fn ratings(
    players: usize,
    pairings: &[Pairing],
    anchor: Anchor,
) -> Result<Vec<Rating>, RatingError> {
    if players > MAX_PLAYERS {
        return Err(RatingError::TooMany { players });
    }
    if !is_connected(players, pairings) {
        return Err(RatingError::Unbounded);
    }
    let fixed = match anchor {
        Anchor::Mean(_) => 0,
        Anchor::Player(player, _) => player,
    };
    let mut elo = vec![0.0; players];
    let mut covariance = vec![vec![0.0; players]; players];
    for _ in 0..200 {
        let (gradient, information) = derivatives(&elo, pairings, fixed);
        covariance = inverse(information);
        let step: Vec<f64> = covariance
            .iter()
            .map(|row| row.iter().zip(&gradient).map(|(c, g)| c * g).sum())
            .collect();
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
        if largest < 1e-9 {
            break;
        }
    }
    let mean = elo.iter().sum::<f64>() / players as f64;
    let shift = match anchor {
        Anchor::Mean(value) => value - mean,
        Anchor::Player(_, value) => value,
    };
    Ok((0..players)
        .map(|i| Rating {
            elo: elo[i] + shift,
            error: Z95 * variance(&covariance, i, anchor).max(0.0).sqrt(),
        })
        .collect())
}

/// Variance of a player's rating relative to the anchor.
fn variance(covariance: &[Vec<f64>], i: usize, anchor: Anchor) -> f64 {
    match anchor {
        Anchor::Player(..) => covariance[i][i],
        Anchor::Mean(_) => {
            let n = covariance.len() as f64;
            let with_mean = covariance[i].iter().sum::<f64>() / n;
            let of_mean = covariance.iter().flatten().sum::<f64>() / (n * n);
            covariance[i][i] - 2.0 * with_mean + of_mean
        }
    }
}

/// The gradient of the log-likelihood and its information matrix, with the rating of player `fixed` constant.
fn derivatives(elo: &[f64], pairings: &[Pairing], fixed: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let slope = 10f64.ln() / 400.0;
    let n = elo.len();
    let (mut gradient, mut information) = (vec![0.0; n], vec![vec![0.0; n]; n]);
    for p in pairings {
        let (a, b) = (p.first, p.second);
        let expected = score_of_elo(elo[a] - elo[b]);
        let games = p.results.games() as f64;
        let excess = slope * (p.results.points() - games * expected);
        gradient[a] += excess;
        gradient[b] -= excess;
        let weight = slope * slope * games * expected * (1.0 - expected);
        information[a][a] += weight;
        information[b][b] += weight;
        information[a][b] -= weight;
        information[b][a] -= weight;
    }
    gradient[fixed] = 0.0;
    information[fixed].fill(0.0);
    for row in &mut information {
        row[fixed] = 0.0;
    }
    information[fixed][fixed] = f64::INFINITY;
    (gradient, information)
}

/// The inverse of a positive definite matrix by Gauss and Jordan; an infinite diagonal entry becomes a zero row.
fn inverse(mut m: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = m.len();
    let mut inverse = vec![vec![0.0; n]; n];
    for (i, row) in inverse.iter_mut().enumerate() {
        if m[i][i].is_finite() {
            row[i] = 1.0;
        } else {
            m[i][i] = 1.0;
        }
    }
    for k in 0..n {
        let pivot = m[k][k];
        for j in 0..n {
            m[k][j] /= pivot;
            inverse[k][j] /= pivot;
        }
        let (row, inverse_row) = (m[k].clone(), inverse[k].clone());
        for i in (0..n).filter(|&i| i != k) {
            let factor = m[i][k];
            for j in 0..n {
                m[i][j] -= factor * row[j];
                inverse[i][j] -= factor * inverse_row[j];
            }
        }
    }
    inverse
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
    players > 1 && reaches_all(players, &beats) && reaches_all(players, &beaten)
}

/// Whether a walk along the edges leads from the first player to all others.
fn reaches_all(players: usize, edges: &[(usize, usize)]) -> bool {
    let mut seen = vec![false; players];
    let mut open = vec![0];
    while let Some(player) = open.pop() {
        if !std::mem::replace(&mut seen[player], true) {
            let next = edges.iter().filter(|edge| edge.0 == player);
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
            let found = ratings(2, &[pairing(0, 1, w, d, l)], Anchor::Player(1, 2800.0)).unwrap();
            let score = (w as f64 + d as f64 / 2.0) / (w + d + l) as f64;
            prop_assert!((found[0].elo - 2800.0 - elo_of_score(score)).abs() < 1e-6);
            prop_assert_eq!(found[1], Rating { elo: 2800.0, error: 0.0 });
        }

        /// At the maximum each player's points are what the ratings expect.
        #[test]
        fn points_are_as_expected(results in prop::collection::vec((1u64..50, 0u64..50, 1u64..50), 6)) {
            let places = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
            let pairings: Vec<_> = places.iter().zip(&results)
                .map(|(&(a, b), &(w, d, l))| pairing(a, b, w, d, l)).collect();
            let found = ratings(4, &pairings, Anchor::Mean(0.0)).unwrap();
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
        let refused = |pairings: &[Pairing]| ratings(3, pairings, Anchor::Mean(0.0)).is_err();
        assert!(refused(&[pairing(0, 1, 5, 0, 5), pairing(2, 0, 9, 0, 0)]));
        assert!(refused(&[pairing(0, 1, 5, 0, 5)]));
        assert!(!refused(&[pairing(0, 1, 5, 0, 5), pairing(2, 0, 9, 1, 0)]));
    }
}
