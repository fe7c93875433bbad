//! Wald's sequential probability ratio test, with the generalised likelihood ratio of game results.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::counts::Counts;
use super::likelihood::Distribution;
use super::{NELO_PER_SIGMA, score_of_elo};
use crate::error::SprtError;

/// The unit of the hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Logistic Elo: the expected score by Elo's logistic curve.
    Logistic,
    /// Normalised Elo: the mean score divided by its standard deviation, independent of draw rate
    /// and openings.
    Normalised,
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Logistic => "logistic",
            Self::Normalised => "normalised",
        })
    }
}

impl FromStr for Model {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Self, SprtError> {
        match text {
            "logistic" => Ok(Self::Logistic),
            "normalised" | "normalized" => Ok(Self::Normalised),
            _ => Err(SprtError::Model(text.to_owned())),
        }
    }
}

/// A test of "the first player is `elo1` stronger" against "`elo0` stronger".
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: Model,
}

/// The decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// `elo0` is accepted: the change failed.
    H0,
    /// `elo1` is accepted: the change passed.
    H1,
    /// More games are needed.
    Continue,
}

impl Sprt {
    /// A test of `elo0` (accepted wrongly with probability `beta`) against `elo1` (with `alpha`).
    ///
    /// # Errors
    /// [`SprtError`] unless `elo0 < elo1` and both probabilities lie strictly between 0 and 1/2.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: Model,
    ) -> Result<Self, SprtError> {
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return Err(SprtError::Bounds(elo0, elo1));
        }
        let sensible = |p: f64| p > 0.0 && p < 0.5;
        if !(sensible(alpha) && sensible(beta)) {
            return Err(SprtError::Errors(alpha, beta));
        }
        Ok(Self {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        })
    }

    /// The hypotheses in Elo of the model.
    pub fn hypotheses(&self) -> (f64, f64) {
        (self.elo0, self.elo1)
    }

    /// The unit of the hypotheses.
    pub fn model(&self) -> Model {
        self.model
    }

    /// At the lower bound of the log-likelihood ratio H0 is accepted, at the upper one H1.
    pub fn bounds(&self) -> (f64, f64) {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        (lower, upper)
    }

    /// The generalised log-likelihood ratio of the results; 0 if there are none.
    pub fn llr<C: Counts>(&self, results: &C) -> f64 {
        let counts = results.counts();
        if counts.iter().all(|&n| n == 0) {
            return 0.0;
        }
        let (total, frequencies) = Distribution::regular(&counts);
        let (zero, one) = match self.model {
            Model::Logistic => (
                frequencies.with_mean(score_of_elo(self.elo0)),
                frequencies.with_mean(score_of_elo(self.elo1)),
            ),
            Model::Normalised => {
                let t = |nelo| nelo / NELO_PER_SIGMA * f64::from(C::GAMES).sqrt();
                (
                    frequencies.with_t(t(self.elo0)),
                    frequencies.with_t(t(self.elo1)),
                )
            }
        };
        total * frequencies.log_ratio(&one, &zero)
    }

    /// The decision on these results.
    pub fn decide<C: Counts>(&self, results: &C) -> Decision {
        let (llr, (lower, upper)) = (self.llr(results), self.bounds());
        if llr >= upper {
            Decision::H1
        } else if llr <= lower {
            Decision::H0
        } else {
            Decision::Continue
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Pentanomial;
    use super::*;
    use everymove_kernel::rng::SplitMix64;

    proptest! {
        /// With the players and the hypotheses exchanged, the ratio changes its sign.
        #[test]
        fn tests_are_symmetric(counts in prop::array::uniform5(0u64..300), e0 in -20.0f64..20.0, width in 0.5f64..20.0) {
            for model in [Model::Logistic, Model::Normalised] {
                let pairs = Pentanomial(counts);
                let test = Sprt::new(e0, e0 + width, 0.05, 0.05, model).unwrap();
                let mirror = Sprt::new(-e0 - width, -e0, 0.05, 0.05, model).unwrap();
                let (a, b) = (test.llr(&pairs), mirror.llr(&pairs.reversed()));
                prop_assert!((a + b).abs() < 1e-6 * (1.0 + a.abs()), "{} {}", a, b);
            }
        }

        #[test]
        fn a_better_result_raises_the_ratio(counts in prop::array::uniform5(1u64..300), from in 0usize..4) {
            for model in [Model::Logistic, Model::Normalised] {
                let test = Sprt::new(0.0, 5.0, 0.05, 0.05, model).unwrap();
                let mut better = Pentanomial(counts);
                better.0[from] -= 1;
                better.0[from + 1] += 1;
                prop_assume!(better.0[from] > 0);
                prop_assert!(model == Model::Normalised || test.llr(&better) > test.llr(&Pentanomial(counts)));
            }
        }
    }

    /// If a hypothesis holds exactly, the test errs about as often as its error probability.
    #[test]
    fn error_rates_are_those_of_the_test() {
        let test = Sprt::new(0.0, 30.0, 0.05, 0.05, Model::Logistic).unwrap();
        for (elo, wrong) in [(0.0, Decision::H1), (30.0, Decision::H0)] {
            let mut rng = SplitMix64::new(5);
            let win = score_of_elo(elo) - 0.25;
            let mut errors = 0;
            for _ in 0..400 {
                let mut pairs = Pentanomial::default();
                let decision = loop {
                    let mut game = || {
                        let u = rng.next_u64() as f64 / u64::MAX as f64;
                        if u < win {
                            2
                        } else {
                            usize::from(u < win + 0.5)
                        }
                    };
                    pairs.0[game() + game()] += 1;
                    match test.decide(&pairs) {
                        Decision::Continue => (),
                        decision => break decision,
                    }
                };
                errors += u32::from(decision == wrong);
            }
            // 20 are expected; 35 would be more than three standard deviations above.
            assert!((4..35).contains(&errors), "{errors} of 400 wrong at {elo}");
        }
    }

    /// The most likely distribution under each hypothesis, p(win) - p(loss) = 2 t sigma, by
    /// exhaustive search.
    #[test]
    fn draws_alone_support_equality() {
        let draws = 16_700u64;
        let t = 5.0 / NELO_PER_SIGMA;
        let mut best = f64::MIN;
        for k in 0..200_000 {
            let loss = f64::from(k) * 1e-8;
            // The win probability that gives the t-value, by bisection: it grows with the win
            // probability.
            let t_of = |win: f64| {
                let mean = (win - loss) / 2.0;
                mean / ((win + loss) / 4.0 - mean * mean).sqrt()
            };
            let (mut low, mut high) = (loss, 0.5);
            for _ in 0..60 {
                let middle = (low + high) / 2.0;
                if t_of(middle) < t {
                    low = middle
                } else {
                    high = middle
                }
            }
            let likelihood = draws as f64 * (1.0 - loss - low).ln();
            best = best.max(likelihood);
        }
        let results = super::super::Trinomial {
            draws,
            ..Default::default()
        };
        let llr = Sprt::new(0.0, 5.0, 0.05, 0.05, Model::Normalised)
            .unwrap()
            .llr(&results);
        assert!((llr - best).abs() < 0.05, "{llr} {best}");
    }

    #[test]
    fn invalid_tests_are_refused() {
        let error = |a, b, p| Sprt::new(a, b, p, 0.05, Model::Logistic).unwrap_err();
        assert_eq!(error(5.0, 0.0, 0.05), SprtError::Bounds(5.0, 0.0));
        assert_eq!(error(0.0, 5.0, 0.7), SprtError::Errors(0.7, 0.05));
        assert!("bayesian".parse::<Model>().is_err());
    }
}
