//! The steps of a training run.

use std::sync::{Mutex, PoisonError};

use everymove_kernel::files::Storage;
use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Work};

use super::adam::Adam;
use super::checkpoint::{self, State};
use super::model::{Model, Target, length, sigmoid};
use super::source::Source;
use super::{Losses, Plan, Trained};
use crate::error::TrainError;
use crate::eval::network::features::{OUTPUTS, output_of};
use crate::eval::{LANE, MOST_HIDDEN};
use crate::selfplay::Sample;

/// Positions of a step.
const BATCH: usize = 4096;
/// A batch is cut into this many parts on any number of threads, whose gradients are added in
/// order.
const PARTS: usize = 8;
/// The learning rate at the end, as a share of that at the start.
const LAST_RATE: f32 = 0.01;
/// Positions from which the slope of the target is fitted.
const FITTED: usize = 1 << 17;
/// The fewest positions to train on.
const LEAST: u64 = 1000;

pub(super) fn fit(
    plan: &Plan,
    data: &dyn Storage,
    checkpoint: Option<&dyn Storage>,
    run: &Run,
) -> Result<Trained, TrainError> {
    let hidden = plan.hidden;
    if hidden == 0 || hidden > MOST_HIDDEN || !hidden.is_multiple_of(LANE) {
        return Err(TrainError::Hidden(hidden));
    }
    let found = plan.start.as_ref().map(|start| start.hidden());
    if let Some(found) = found.filter(|&found| found != hidden) {
        return Err(TrainError::Start { found, hidden });
    }
    let buffers = (PARTS * BATCH + FITTED) * size_of::<Sample>();
    let lists = (PARTS + 6) * length(hidden) * size_of::<f32>() + buffers;
    let _held = run.ram.reserve("the gradients", lists as u64)?;
    let source = Source::open(data, run)?;
    let [learnt, held_out] = source.positions;
    if learnt < LEAST {
        return Err(TrainError::TooFew { learnt, held_out });
    }
    let target = Target {
        slope: slope(&source, run)?,
        result_share: plan.result_share,
    };
    let scale = (1.0 / target.slope).round() as i32;
    let model = match &plan.start {
        Some(network) => Model::of(network, scale),
        None => Model::random(hidden, plan.seed),
    };
    let mut state = State {
        adam: Adam::new(length(hidden)),
        losses: Vec::new(),
        model,
    };
    let question = question(plan, &source);
    if let Some(storage) = checkpoint {
        state = checkpoint::load(storage, &question, &state)?.unwrap_or(state);
    }
    let limits: Vec<f32> = (0..length(hidden)).map(|i| state.model.limit(i)).collect();
    let total = u64::from(plan.epochs) * learnt;
    run.progress.start("training", total);
    run.progress.advance(state.losses.len() as u64 * learnt);
    let first = state.losses.len() as u32;
    let mut gradients = Gradients::new(hidden);
    for epoch in first..plan.epochs {
        let mut samples = source.shuffled(plan.seed ^ u64::from(epoch + 1) << 32)?;
        let mut batch = Vec::with_capacity(BATCH);
        let (mut loss, mut done) = (0.0, 0u64);
        loop {
            batch.clear();
            for sample in samples.by_ref().take(BATCH) {
                batch.push(sample?);
            }
            if batch.is_empty() {
                break;
            }
            loss += gradients.of(&state.model, &batch, target, run)?;
            let share = (u64::from(epoch) * learnt + done) as f32 / total as f32;
            let falling = 0.5 * (1.0 + (std::f32::consts::PI * share).cos());
            let rate = plan.rate * (LAST_RATE + (1.0 - LAST_RATE) * falling);
            let parameters = &mut state.model.parameters;
            state.adam.step(parameters, gradients.sum(), &limits, rate);
            done += batch.len() as u64;
            run.progress.advance(batch.len() as u64);
        }
        state.losses.push(Losses {
            training: loss / learnt as f64,
            validation: validation(&state.model, &source, target, run)?.mean(),
        });
        if let Some(storage) = checkpoint {
            checkpoint::save(storage, &question, &state)?;
        }
    }
    let quantised = validation(&state.model.rounded(), &source, target, run)?;
    let quantised_loss = quantised.mean();
    let (option, before) = match &plan.start {
        Some(network) => (
            " --start NETWORK",
            format!("; NETWORK: {}", network.origin()),
        ),
        None => ("", String::new()),
    };
    let origin = format!(
        "{question}; loss on {held_out} positions held out: {quantised_loss:.6}; command: everymove engine train --hidden {hidden} \
         --epochs {} --result-share {} --rate {} --seed {}{option}{before}",
        plan.epochs, plan.result_share, plan.rate, plan.seed
    );
    Ok(Trained {
        network: (state.model.quantised(scale, origin)).map_err(TrainError::Weights)?,
        constant_loss: constant_loss(&source, target)?,
        losses: state.losses,
        quantised_loss,
        quantised_losses: quantised.by_output(),
        positions: source.positions,
        games: source.games,
        work: Work::of("positions", u64::from(plan.epochs - first) * learnt),
    })
}

/// Plan and data in words: what a checkpoint must agree with.
fn question(plan: &Plan, source: &Source<'_>) -> String {
    let [learnt, held_out] = source.positions;
    let nodes = match source.nodes {
        [least, most] if least == most => format!("{least}"),
        [least, most] => format!("{least} to {most}"),
    };
    let from = plan.start.as_ref().map_or(String::new(), |network| {
        format!(", from network {:08x}", network.checksum())
    });
    format!(
        "{} hidden units, {} epochs, result share {}, rate {}, seed {}{from}; {learnt} + {held_out} positions of {} own games with {nodes} nodes a move",
        plan.hidden, plan.epochs, plan.result_share, plan.rate, plan.seed, source.games
    )
}

/// The gradients of the parts of a batch.
struct Gradients {
    parts: Vec<Mutex<Vec<f32>>>,
    sum: Vec<f32>,
}

impl Gradients {
    fn new(hidden: usize) -> Self {
        let zeros = || vec![0.0; length(hidden)];
        Self {
            parts: (0..PARTS).map(|_| Mutex::new(zeros())).collect(),
            sum: zeros(),
        }
    }

    /// Computes the mean gradient of a batch, and returns the sum of its losses.
    fn of(
        &mut self,
        model: &Model,
        batch: &[Sample],
        target: Target,
        run: &Run,
    ) -> Result<f64, TrainError> {
        let ranges: Vec<_> = parallel::ranges(batch.len(), PARTS).collect();
        let used = ranges.len();
        let parts = &self.parts;
        let losses = parallel::map(
            run,
            ranges.into_iter().enumerate(),
            || (),
            |(), (i, range)| {
                let mut gradient = parts[i].lock().unwrap_or_else(PoisonError::into_inner);
                gradient.fill(0.0);
                model.loss_and_gradient(&batch[range], target, &mut gradient)
            },
        )?;
        let share = 1.0 / batch.len() as f32;
        self.sum.fill(0.0);
        for part in &mut self.parts[..used] {
            let part = part.get_mut().unwrap_or_else(PoisonError::into_inner);
            for (sum, g) in self.sum.iter_mut().zip(part.iter()) {
                *sum += share * g;
            }
        }
        Ok(losses.iter().sum())
    }

    fn sum(&self) -> &[f32] {
        &self.sum
    }
}

/// The sum of losses and the number of positions, by output.
struct ByOutput([(f64, f64); OUTPUTS]);

impl ByOutput {
    fn mean(&self) -> f64 {
        let sum = |part: fn(&(f64, f64)) -> f64| self.0.iter().map(part).sum::<f64>();
        sum(|of| of.0) / sum(|of| of.1).max(1.0)
    }

    fn by_output(&self) -> Vec<Option<f64>> {
        let mean = |&(loss, number): &(f64, f64)| (number > 0.0).then(|| loss / number);
        self.0.iter().map(mean).collect()
    }
}

/// The losses on the positions held out.
fn validation(
    model: &Model,
    source: &Source<'_>,
    target: Target,
    run: &Run,
) -> Result<ByOutput, TrainError> {
    let mut held = source.held_out()?;
    let mut found = ByOutput([(0.0, 0.0); OUTPUTS]);
    let output = |sample: &Sample| output_of(sample.men());
    loop {
        let some = held.by_ref().take(PARTS * BATCH);
        let mut some: Vec<Sample> = some.collect::<Result<_, _>>()?;
        if some.is_empty() {
            return Ok(found);
        }
        some.sort_by_key(output);
        let alike = some.chunk_by(|a, b| output(a) == output(b));
        let chunks: Vec<_> = alike.flat_map(|alike| alike.chunks(BATCH)).collect();
        let all = chunks.iter().copied();
        let losses = parallel::map(run, all, || (), |(), chunk| model.loss(chunk, target))?;
        for (chunk, loss) in chunks.into_iter().zip(losses) {
            let of = &mut found.0[output(&chunk[0])];
            of.0 += loss;
            of.1 += chunk.len() as f64;
        }
    }
}

/// The variance of the targets of the positions held out.
fn constant_loss(source: &Source<'_>, target: Target) -> Result<f64, TrainError> {
    let (mut sum, mut squares, mut number) = (0.0, 0.0, 0.0);
    for sample in source.held_out()? {
        let share = f64::from(target.of(&sample?));
        sum += share;
        squares += share * share;
        number += 1.0;
    }
    let mean: f64 = sum / f64::max(number, 1.0);
    Ok(squares / f64::max(number, 1.0) - mean * mean)
}

/// The slope of the logistic curve from scores to results, by trial on the first of the positions
/// held out: it keeps the unit of a centipawn.
fn slope(source: &Source<'_>, run: &Run) -> Result<f32, TrainError> {
    let held = source.held_out()?.take(FITTED);
    let held: Vec<Sample> = held.collect::<Result<_, _>>()?;
    let error = |slope: f32| -> f64 {
        let square = |s: &Sample| {
            let expected = sigmoid(slope * f32::from(s.score));
            f64::from(expected - f32::from(s.result) / 2.0).powi(2)
        };
        held.iter().map(square).sum()
    };
    let mut best = (f64::INFINITY, 0.005);
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use everymove_kernel::files::{Memory, publish};
    use everymove_kernel::run::Ram;

    use super::super::model::tests::{TARGET, material};
    use super::*;
    use crate::eval::Network;
    use crate::selfplay;

    fn data(positions: u64) -> Memory {
        let storage = Memory::default();
        let plan = selfplay::Plan {
            positions,
            nodes: 40,
            seed: 1,
            ..selfplay::Plan::default()
        };
        selfplay::generate(&storage, &plan, &Run::serial()).unwrap();
        storage
    }

    fn bytes(trained: &Trained) -> Vec<u8> {
        let storage = Memory::default();
        publish(&storage, "net", |draft| trained.network.write(draft)).unwrap();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut storage.open("net").unwrap(), &mut bytes).unwrap();
        bytes
    }

    /// One seed gives one file: with two threads, after an interruption, and with positions read
    /// from the files in each epoch alike.
    #[test]
    fn training_repeats_to_the_byte() {
        let data = data(3000);
        let plan = Plan {
            epochs: 3,
            hidden: 64,
            ..Plan::default()
        };
        let fitted = |plan: &Plan, checkpoint: Option<&dyn Storage>, threads| {
            let run = Run::serial().with_threads(threads);
            fit(plan, &data, checkpoint, &run)
        };
        let one = fitted(&plan, None, 1).unwrap();
        assert_eq!(bytes(&one), bytes(&fitted(&plan, None, 2).unwrap()));
        let other = Plan {
            seed: 2,
            ..plan.clone()
        };
        assert_ne!(bytes(&one), bytes(&fitted(&other, None, 1).unwrap()));

        // A stop after the first epoch.
        let saved = Memory::default();
        let run = Run::serial();
        std::thread::scope(|scope| {
            let training = scope.spawn(|| fit(&plan, &data, Some(&saved), &run));
            while saved.open("training.state").is_err() && !training.is_finished() {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            run.stop.raise();
            let _ = training.join().unwrap();
        });
        let resumed = fitted(&plan, Some(&saved), 1).unwrap();
        assert_eq!(bytes(&one), bytes(&resumed));
        assert_eq!(one.losses, resumed.losses);
        let refused = fitted(&other, Some(&saved), 1).unwrap_err();
        assert!(
            refused.to_string().contains("another training"),
            "{refused}"
        );
    }

    /// A network is learnt further: the first loss is below that of random weights, and its file
    /// says what came before.
    #[test]
    fn a_network_is_trained_further() {
        let data = data(3000);
        let plan = Plan {
            epochs: 3,
            hidden: 64,
            ..Plan::default()
        };
        let first = fit(&plan, &data, None, &Run::serial()).unwrap();
        let further = Plan {
            start: Some(Arc::new(first.network.clone())),
            ..plan.clone()
        };
        let second = fit(&further, &data, None, &Run::serial()).unwrap();
        let [random, rounded] = [&first, &second].map(|trained| trained.losses[0].training);
        assert!(rounded < random, "{random} {rounded}");
        assert_eq!(second.network.origin().matches("command: ").count(), 2);

        let wider = Plan {
            hidden: 128,
            ..further
        };
        let refused = fit(&wider, &data, None, &Run::serial()).unwrap_err();
        assert!(
            refused.to_string().contains("expected one of 128"),
            "{refused}"
        );
    }

    /// Weights taken from a network and rounded again are its weights.
    #[test]
    fn a_model_of_a_network_rounds_to_it() {
        let network = Network::shipped();
        let model = Model::of(&network, network.scale());
        let again = model.quantised(network.scale(), network.origin().to_owned());
        assert!(again.unwrap() == *network);
    }

    /// Without memory for all positions they are read from the files in every epoch, and the result
    /// is a network as well.
    #[test]
    fn a_small_budget_suffices() {
        let data = data(3000);
        let plan = Plan {
            epochs: 2,
            hidden: 64,
            ..Plan::default()
        };
        let buffers = (PARTS * BATCH + FITTED) * size_of::<Sample>();
        let lists = ((PARTS + 6) * length(64) * 4 + buffers) as u64;
        let small = Run::new(1, Ram::limited(lists + 40_000));
        let trained = fit(&plan, &data, None, &small).unwrap();
        let ample = fit(&plan, &data, None, &Run::serial()).unwrap();
        assert_eq!(trained.positions, ample.positions);
        for losses in [trained.losses, ample.losses] {
            assert!(losses[1].training < losses[0].training, "{losses:?}");
        }
        let smaller = Run::new(1, Ram::limited(lists - 1));
        let refused = fit(&plan, &data, None, &smaller).unwrap_err();
        assert!(matches!(refused, TrainError::OverBudget(_)), "{refused}");
    }

    /// The network learns to count pieces.
    #[test]
    fn the_loss_falls_on_a_synthetic_target() {
        let samples = &material(2000)[..];
        let mut model = Model::random(64, 1);
        let mut adam = Adam::new(length(64));
        let mut gradients = Gradients::new(64);
        let limits: Vec<f32> = (0..length(64)).map(|i| model.limit(i)).collect();
        let before = model.loss(samples, TARGET);
        for _ in 0..20 {
            for batch in samples.chunks(200) {
                gradients.of(&model, batch, TARGET, &Run::serial()).unwrap();
                adam.step(&mut model.parameters, gradients.sum(), &limits, 0.003);
            }
        }
        let after = model.loss(samples, TARGET);
        assert!(after < before / 4.0, "{before} -> {after}");
        let rounded = model.rounded().loss(samples, TARGET);
        assert!(rounded < 1.3 * after, "{after} -> {rounded}");
    }

    #[test]
    fn impossible_plans_are_refused() {
        let data = data(100);
        let fitted = |hidden| {
            let plan = Plan {
                hidden,
                ..Plan::default()
            };
            let refused = fit(&plan, &data, None, &Run::serial()).unwrap_err();
            refused.to_string()
        };
        assert!(fitted(100).starts_with("100 hidden units"));
        assert!(fitted(64).contains("expected at least 1000"));
    }
}
