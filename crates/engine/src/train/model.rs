//! The network with parameters as floating-point numbers: prediction, loss and gradient.

use everymove_kernel::dispatch::{self, Task};
use everymove_kernel::rng::SplitMix64;
use shakmaty::{Color, Role};

use crate::eval::Network;
use crate::eval::network::features::{INPUTS, OUTPUTS, input, is_mirrored, output_of};
use crate::eval::network::{
    MOST_BIAS, MOST_OUTPUT, MOST_OUTPUT_SUM, MOST_WEIGHT, OUTPUT_UNIT, UNIT,
};
use crate::selfplay::Sample;

/// Parts of a sum that are added up side by side, in an order that does not depend on the
/// processor.
const WIDTH: usize = 8;

/// What is learnt: a mixture of results and scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Target {
    /// Logarithm of the odds of winning for one centipawn.
    pub(super) slope: f32,
    /// Part of the result.
    pub(super) result_share: f32,
}

impl Target {
    /// The share of the points that a sample's side to move can expect.
    pub(super) fn of(self, sample: &Sample) -> f32 {
        let score = sigmoid(self.slope * f32::from(sample.score));
        let result = f32::from(sample.result) / 2.0;
        self.result_share * result + (1.0 - self.result_share) * score
    }
}

pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Parameters in one list: weights of the inputs by input, biases, weights by output (side to move,
/// other side), biases of the outputs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model {
    pub(super) hidden: usize,
    pub(super) parameters: Vec<f32>,
}

/// Parts of the list of parameters, or of a gradient.
#[derive(Debug)]
struct Parts<T> {
    inputs: T,
    bias: T,
    outputs: T,
    output_bias: T,
}

fn parts(list: &[f32], hidden: usize) -> Parts<&[f32]> {
    let (inputs, rest) = list.split_at(INPUTS * hidden);
    let (bias, rest) = rest.split_at(hidden);
    let (outputs, output_bias) = rest.split_at(2 * OUTPUTS * hidden);
    Parts {
        inputs,
        bias,
        outputs,
        output_bias,
    }
}

fn parts_mut(list: &mut [f32], hidden: usize) -> Parts<&mut [f32]> {
    let (inputs, rest) = list.split_at_mut(INPUTS * hidden);
    let (bias, rest) = rest.split_at_mut(hidden);
    let (outputs, output_bias) = rest.split_at_mut(2 * OUTPUTS * hidden);
    Parts {
        inputs,
        bias,
        outputs,
        output_bias,
    }
}

/// Memory for one position.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    /// By side: the side to move, the other one.
    inputs: [[u16; 32]; 2],
    pieces: usize,
    output: usize,
    sums: [Vec<f32>; 2],
}

impl Scratch {
    pub(super) fn new(hidden: usize) -> Self {
        Self {
            inputs: [[0; 32]; 2],
            pieces: 0,
            output: 0,
            sums: [vec![0.0; hidden], vec![0.0; hidden]],
        }
    }

    /// The inputs of a sample, seen by both sides.
    fn set(&mut self, sample: &Sample) {
        let turn = Color::from_white(!sample.black_to_move);
        let mut mirrored = [false; 2];
        for (square, piece) in sample.pieces() {
            if piece.role == Role::King {
                mirrored[usize::from(piece.color != turn)] = is_mirrored(square);
            }
        }
        self.pieces = 0;
        for (square, piece) in sample.pieces() {
            for (side, view) in [turn, !turn].into_iter().enumerate() {
                let number = input(view, mirrored[side], piece, square);
                self.inputs[side][self.pieces] = number as u16;
            }
            self.pieces += 1;
        }
        self.output = output_of(self.pieces);
    }
}

impl Model {
    /// Random parameters, of each output the same.
    pub(super) fn random(hidden: usize, seed: u64) -> Self {
        let mut rng = SplitMix64::new(seed);
        let mut uniform = |most: f32| {
            let unit = (rng.next_u64() >> 40) as f32 / (1u32 << 24) as f32;
            (2.0 * unit - 1.0) * most
        };
        let mut parameters = Vec::with_capacity(length(hidden));
        parameters.extend((0..INPUTS * hidden).map(|_| uniform(0.08)));
        parameters.extend((0..hidden).map(|_| 0.15 + uniform(0.1)));
        let most = (1.0 / hidden as f32).sqrt();
        let output: Vec<f32> = (0..2 * hidden).map(|_| uniform(most)).collect();
        parameters.extend(output.repeat(OUTPUTS));
        parameters.extend([0.0; OUTPUTS]);
        Self { hidden, parameters }
    }

    /// The parameters of a network, for predictions of which one unit is `scale` centipawns.
    pub(super) fn of(network: &Network, scale: i32) -> Self {
        let ([inputs, bias, outputs], output_bias) = network.weights();
        let stretch = network.scale() as f32 / scale as f32;
        let mut parameters = Vec::with_capacity(length(network.hidden()));
        let mut add = |list: &[i16], unit: i32, factor: f32| {
            parameters.extend(list.iter().map(|&w| factor * f32::from(w) / unit as f32));
        };
        add(inputs, UNIT, 1.0);
        add(bias, UNIT, 1.0);
        add(outputs, OUTPUT_UNIT, stretch);
        let unit = (UNIT * OUTPUT_UNIT) as f32;
        parameters.extend(output_bias.map(|bias| stretch * bias as f32 / unit));
        Self {
            hidden: network.hidden(),
            parameters,
        }
    }

    /// The logarithm of the odds of winning for the side to move, and the sums of the hidden layer
    /// in `scratch`.
    #[inline(always)]
    fn predict(&self, scratch: &mut Scratch) -> f32 {
        let hidden = self.hidden;
        let Parts {
            inputs,
            bias,
            outputs,
            output_bias,
        } = parts(&self.parameters, hidden);
        let output = &outputs[2 * hidden * scratch.output..][..2 * hidden];
        let mut total = [0.0; WIDTH];
        for side in 0..2 {
            let sums = &mut scratch.sums[side][..hidden];
            sums.copy_from_slice(bias);
            for &number in &scratch.inputs[side][..scratch.pieces] {
                let row = &inputs[usize::from(number) * hidden..][..hidden];
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum += weight;
                }
            }
            let weights = &output[side * hidden..][..hidden];
            let chunks = sums.as_chunks::<WIDTH>().0.iter();
            for (sums, weights) in chunks.zip(weights.as_chunks::<WIDTH>().0) {
                for i in 0..WIDTH {
                    let value = sums[i].clamp(0.0, 1.0);
                    total[i] += value * value * weights[i];
                }
            }
        }
        total.iter().sum::<f32>() + output_bias[scratch.output]
    }

    /// Adds the gradient of one sample's loss, whose derivative by the prediction is `slope`.
    #[inline(always)]
    fn propagate(&self, scratch: &Scratch, slope: f32, gradient: &mut [f32], change: &mut [f32]) {
        let hidden = self.hidden;
        let own = 2 * hidden * scratch.output..2 * hidden * (scratch.output + 1);
        let output = &parts(&self.parameters, hidden).outputs[own.clone()];
        let Parts {
            inputs,
            bias,
            outputs,
            output_bias,
        } = parts_mut(gradient, hidden);
        let output_gradient = &mut outputs[own];
        output_bias[scratch.output] += slope;
        for side in 0..2 {
            let sums = &scratch.sums[side][..hidden];
            let weights = &output[side * hidden..][..hidden];
            let out = &mut output_gradient[side * hidden..][..hidden];
            let change = &mut change[..hidden];
            for i in 0..hidden {
                let value = sums[i].clamp(0.0, 1.0);
                out[i] += slope * value * value;
                // The derivative of the activation is 0 at both ends.
                let inner = if value < 1.0 { 2.0 * value } else { 0.0 };
                change[i] = slope * weights[i] * inner;
            }
            for (g, c) in bias.iter_mut().zip(change.iter()) {
                *g += c;
            }
            for &number in &scratch.inputs[side][..scratch.pieces] {
                let row = &mut inputs[usize::from(number) * hidden..][..hidden];
                for (g, c) in row.iter_mut().zip(change.iter()) {
                    *g += c;
                }
            }
        }
    }

    /// The sum of the squared errors of samples.
    pub(super) fn loss(&self, samples: &[Sample], target: Target) -> f64 {
        dispatch::run(Pass {
            model: self,
            samples,
            target,
            gradient: None,
        })
    }

    /// The same; the gradient of the sum is added to `gradient`.
    pub(super) fn loss_and_gradient(
        &self,
        samples: &[Sample],
        target: Target,
        gradient: &mut [f32],
    ) -> f64 {
        dispatch::run(Pass {
            model: self,
            samples,
            target,
            gradient: Some(gradient),
        })
    }

    /// The largest absolute value of a parameter that a network can have.
    pub(super) fn limit(&self, parameter: usize) -> f32 {
        let hidden = self.hidden;
        let unit = UNIT as f32;
        if parameter < INPUTS * hidden {
            f32::from(MOST_WEIGHT) / unit
        } else if parameter < (INPUTS + 1) * hidden {
            f32::from(MOST_BIAS) / unit
        } else if parameter < length(hidden) - OUTPUTS {
            // Half of the limit of the sum, if all are equal, for large networks.
            let mean = MOST_OUTPUT_SUM as f32 / (2 * hidden) as f32;
            f32::from(MOST_OUTPUT).min(mean) / OUTPUT_UNIT as f32
        } else {
            100.0
        }
    }

    /// Rounds to a network; `scale` is centipawns in one unit of the prediction.
    pub(super) fn quantised(&self, scale: i32, origin: String) -> Result<Network, &'static str> {
        let Parts {
            inputs,
            bias,
            outputs,
            output_bias,
        } = parts(&self.parameters, self.hidden);
        let list = |values: &[f32], unit: i32| -> Vec<i16> {
            values
                .iter()
                .map(|v| (v * unit as f32).round() as i16)
                .collect()
        };
        Network::new(
            scale,
            origin,
            &list(inputs, UNIT),
            &list(bias, UNIT),
            &list(outputs, OUTPUT_UNIT),
            std::array::from_fn(|output| {
                (output_bias[output] * (UNIT * OUTPUT_UNIT) as f32).round() as i32
            }),
        )
    }

    /// The model with the rounded parameters of [`Self::quantised`].
    pub(super) fn rounded(&self) -> Self {
        let outputs = (INPUTS + 1) * self.hidden..length(self.hidden) - OUTPUTS;
        let round = |(i, v): (usize, &f32)| {
            let unit = if outputs.contains(&i) {
                OUTPUT_UNIT as f32
            } else {
                UNIT as f32
            };
            (v * unit).round() / unit
        };
        Self {
            hidden: self.hidden,
            parameters: self.parameters.iter().enumerate().map(round).collect(),
        }
    }
}

/// Number of parameters.
pub(super) fn length(hidden: usize) -> usize {
    (INPUTS + 1 + 2 * OUTPUTS) * hidden + OUTPUTS
}

/// Loss and, if asked for, gradient of some samples.
struct Pass<'a> {
    model: &'a Model,
    samples: &'a [Sample],
    target: Target,
    gradient: Option<&'a mut [f32]>,
}

impl Task for Pass<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(mut self) -> f64 {
        let mut scratch = Scratch::new(self.model.hidden);
        let mut change = vec![0.0; self.model.hidden];
        let mut loss = 0.0;
        for sample in self.samples {
            scratch.set(sample);
            let share = sigmoid(self.model.predict(&mut scratch));
            let error = share - self.target.of(sample);
            loss += f64::from(error) * f64::from(error);
            if let Some(gradient) = self.gradient.as_deref_mut() {
                let slope = 2.0 * error * share * (1.0 - share);
                self.model.propagate(&scratch, slope, gradient, &mut change);
            }
        }
        loss
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::position::Position;
    use crate::selfplay::GameResult;

    /// Quiet positions of random games, with a score that counts pieces.
    pub(in crate::train) fn material(number: usize) -> Vec<Sample> {
        let mut rng = SplitMix64::new(11);
        let mut found = Vec::new();
        while found.len() < number {
            let mut position = Position::default();
            for _ in 0..80 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let m = moves[rng.below(moves.len() as u64) as usize];
                let board = position.board();
                let count = |role, color| (board.by_role(role) & board.by_color(color)).count();
                let lead =
                    |role| count(role, Color::White) as i32 - count(role, Color::Black) as i32;
                let score = 100 * lead(Role::Pawn)
                    + 300 * (lead(Role::Knight) + lead(Role::Bishop))
                    + 500 * lead(Role::Rook)
                    + 900 * lead(Role::Queen);
                found.extend(Sample::of(&position, m, score, GameResult::Draw));
                position = position.play(m);
            }
        }
        found.truncate(number);
        found
    }

    pub(in crate::train) const TARGET: Target = Target {
        slope: 0.004,
        result_share: 0.0,
    };

    /// Each part of the gradient is the slope of the loss, by central differences.
    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let model = Model::random(64, 5);
        let samples = &material(60)[..];
        let mut gradient = vec![0.0; length(64)];
        model.loss_and_gradient(samples, TARGET, &mut gradient);
        // The largest parts of each kind of parameter, and some others.
        let mut rng = SplitMix64::new(2);
        let bounds = [0, 768 * 64, 769 * 64, 785 * 64, 785 * 64 + 8];
        for range in bounds.windows(2) {
            let mut chosen: Vec<usize> = (range[0]..range[1]).collect();
            chosen.sort_by(|&a, &b| gradient[b].abs().total_cmp(&gradient[a].abs()));
            chosen.truncate(20);
            for _ in 0..20 {
                chosen.push(range[0] + rng.below((range[1] - range[0]) as u64) as usize);
            }
            for i in chosen {
                let step = 2e-3;
                let moved = |by: f32| {
                    let mut other = model.clone();
                    other.parameters[i] += by;
                    other.loss(samples, TARGET)
                };
                let slope = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
                let off = (slope - f64::from(gradient[i])).abs();
                assert!(
                    off < 2e-3 + 0.01 * slope.abs(),
                    "{i}: {slope} {}",
                    gradient[i]
                );
            }
        }
    }

    /// The code for newer processors gives the bits of the code for all.
    #[test]
    fn every_processor_computes_the_same_gradient() {
        let model = Model::random(64, 6);
        let samples = &material(50)[..];
        let [newer, older] = [true, false].map(|newer| {
            let mut gradient = vec![0.0; length(64)];
            let pass = Pass {
                model: &model,
                samples,
                target: TARGET,
                gradient: Some(&mut gradient),
            };
            let loss = if newer {
                dispatch::run(pass)
            } else {
                pass.run()
            };
            let bits: Vec<u32> = gradient.iter().map(|g| g.to_bits()).collect();
            (loss.to_bits(), bits)
        });
        assert_eq!(newer, older);
    }
}
