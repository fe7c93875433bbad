//! The positions of a layer that have a step into a set.

use std::ops::ControlFlow;
use std::sync::Arc;

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use super::layout::{ClassLayers, Layer};
use super::slices::{JOBS_PER_THREAD, split_lengths};
use super::successors::{Steps, SuccessorTable};
use crate::error::PegError;
use crate::position::Bits;

/// The positions of `from` with at least one step into `into`.
///
/// # Errors
/// [`PegError::OverBudget`] if the result does not fit, [`PegError::Stopped`].
pub(crate) fn filter_layer<const W: usize>(
    class_layers: &ClassLayers,
    from: &Layer,
    steps: &Steps<W>,
    into: &Layer,
    run: &Run,
) -> Result<Layer, PegError> {
    let mut kept = Layer::empty(Arc::clone(&from.layout), &run.ram)?;
    let cuts = from.layout.cut(JOBS_PER_THREAD * run.threads.get());
    let lengths = cuts
        .iter()
        .map(|heads| from.layout.start(heads.end) - from.layout.start(heads.start));
    let parts = split_lengths(&mut kept.words, lengths);
    let jobs = cuts.iter().cloned().zip(parts);
    let start = || SuccessorTable::new(class_layers.split(), steps, &into.layout);
    parallel::for_each(run, jobs, start, |successors, (heads, kept)| {
        let first = from.layout.start(heads.start);
        for id in heads {
            let range = from.layout.range(id);
            if from.words[range.clone()].iter().all(|&word| word == 0) {
                continue;
            }
            successors.take(id);
            let tails = class_layers.group(id, from.pegs()).chunks(64);
            for (at, tails) in range.zip(tails) {
                for bit in Bits(from.words[at]) {
                    let found = successors.each(tails[bit], |index| match into.bit(index) {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    });
                    kept[at - first] |= u64::from(found.is_break()) << bit;
                }
            }
        }
    })?;
    Ok(kept)
}
