//! The positions of a layer that have a step into a set.

use std::ops::ControlFlow;

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use crate::error::PegError;
use crate::layers::layout::{ClassLayers, Span};
use crate::layers::slices::{jobs, split_lengths};
use crate::layers::split::Part;
use crate::layers::successors::{Steps, SuccessorTable};
use crate::position::Bits;

/// Sets in `kept` the bits of the positions of `from` with at least one step into `into`. Both are
/// the heads that are in memory and their words; `kept` has the heads of `from`, and what is set
/// there already is not examined again.
///
/// # Errors
/// [`PegError::Stopped`].
pub(crate) fn filter_into<const W: usize>(
    class_layers: &ClassLayers,
    (span, words): (&Span, &[u64]),
    steps: &Steps<W>,
    (into, set): (&Span, &[u64]),
    kept: &mut [u64],
    run: &Run,
) -> Result<(), PegError> {
    let cuts = jobs(span, run);
    let lengths = cuts
        .iter()
        .map(|heads| span.start(heads.end) - span.start(heads.start));
    let jobs = cuts.iter().cloned().zip(split_lengths(kept, lengths));
    let start = || SuccessorTable::new(class_layers.split(), steps, into.clone());
    let has = |index: usize| set[index >> 6] >> (index & 63) & 1 == 1;
    parallel::for_each(run, jobs, start, |successors, (heads, kept)| {
        let first = span.start(heads.start);
        for id in heads {
            let range = span.range(id);
            if words[range.clone()].iter().all(|&word| word == 0) {
                continue;
            }
            successors.take(id);
            if successors.is_empty() {
                continue;
            }
            let tails = class_layers.group(id, span.layout.pegs).chunks(64);
            for (at, tails) in range.zip(tails) {
                let kept = &mut kept[at - first];
                *kept |= with_step(words[at] & !*kept, tails, successors, has);
            }
        }
    })?;
    Ok(())
}

/// The positions of a word, given by its bits and their tails, with a step into a set.
#[inline(always)]
fn with_step<const W: usize>(
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
