//! Fits weights to results: logistic regression with Adam (Kingma and Ba, 2015).

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Run, Stopped};

use super::games::Sample;
use super::plan::Plan;
use crate::eval::terms::COUNT;
use crate::eval::{Pair, Weights};

/// The part of the target that is the game's result; the rest is the search's score.
const RESULT_SHARE: f32 = 0.5;
const BATCH: usize = 2048;
/// One stretch of positions in this many is held out of the fit and measures it.
const HELD_OUT: usize = 10;
/// Learning rate at the start: centipawns a step, at most.
const RATE: f32 = 0.5;
/// Strength of the regularisation towards the start weights, which bounds the weights of rare terms.
const TIE: f32 = 2e-7;

pub(super) struct Fitted {
    pub(super) weights: Weights,
    pub(super) error: [f64; 2],
}

/// Middlegame weights, then ending weights.
type Vector = Vec<f32>;

pub(super) fn fit(plan: &Plan, samples: &[Sample], run: &Run) -> Result<Fitted, Stopped> {
    run.progress.start("fitting", u64::from(plan.epochs));
    let start = vector(&plan.start);
    let (mut seen, mut held): (Vec<&Sample>, Vec<&Sample>) = (Vec::new(), Vec::new());
    for (i, sample) in samples.iter().enumerate() {
        // Consecutive positions of a game are similar: whole stretches are held out, not single positions.
        let stretch = i / 400;
        if stretch % HELD_OUT == 0 {
            &mut held
        } else {
            &mut seen
        }
        .push(sample);
    }
    let scale = scale(&seen, run)?;
    let mut weights = start.clone();
    let before = error(&weights, &held, scale);
    let mut adam = Adam::new(weights.len());
    let mut rng = SplitMix64::new(plan.seed);
    for epoch in 0..plan.epochs {
        rng.shuffle(&mut seen);
        let rate = RATE * (1.0 - epoch as f32 / plan.epochs as f32);
        for batch in seen.chunks(BATCH) {
            run.stop.check()?;
            let mut gradient = gradient(&weights, batch, scale);
            for (g, (w, s)) in gradient.iter_mut().zip(weights.iter().zip(&start)) {
                *g += TIE * (w - s);
            }
            adam.step(&mut weights, &gradient, rate);
        }
        run.progress.advance(1);
    }
    let after = error(&weights, &held, scale);
    Ok(Fitted {
        weights: rounded(&weights),
        error: [before, after],
    })
}

fn vector(weights: &Weights) -> Vector {
    let middlegame = (0..COUNT).map(|i| weights[i].middlegame() as f32);
    let ending = (0..COUNT).map(|i| weights[i].ending() as f32);
    middlegame.chain(ending).collect()
}

fn rounded(vector: &[f32]) -> Weights {
    let whole = |x: f32| (x.round() as i32).clamp(-3999, 3999);
    Weights::from_fn(|i| Pair::new(whole(vector[i]), whole(vector[COUNT + i])))
}

/// The shares in which a sample's terms count, middlegame and ending.
fn shares(sample: &Sample) -> (f32, f32) {
    let middlegame = sample.trace.middlegame;
    (middlegame, (1.0 - middlegame) * sample.trace.scale_factor)
}

fn evaluate(weights: &[f32], sample: &Sample) -> f32 {
    let (middlegame, ending) = shares(sample);
    let worth = |&(term, n): &(u16, i16)| {
        let i = usize::from(term);
        f32::from(n) * (middlegame * weights[i] + ending * weights[COUNT + i])
    };
    sample.trace.counts.iter().map(worth).sum()
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

fn target(sample: &Sample, scale: f32) -> f32 {
    RESULT_SHARE * sample.result + (1.0 - RESULT_SHARE) * sigmoid(scale * sample.score)
}

fn error(weights: &[f32], samples: &[&Sample], scale: f32) -> f64 {
    let square = |s: &&Sample| {
        let off = sigmoid(scale * evaluate(weights, s)) - target(s, scale);
        f64::from(off * off)
    };
    samples.iter().map(square).sum::<f64>() / samples.len().max(1) as f64
}

/// The slope of the logistic curve from search scores to results, by trial: it keeps the unit of a centipawn.
fn scale(samples: &[&Sample], run: &Run) -> Result<f32, Stopped> {
    let error = |scale: f32| -> f64 {
        let square = |s: &&Sample| f64::from((sigmoid(scale * s.score) - s.result).powi(2));
        samples.iter().map(square).sum()
    };
    let mut best = (f64::INFINITY, 0.006);
    for i in 4..40 {
        run.stop.check()?;
        let candidate = i as f32 * 0.0005;
        let squares = error(candidate);
        if squares < best.0 {
            best = (squares, candidate);
        }
    }
    Ok(best.1)
}

fn gradient(weights: &[f32], batch: &[&Sample], scale: f32) -> Vector {
    let mut gradient = vec![0.0; weights.len()];
    for sample in batch {
        let p = sigmoid(scale * evaluate(weights, sample));
        let slope = 2.0 * (p - target(sample, scale)) * p * (1.0 - p) * scale / batch.len() as f32;
        let (middlegame, ending) = shares(sample);
        for &(term, n) in &sample.trace.counts {
            let i = usize::from(term);
            gradient[i] += slope * f32::from(n) * middlegame;
            gradient[COUNT + i] += slope * f32::from(n) * ending;
        }
    }
    gradient
}

struct Adam {
    mean: Vector,
    square: Vector,
    steps: i32,
}

impl Adam {
    fn new(len: usize) -> Self {
        Self {
            mean: vec![0.0; len],
            square: vec![0.0; len],
            steps: 0,
        }
    }

    fn step(&mut self, weights: &mut [f32], gradient: &[f32], rate: f32) {
        const MEAN: f32 = 0.9;
        const SQUARE: f32 = 0.999;
        self.steps += 1;
        let unbias = |decay: f32, steps: i32| 1.0 - decay.powi(steps);
        let (m, s) = (unbias(MEAN, self.steps), unbias(SQUARE, self.steps));
        for (i, &g) in gradient.iter().enumerate() {
            self.mean[i] = MEAN * self.mean[i] + (1.0 - MEAN) * g;
            self.square[i] = SQUARE * self.square[i] + (1.0 - SQUARE) * g * g;
            weights[i] -= rate * (self.mean[i] / m) / ((self.square[i] / s).sqrt() + 1e-9);
        }
    }
}
