//! All children of a layer.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use everymove_kernel::parallel;
use everymove_kernel::run::{Reservation, Run};

use super::layout::{ClassLayers, Layer, Layout, Span, ranks};
use super::slices::{JOBS_PER_THREAD, split_lengths};
use super::successors::{Steps, SuccessorTable};
use crate::error::PegError;
use crate::position::Bits;

/// What a pass over a layer counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LayerCounts {
    /// Positions up to symmetry.
    pub(crate) positions: u64,
    /// Positions, every image counted.
    pub(crate) images: u64,
    /// Jumps from them.
    pub(crate) jumps: u64,
    /// Positions without a jump.
    pub(crate) dead_ends: u64,
}

impl LayerCounts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.positions += other.positions;
        self.images += other.images;
        self.jumps += other.jumps;
        self.dead_ends += other.dead_ends;
    }
}

/// Where the children's bits go.
pub(crate) trait Sink {
    /// Sets the bit with an index.
    fn set(&mut self, index: usize);
}

/// A bitmap that one thread writes to.
impl Sink for &mut [u64] {
    #[inline(always)]
    fn set(&mut self, index: usize) {
        self[index >> 6] |= 1 << (index & 63);
    }
}

/// The same, with words that threads may share at other times.
impl Sink for &mut [AtomicU64] {
    #[inline(always)]
    fn set(&mut self, index: usize) {
        *self[index >> 6].get_mut() |= 1 << (index & 63);
    }
}

/// A bitmap that all threads write to. Most children are there already, and looking is cheaper than locking.
impl Sink for &[AtomicU64] {
    #[inline(always)]
    fn set(&mut self, index: usize) {
        let (word, bit) = (&self[index >> 6], 1 << (index & 63));
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }
}

/// The layer of all positions one step from those of `from`, and what was counted on the way.
///
/// Each further thread fills a bitmap of its own if the budget has room for them, which are united at the
/// end; otherwise all write to one.
///
/// # Errors
/// [`PegError::OverBudget`] if the new layer does not fit, [`PegError::Stopped`].
pub(crate) fn next_layer<const W: usize>(
    class_layers: &ClassLayers,
    from: &Layer,
    steps: &Steps<W>,
    to: Arc<Layout>,
    run: &Run,
) -> Result<(Layer, LayerCounts), PegError> {
    let mut next = Layer::empty(to, &run.ram)?;
    let more = run.threads.get() as u64 - 1;
    let copies: Option<Reservation> = run
        .ram
        .reserve("copies of a layer", more * 8 * next.words.len() as u64)
        .ok();
    let jobs = from
        .layout
        .cut(JOBS_PER_THREAD * run.threads.get())
        .into_iter();
    let to = Span::whole(&next.layout);
    let all = (Span::whole(&from.layout), &from.words[..]);
    let start = || {
        (
            SuccessorTable::new(class_layers.split(), steps, to.clone()),
            LayerCounts::default(),
        )
    };
    let tallies: Vec<LayerCounts>;
    if run.threads.get() == 1 {
        // One job at a time on this thread: the bitmap can be borrowed for each in turn.
        let (mut successors, mut tally) = start();
        for heads in jobs {
            run.stop.check()?;
            expand(
                class_layers,
                &all,
                heads,
                &mut successors,
                &mut next.words.as_mut_slice(),
                Some(&mut tally),
            );
        }
        tallies = vec![tally];
    } else if copies.is_some() {
        // This thread allocates all of them: an allocator with a heap for each thread would keep what a thread frees.
        let words = std::mem::take(&mut next.words).len();
        let empty: Vec<_> = (0..run.threads.get()).map(|_| vec![0u64; words]).collect();
        let empty = Mutex::new(empty);
        let copy = || {
            let copy = empty.lock().unwrap_or_else(PoisonError::into_inner).pop();
            copy.unwrap_or_else(|| vec![0u64; words])
        };
        let states = parallel::for_each(
            run,
            jobs,
            || (start(), copy()),
            |((successors, tally), words), heads| {
                expand(
                    class_layers,
                    &all,
                    heads,
                    successors,
                    &mut words.as_mut_slice(),
                    Some(tally),
                );
            },
        )?;
        let (states, mut copies): (Vec<_>, Vec<_>) = states.into_iter().unzip();
        next.words = copies.pop().unwrap_or_default();
        unite(&mut next.words, copies, run)?;
        tallies = states.into_iter().map(|(_, tally)| tally).collect();
    } else {
        let shared: Vec<AtomicU64> = std::mem::take(&mut next.words)
            .into_iter()
            .map(AtomicU64::new)
            .collect();
        let states = parallel::for_each(run, jobs, start, |(successors, tally), heads| {
            expand(
                class_layers,
                &all,
                heads,
                successors,
                &mut shared.as_slice(),
                Some(tally),
            );
        })?;
        next.words = shared.into_iter().map(AtomicU64::into_inner).collect();
        tallies = states.into_iter().map(|(_, tally)| tally).collect();
    }
    let mut tally = LayerCounts::default();
    tallies.iter().for_each(|part| tally.add(part));
    Ok((next, tally))
}

/// Whether a pass over positions counts them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tally {
    Count,
    Skip,
}

/// Words of a job at most: a run that is stopped ends soon.
const MOST_WORDS: usize = 1 << 16;

/// The heads of each job on a span.
pub(crate) fn jobs(span: &Span, run: &Run) -> Vec<Range<usize>> {
    let parts = JOBS_PER_THREAD * run.threads.get();
    let parts = parts.max(span.words().div_ceil(MOST_WORDS));
    span.layout.cut_heads(span.heads.clone(), parts)
}

/// Steps of any number.
pub(crate) trait Expand: Sync {
    /// Sets the bits of all positions one step from those of `from`, as far as they have heads of `to`, whose words `target`
    /// is; `from` is the heads that are in memory and their words. All threads write to the same words.
    ///
    /// # Errors
    /// [`PegError::Stopped`].
    fn expand_into(
        &self,
        class_layers: &ClassLayers,
        from: &(Span, &[u64]),
        to: &Span,
        target: &mut [AtomicU64],
        tally: Tally,
        run: &Run,
    ) -> Result<LayerCounts, PegError>;
}

impl<const W: usize> Expand for Steps<W> {
    fn expand_into(
        &self,
        class_layers: &ClassLayers,
        from: &(Span, &[u64]),
        to: &Span,
        target: &mut [AtomicU64],
        tally: Tally,
        run: &Run,
    ) -> Result<LayerCounts, PegError> {
        let jobs = jobs(&from.0, run).into_iter();
        let start = || {
            let table = SuccessorTable::new(class_layers.split(), self, to.clone());
            (table, LayerCounts::default())
        };
        let is_counted = tally == Tally::Count;
        let tallies = if run.threads.get() == 1 {
            let (mut table, mut counted) = start();
            for heads in jobs {
                run.stop.check()?;
                let mut sink = &mut target[..];
                let tally = is_counted.then_some(&mut counted);
                expand(class_layers, from, heads, &mut table, &mut sink, tally);
            }
            vec![(table, counted)]
        } else {
            let target = &target[..];
            parallel::for_each(run, jobs, start, |(table, counted), heads| {
                let tally = is_counted.then_some(counted);
                expand(class_layers, from, heads, table, &mut &*target, tally);
            })?
        };
        let mut sum = LayerCounts::default();
        tallies.iter().for_each(|(_, counted)| sum.add(counted));
        Ok(sum)
    }
}

/// Sets the bits of all children, among those of the table, of the positions with some heads; `from` is the heads
/// that are in memory and their words. Counts the positions and all their children, if a tally is given.
fn expand<const W: usize>(
    class_layers: &ClassLayers,
    (span, words): &(Span, &[u64]),
    heads: Range<usize>,
    successors: &mut SuccessorTable<'_, W>,
    sink: &mut impl Sink,
    mut tally: Option<&mut LayerCounts>,
) {
    let split = class_layers.split();
    let order = split.order() as u64;
    for id in heads {
        let words = &words[span.range(id)];
        if words.iter().all(|&word| word == 0) {
            continue;
        }
        successors.take(id);
        if tally.is_none() && successors.is_empty() {
            continue;
        }
        let group = class_layers.group(id, span.layout.pegs);
        let (mut positions, mut jumps, mut dead_ends, mut symmetric) = (0, 0, 0, 0);
        for (words, tails) in words.iter().zip(group.chunks(64)) {
            for bit in Bits(*words) {
                let children = successors.count_each(tails[bit], |index| sink.set(index));
                positions += 1;
                jumps += children;
                dead_ends += u64::from(children == 0);
            }
        }
        let Some(tally) = &mut tally else {
            continue;
        };
        let own = split.canonical_head(split.heads()[id]).by;
        if !own.is_power_of_two() {
            for rank in ranks(words) {
                symmetric += order - order / split.keeping(own, group[rank], rank);
            }
        }
        tally.positions += positions;
        tally.jumps += jumps;
        tally.dead_ends += dead_ends;
        tally.images += positions * order - symmetric;
    }
}

/// Unites the threads' bitmaps into one.
fn unite(into: &mut [u64], copies: Vec<Vec<u64>>, run: &Run) -> Result<(), PegError> {
    const BLOCK: usize = 1 << 14;
    let blocks = into.len().div_ceil(BLOCK);
    let lengths = (0..blocks).map(|block| BLOCK.min(into.len() - block * BLOCK));
    let lengths: Vec<usize> = lengths.collect();
    let jobs = split_lengths(into, lengths.into_iter())
        .into_iter()
        .enumerate();
    parallel::for_each(
        run,
        jobs,
        || (),
        |(), (block, into)| {
            for copy in &copies {
                for (word, more) in into.iter_mut().zip(&copy[block * BLOCK..]) {
                    *word |= more;
                }
            }
        },
    )?;
    Ok(())
}
