//! Maximum likelihood under a hypothesis about the mean or about mean and spread together.
//!
//! Source: M. Van den Bergh, "Comments on Normalized Elo"
//! (cantate.be/Fishtest/normalized_elo_practical.pdf), proposition 1.1 for the mean and section 4.1
//! for (mean - 1/2) / standard deviation.

/// Probabilities of evenly spaced scores from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Distribution(Vec<f64>);

/// A score that never occurred counts as if it had this often: otherwise no hypothesis could be
/// rejected.
const PRIOR: f64 = 1e-3;

impl Distribution {
    /// The frequencies of some counts.
    pub(super) fn of(counts: &[f64]) -> Self {
        let total: f64 = counts.iter().sum();
        Self(counts.iter().map(|n| n / total).collect())
    }

    /// The counts with none of them zero, and their frequencies.
    pub(super) fn regular(counts: &[u64]) -> (f64, Self) {
        let counts: Vec<f64> = counts
            .iter()
            .map(|&n| if n == 0 { PRIOR } else { n as f64 })
            .collect();
        (counts.iter().sum(), Self::of(&counts))
    }

    fn score(&self, i: usize) -> f64 {
        i as f64 / (self.0.len() - 1) as f64
    }

    /// Mean and variance of the score.
    pub(super) fn mean_and_variance(&self) -> (f64, f64) {
        let sum = |f: &dyn Fn(f64) -> f64| {
            let settings = self.0.iter().enumerate();
            settings.map(|(i, p)| p * f(self.score(i))).sum::<f64>()
        };
        let mean = sum(&|a| a);
        (mean, sum(&|a| (a - mean) * (a - mean)))
    }

    /// The distribution of this mean, 0 to 1, under which these frequencies are most likely.
    pub(super) fn with_mean(&self, mean: f64) -> Self {
        let phi: Vec<f64> = (0..self.0.len()).map(|i| self.score(i) - mean).collect();
        self.tilted(&phi)
    }

    /// The distribution with (mean - 1/2) / standard deviation = `t` under which these frequencies
    /// are most likely.
    ///
    /// The constraint is not linear: it is linearised at the last guess until the guess stays.
    pub(super) fn with_t(&self, t: f64) -> Self {
        let n = self.0.len();
        let mut guess = Self(vec![1.0 / n as f64; n]);
        for _ in 0..100 {
            let (mean, variance) = guess.mean_and_variance();
            let sigma = variance.sqrt();
            let phi: Vec<f64> = (0..n)
                .map(|i| {
                    let a = self.score(i);
                    let z = (a - mean) / sigma;
                    a - 0.5 - t * sigma * (1.0 + z * z) / 2.0
                })
                .collect();
            let next = self.tilted(&phi);
            let change = (next.0.iter().zip(&guess.0)).map(|(a, b)| (a - b).abs());
            let largest = change.fold(0.0, f64::max);
            guess = next;
            if largest < 1e-12 {
                break;
            }
        }
        guess
    }

    /// p_i / (1 + x phi_i) with the x for which the mean of phi is 0: the sum that decides falls in
    /// x.
    fn tilted(&self, phi: &[f64]) -> Self {
        let highest = phi.iter().copied().fold(f64::MIN, f64::max);
        let lowest = phi.iter().copied().fold(f64::MAX, f64::min);
        let (mut low, mut high) = (-1.0 / highest, -1.0 / lowest);
        let excess = |x: f64| -> f64 {
            let settings = self.0.iter().zip(phi);
            settings.map(|(p, f)| p * f / (1.0 + x * f)).sum()
        };
        for _ in 0..200 {
            let middle = (low + high) / 2.0;
            if excess(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let x = (low + high) / 2.0;
        Self(
            self.0
                .iter()
                .zip(phi)
                .map(|(p, f)| p / (1.0 + x * f))
                .collect(),
        )
    }

    /// The mean over these frequencies of the logarithm of `one` over `zero`.
    pub(super) fn log_ratio(&self, one: &Self, zero: &Self) -> f64 {
        let settings = self.0.iter().zip(&one.0).zip(&zero.0);
        settings.map(|((p, a), b)| p * (a / b).ln()).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn log_likelihood(counts: &[u64], p: &Distribution) -> f64 {
        (counts.iter().zip(&p.0))
            .map(|(&n, p)| n as f64 * p.ln())
            .sum()
    }

    proptest! {
        /// The constraint holds, and no distribution near by that keeps it is more likely.
        #[test]
        fn the_mean_is_kept_and_nothing_near_is_more_likely(
            counts in prop::array::uniform5(1u64..500),
            mean in 0.2f64..0.8,
        ) {
            let (_, frequencies) = Distribution::regular(&counts);
            let best = frequencies.with_mean(mean);
            let (found, _) = best.mean_and_variance();
            prop_assert!((found - mean).abs() < 1e-9);
            prop_assert!((best.0.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            // These directions keep the sum and the mean.
            for direction in [[1.0, -2.0, 1.0, 0.0, 0.0], [0.0, 1.0, -2.0, 1.0, 0.0], [0.0, 0.0, 1.0, -2.0, 1.0]] {
                for step in [1e-5, -1e-5] {
                    let smallest = best.0.iter().copied().fold(1.0, f64::min);
                    let moved = best.0.iter().zip(direction).map(|(p, d)| p + step * d * smallest);
                    let moved = Distribution(moved.collect());
                    prop_assert!(log_likelihood(&counts, &moved) <= log_likelihood(&counts, &best) + 1e-9);
                }
            }
        }

        #[test]
        fn the_t_value_is_kept(counts in prop::array::uniform5(1u64..500), t in -0.2f64..0.2) {
            let (_, frequencies) = Distribution::regular(&counts);
            let (mean, variance) = frequencies.with_t(t).mean_and_variance();
            prop_assert!(((mean - 0.5) / variance.sqrt() - t).abs() < 1e-6);
        }
    }
}
