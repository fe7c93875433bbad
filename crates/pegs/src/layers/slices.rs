//! Parts of slices, for jobs that each write to their own.

/// Jobs per thread: enough that uneven jobs even out, few enough that taking one costs nothing.
pub(crate) const JOBS_PER_THREAD: usize = 32;

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
