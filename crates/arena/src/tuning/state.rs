//! The values of the parameters, and how the result of a pair of games moves them.

use everymove_kernel::rng::SplitMix64;

use super::parameter::Parameter;

/// The exponents of the gain sequences that Spall recommends.
const STEP_EXPONENT: f64 = 0.101;
const RATE_EXPONENT: f64 = 0.602;
/// Pairs by which the rate is delayed, as a share of all.
const DELAY: f64 = 0.1;

/// The values so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State<'a> {
    parameters: &'a [Parameter],
    pub(super) values: Vec<f64>,
    seed: u64,
    /// All pairs of games that are to be played.
    pairs: u64,
    /// How far a won game moves a parameter at the end, in steps.
    rate: f64,
}

impl<'a> State<'a> {
    pub(super) fn new(parameters: &'a [Parameter], seed: u64, pairs: u64, rate: f64) -> Self {
        Self {
            values: parameters.iter().map(|p| p.start).collect(),
            parameters,
            seed,
            pairs,
            rate,
        }
    }

    /// The options of the two sides of a pair of games: the values changed up or down at random,
    /// and the other way.
    pub(super) fn options(&self, pair: u64) -> [Vec<(String, String)>; 2] {
        let mut rng = SplitMix64::new(!self.seed ^ pair.wrapping_mul(0xA076_1D64_78BD_642F));
        let signs = self.signs(pair);
        let mut options = [const { Vec::new() }; 2];
        for (i, parameter) in self.parameters.iter().enumerate() {
            // Rounded up or down at random, so that the mean over many pairs is the value itself.
            let unit = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            for (options, sign) in options.iter_mut().zip([signs[i], -signs[i]]) {
                let changed = self.values[i] + sign * self.step(parameter, pair);
                let value = (changed + unit)
                    .floor()
                    .clamp(parameter.least, parameter.most);
                options.push((parameter.name.clone(), format!("{value:.0}")));
            }
        }
        options
    }

    /// Moves the values after a pair, in which the first side won by `lead` points: -2 to 2.
    pub(super) fn learn(&mut self, pair: u64, lead: f64) {
        let signs = self.signs(pair);
        let delay = DELAY * self.pairs as f64;
        let done = pair as f64 + 1.0;
        let rate = self.rate * ((delay + self.pairs as f64) / (delay + done)).powf(RATE_EXPONENT);
        for (i, parameter) in self.parameters.iter().enumerate() {
            let gain = rate * parameter.step * parameter.step / self.step(parameter, pair);
            let moved = self.values[i] + gain * signs[i] * lead;
            self.values[i] = moved.clamp(parameter.least, parameter.most);
        }
    }

    fn step(&self, parameter: &Parameter, pair: u64) -> f64 {
        parameter.step * (self.pairs as f64 / (pair + 1) as f64).powf(STEP_EXPONENT)
    }

    fn signs(&self, pair: u64) -> Vec<f64> {
        let mut rng = SplitMix64::new(self.seed ^ pair.wrapping_mul(0xD134_2543_DE82_EF95));
        let sign = |_: &Parameter| if rng.below(2) == 0 { 1.0 } else { -1.0 };
        self.parameters.iter().map(sign).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where games reward values near a target, noisily, the values come near it.
    #[test]
    fn the_values_approach_the_best_ones() {
        let targets = [("A", 30.0), ("B", 70.0), ("C", 45.0)];
        let line = |(name, _): &(&str, f64)| format!("{name} 50 0 100 4").parse().unwrap();
        let parameters: Vec<Parameter> = targets.iter().map(line).collect();
        let pairs = 20_000;
        let mut state = State::new(&parameters, 3, pairs, 0.01);
        let mut rng = SplitMix64::new(9);
        for pair in 0..pairs {
            let loss = |options: &[(String, String)]| -> f64 {
                let error = |((_, value), (_, target)): (&(String, String), &(&str, f64))| {
                    (value.parse::<f64>().unwrap() - target).powi(2)
                };
                options.iter().zip(&targets).map(error).sum()
            };
            let [plus, minus] = state.options(pair);
            let expected = 1.0 / (1.0 + ((loss(&plus) - loss(&minus)) / 400.0).exp());
            let wins = |rng: &mut SplitMix64| (rng.below(1000) as f64) < 1000.0 * expected;
            let points = i32::from(wins(&mut rng)) + i32::from(wins(&mut rng));
            state.learn(pair, 2.0 * f64::from(points) - 2.0);
        }
        for (value, (name, target)) in state.values.iter().zip(targets) {
            assert!((value - target).abs() < 6.0, "{name}: {value} {target}");
        }
    }

    /// The two sides differ by the same in both directions, within the range.
    #[test]
    fn the_sides_are_changed_in_opposite_directions() {
        let parameters: Vec<Parameter> = vec![
            "A 50 0 100 4".parse().unwrap(),
            "B 1 0 100 40".parse().unwrap(),
        ];
        let state = State::new(&parameters, 3, 100, 0.01);
        let mut sums = [0.0; 2];
        for pair in 0..1000 {
            let [plus, minus] = state.options(pair);
            let value = |options: &[(String, String)], i: usize| options[i].1.parse::<f64>();
            let both = [0, 1].map(|i| [value(&plus, i).unwrap(), value(&minus, i).unwrap()]);
            assert!(both.iter().flatten().all(|v| (0.0..=100.0).contains(v)));
            assert!(both[0][0] != both[0][1], "{pair}");
            sums[0] += both[0][0];
            sums[1] += both[0][1];
        }
        for sum in sums {
            assert!((sum / 1000.0 - 50.0).abs() < 0.5, "{sums:?}");
        }
    }
}
