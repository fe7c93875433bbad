//! How many sets of edges lead to a degree vector: the transfer without matchings.
//!
//! Cycles may close at any time here, so the weight of a degree vector is at least the sum of its
//! block. That makes weights good for two things: upper bounds of counts, and estimates of how full
//! blocks will be.

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use crate::frontier::FrontierError;
use crate::frontier::step::Step;
use crate::frontier::step::plan::Phase;
use crate::frontier::vectors::degrees::Degrees;
use crate::frontier::vectors::index::Index;
use crate::frontier::vectors::live::{List, Live, PART};

/// The weights of the last layer's degree vectors, given those of the first layer; `each` sees the
/// degree vectors and weights of every layer after a step, with the number of the step.
pub(crate) fn transfer<L: List>(
    start: Vec<f64>,
    steps: &[Step],
    layers: &[L],
    run: &Run,
    mut each: impl FnMut(usize, &[Degrees], &[f64]) -> Result<(), FrontierError>,
) -> Result<Vec<f64>, FrontierError> {
    let mut weights = start;
    for (i, step) in steps.iter().enumerate() {
        run.stop.check()?;
        let (from, after) = (layers[i].open(run)?, layers[i + 1].open(run)?);
        let weights_held = 8 * (from.len() + after.len()) as u64;
        let bytes = Index::bytes(step.slots_in, None) + weights_held;
        let _held = run
            .ram
            .reserve("counting: the weights of degree vectors", bytes)?;
        let index = Index::new(&from, step.slots_in, None, run)?;
        let before = &weights;
        let into = |degrees: Degrees| {
            let mut sum = 0.0;
            step.for_each_before(degrees, |from, _| {
                sum += index.position(from).map_or(0.0, |p| before[p]);
            });
            sum
        };
        let weight = |&degrees: &Degrees| {
            let fold = step.fold.as_ref();
            let image = fold.map_or(degrees, |fold| fold.mirror.apply(degrees));
            into(degrees) + if image == degrees { 0.0 } else { into(image) }
        };
        let mut next = vec![0.0; after.len()];
        let parts = next.chunks_mut(PART).zip(after.chunks(PART));
        parallel::for_each(
            run,
            parts,
            || (),
            |(), (weights, part)| {
                for (to, degrees) in weights.iter_mut().zip(part) {
                    *to = weight(degrees);
                }
            },
        )?;
        weights = next;
        each(i, &after, &weights)?;
    }
    Ok(weights)
}

/// The weights of a half's degree vectors before its first step, given those of the last common
/// layer.
pub(crate) fn branch_weights<L: List>(
    live: &Live<L>,
    branch: &[f64],
    half: Phase,
    run: &Run,
) -> Result<Vec<f64>, FrontierError> {
    let all = live.common[live.common.len() - 1].open(run)?;
    let weight = |d| all.binary_search(d).map_or(0.0, |i| branch[i]);
    Ok(live[half][0].open(run)?.iter().map(weight).collect())
}
