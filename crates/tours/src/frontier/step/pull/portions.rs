//! The jobs of a step: which blocks a thread computes at a time.

use everymove_kernel::run::{Run, Stopped};

use crate::frontier::states::block::{BlockRef, Cell};
use crate::frontier::states::matching::{MAX_ENDPOINTS, matchings};
use crate::frontier::step::Step;
use crate::frontier::step::pull::listed::entries;
use crate::frontier::vectors::degrees::{Degrees, masks};
use crate::frontier::vectors::live::in_ranges;

/// The work of a portion, in units of about a nanosecond.
const PORTION: u64 = 500_000;

/// The work of a block besides its matchings, and of each matching.
const BLOCK_WORK: u64 = 500;
const MATCHING_WORK: u64 = 1;

/// The jobs of a step: first the largest blocks one by one, then the others in portions of about
/// the same work.
pub(crate) struct Portions<'a> {
    /// The positions of the largest blocks.
    pub(crate) large: std::slice::Iter<'a, u32>,
    pub(crate) degrees: &'a [Degrees],
    pub(crate) blocks: &'a mut [BlockRef],
}

/// Blocks that a thread computes at a time.
pub(crate) enum Portion<'a> {
    /// The block at this position.
    Large(u32),
    /// Degree vectors, of which the large ones are left out, and where the references of their
    /// blocks go.
    Others(&'a [Degrees], &'a mut [BlockRef]),
}

/// Blocks of at least this many endpoints are large: they come first, so that no thread has one at
/// the end while the others have nothing left to do.
pub(crate) const LARGE: usize = 16;

impl<'a> Iterator for Portions<'a> {
    type Item = Portion<'a>;

    fn next(&mut self) -> Option<Portion<'a>> {
        if let Some(&position) = self.large.next() {
            return Some(Portion::Large(position));
        }
        let mut work = 0;
        let mut len = 0;
        for &degrees in self.degrees {
            let endpoints = masks(degrees).ends.count_ones() as usize;
            if endpoints < LARGE {
                work += BLOCK_WORK + MATCHING_WORK * matchings(endpoints) as u64;
            }
            len += 1;
            if work >= PORTION {
                break;
            }
        }
        if len == 0 {
            return None;
        }
        let (degrees, rest) = self.degrees.split_at(len);
        self.degrees = rest;
        let (blocks, rest) = std::mem::take(&mut self.blocks).split_at_mut(len);
        self.blocks = rest;
        Some(Portion::Others(degrees, blocks))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let large = self.large.len();
        (large, Some(large + self.degrees.len()))
    }
}

/// What the accumulators of all threads take, and the positions of the large blocks, the largest
/// first.
pub(crate) fn survey<C: Cell>(
    run: &Run,
    step: &Step,
    after: &[Degrees],
) -> Result<(u64, Vec<u32>), Stopped> {
    let parts = in_ranges(after.len(), run, |range| {
        let mut blocks = [0; MAX_ENDPOINTS + 1];
        let mut large = Vec::new();
        for i in range {
            let endpoints = masks(after[i]).ends.count_ones() as usize;
            blocks[endpoints] += 1;
            if endpoints >= LARGE {
                large.push((endpoints, i as u32));
            }
        }
        (blocks, large)
    })?;
    let vectors = if step.fold.is_some() { 2 } else { 1 };
    // Every thread may get one of the largest blocks, as long as there are enough of them.
    let mut threads = run.threads.get() as u64;
    let mut sums = 0;
    for ends in (0..=MAX_ENDPOINTS).rev() {
        let with = parts.iter().map(|(blocks, _)| blocks[ends]).sum::<u64>();
        sums += with.min(threads) * entries(ends, step.slots_out);
        threads -= with.min(threads);
    }
    let mut large: Vec<(usize, u32)> = parts.into_iter().flat_map(|(_, large)| large).collect();
    large.sort_by_key(|&(endpoints, _)| std::cmp::Reverse(endpoints));
    let positions = large.into_iter().map(|(_, position)| position).collect();
    // A thread may have vectors of both widths.
    let bytes = (size_of::<C>() + size_of::<u32>()) as u64;
    Ok((sums * bytes * vectors, positions))
}
