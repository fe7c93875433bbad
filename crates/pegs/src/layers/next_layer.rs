//! All successors of the positions of a layer.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use crate::error::PegError;
use crate::layers::layout::{ClassLayers, Span, ranks};
use crate::layers::slices::{jobs, split_lengths};
use crate::layers::successors::{Steps, SuccessorTable};
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

/// Where the bits of successors are set.
trait Sink {
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

/// A bitmap that all threads write to. Most bits are set already, and looking is cheaper than
/// locking.
impl Sink for &[AtomicU64] {
    #[inline(always)]
    fn set(&mut self, index: usize) {
        let (word, bit) = (&self[index >> 6], 1 << (index & 63));
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }
}

/// Whether a pass over positions counts them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tally {
    Count,
    Skip,
}

/// Sets the bits of all positions one step from those of `from`, as far as they have heads of `to`,
/// whose words `target` is; `from` is the heads that are in memory and their words. Returns what
/// was counted on the way.
///
/// Each further thread fills a bitmap of its own if the budget has room for them, which are united
/// at the end; otherwise all write to one.
///
/// # Errors
/// [`PegError::Stopped`].
pub(crate) fn expand_into<const W: usize>(
    class_layers: &ClassLayers,
    from: (&Span, &[u64]),
    steps: &Steps<W>,
    to: &Span,
    target: &mut Vec<u64>,
    tally: Tally,
    run: &Run,
) -> Result<LayerCounts, PegError> {
    let jobs = jobs(from.0, run).into_iter();
    let start = || {
        let table = SuccessorTable::new(class_layers.split(), steps, to.clone());
        (table, (tally == Tally::Count).then(LayerCounts::default))
    };
    let threads = run.threads.get();
    let states = if threads == 1 {
        let (mut table, mut counts) = start();
        let mut sink = target.as_mut_slice();
        for heads in jobs {
            run.stop.check()?;
            expand(
                class_layers,
                from,
                heads,
                &mut table,
                &mut sink,
                counts.as_mut(),
            );
        }
        vec![(table, counts)]
    } else if let Ok(_copies) = run.ram.reserve(
        "copies of a layer",
        (threads as u64 - 1) * 8 * target.len() as u64,
    ) {
        // This thread allocates all of them: an allocator with a heap for each thread would keep
        // what a thread frees.
        let words = target.len();
        let mut copies: Vec<_> = (1..threads).map(|_| vec![0u64; words]).collect();
        copies.push(std::mem::take(target));
        let copies = Mutex::new(copies);
        let copy = || {
            let copy = copies.lock().unwrap_or_else(PoisonError::into_inner).pop();
            copy.unwrap_or_else(|| vec![0; words])
        };
        let states = parallel::for_each(
            run,
            jobs,
            || (start(), copy()),
            |((table, counts), words), heads| {
                let mut sink = words.as_mut_slice();
                expand(class_layers, from, heads, table, &mut sink, counts.as_mut());
            },
        )?;
        let (states, mut filled): (Vec<_>, Vec<_>) = states.into_iter().unzip();
        *target = filled.pop().unwrap_or_default();
        unite(target, filled, run)?;
        states
    } else {
        let shared = std::mem::take(target).into_iter().map(AtomicU64::new);
        let shared: Vec<AtomicU64> = shared.collect();
        let states = parallel::for_each(run, jobs, start, |(table, counts), heads| {
            let mut sink = shared.as_slice();
            expand(class_layers, from, heads, table, &mut sink, counts.as_mut());
        })?;
        *target = shared.into_iter().map(AtomicU64::into_inner).collect();
        states
    };
    let mut sum = LayerCounts::default();
    for (_, counts) in &states {
        sum.add(&counts.unwrap_or_default());
    }
    Ok(sum)
}

/// Sets the bits of all successors, among those of the table, of the positions with some heads;
/// `span` is the heads that are in memory and `words` their words. Counts the positions and all
/// their successors, if a tally is given.
fn expand<const W: usize>(
    class_layers: &ClassLayers,
    (span, words): (&Span, &[u64]),
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
                let steps = successors.count_each(tails[bit], |index| sink.set(index));
                positions += 1;
                jumps += steps;
                dead_ends += u64::from(steps == 0);
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
