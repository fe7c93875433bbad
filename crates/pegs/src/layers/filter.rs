//! The positions of a layer that have a step into a set.

use std::ops::ControlFlow;
use std::sync::Arc;

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use super::layout::{ClassLayers, Layer, Span};
use super::slices::{JOBS_PER_THREAD, split_lengths};
use super::split::Part;
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
    let start = || SuccessorTable::new(class_layers.split(), steps, Span::whole(&into.layout));
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
                kept[at - first] |=
                    with_step(from.words[at], tails, successors, |index| into.bit(index));
            }
        }
    })?;
    Ok(kept)
}

/// The positions of a word, given by its bits and their tails, with a step into a set.
#[inline(always)]
pub(crate) fn with_step<const W: usize>(
    word: u64,
    tails: &[Part],
    successors: &SuccessorTable<'_, W>,
    has: impl Fn(usize) -> bool,
) -> u64 {
    let mut kept = 0;
    for bit in Bits(word) {
        let found = successors.each(tails[bit], |index| match has(index) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        kept |= u64::from(found.is_break()) << bit;
    }
    kept
}
