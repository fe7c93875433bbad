//! AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019).

use everymove_kernel::dispatch::{self, Task};

const FIRST: f32 = 0.9;
const SECOND: f32 = 0.999;
const SMALL: f32 = 1e-8;
/// Part of a parameter that is taken away in a step of rate 1.
const DECAY: f32 = 0.01;

/// The state of the optimiser: running means of each gradient and of its square.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Adam {
    pub(super) mean: Vec<f32>,
    pub(super) square: Vec<f32>,
    pub(super) steps: u32,
}

impl Adam {
    pub(super) fn new(length: usize) -> Self {
        Self {
            mean: vec![0.0; length],
            square: vec![0.0; length],
            steps: 0,
        }
    }

    /// Moves the parameters against the gradient, each within its limit.
    pub(super) fn step(
        &mut self,
        parameters: &mut [f32],
        gradient: &[f32],
        limits: &[f32],
        rate: f32,
    ) {
        self.steps += 1;
        let power = |base: f32| 1.0 - f64::from(base).powi(self.steps as i32) as f32;
        dispatch::run(Step {
            parameters,
            gradient,
            limits,
            mean: &mut self.mean,
            square: &mut self.square,
            rate,
            first: power(FIRST),
            second: power(SECOND),
        });
    }
}

struct Step<'a> {
    parameters: &'a mut [f32],
    gradient: &'a [f32],
    limits: &'a [f32],
    mean: &'a mut [f32],
    square: &'a mut [f32],
    rate: f32,
    /// Corrections of the means, which start at 0.
    first: f32,
    second: f32,
}

impl Task for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let length = self.parameters.len();
        let (gradient, limits) = (&self.gradient[..length], &self.limits[..length]);
        let (mean, square) = (&mut self.mean[..length], &mut self.square[..length]);
        for i in 0..length {
            let g = gradient[i];
            mean[i] = FIRST * mean[i] + (1.0 - FIRST) * g;
            square[i] = SECOND * square[i] + (1.0 - SECOND) * g * g;
            let step = mean[i] / self.first / ((square[i] / self.second).sqrt() + SMALL);
            let moved = self.parameters[i] - self.rate * (step + DECAY * self.parameters[i]);
            self.parameters[i] = moved.clamp(-limits[i], limits[i]);
        }
    }
}
