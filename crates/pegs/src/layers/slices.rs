//! Parts of layers and of slices, for jobs that each write to their own.

use std::ops::Range;

use everymove_kernel::run::Run;

use crate::layers::layout::Span;

/// Jobs per thread: enough that uneven jobs even out, few enough that taking one costs nothing.
const JOBS_PER_THREAD: usize = 32;

/// Words of a job at most: a run that is stopped ends soon.
const MOST_WORDS: usize = 1 << 16;

/// Words of a job at least, where there are as many.
const LEAST_WORDS: usize = 64;

/// The heads of each job on a span: runs of about equally many words.
pub(crate) fn jobs(span: &Span, run: &Run) -> Vec<Range<usize>> {
    let parts = JOBS_PER_THREAD * run.threads.get();
    let words = span.words().div_ceil(parts).clamp(LEAST_WORDS, MOST_WORDS);
    span.windows(words).map(|window| window.heads).collect()
}

/// Cuts a slice at the given lengths.
pub(crate) fn split_lengths<T>(
    mut rest: &mut [T],
    lengths: impl Iterator<Item = usize>,
) -> Vec<&mut [T]> {
    lengths
        .map(|length| {
            let (first, more) = std::mem::take(&mut rest).split_at_mut(length);
            rest = more;
            first
        })
        .collect()
}
