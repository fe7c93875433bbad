//! One step of the count: every block after the step is gathered from the blocks before it.
//!
//! Blocks after the step do not depend on each other, so threads take them in batches and share nothing but the layer
//! they read. A block is summed up in a dense vector over its ranks, which for most blocks fits the first-level cache, or
//! in a list, if it has few states beside its matchings.

mod listed;
mod one_block;
mod portions;
mod spare;
mod through;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use everymove_kernel::parallel;
use everymove_kernel::run::{Reservation, Run};

use super::FrontierError;
use super::bits::Index;
use super::block::{BlockRef, Builder, Cell, Chunk, Layer};
use super::counted::Width;
use super::degrees::{Degrees, masks};
use super::maps::Maps;
use super::steps::Step;
pub(super) use listed::entries;
pub(super) use one_block::{Pull, Scratch};
pub(super) use portions::survey;
use portions::{LARGE, Portion, Portions};
pub(super) use spare::Spare;

/// Blocks a thread takes at once: enough to make taking them cheap, few enough to balance the end.
pub(super) const BATCH: usize = 256;

/// What the steps of a count have in common.
pub(super) struct Puller<'a> {
    pub(super) maps: &'a Maps,
    pub(super) run: &'a Run,
    /// Counts are residues modulo this number, if any.
    pub(super) modulus: Option<u64>,
    /// The memory of the steps before.
    pub(super) spare: Spare,
}

/// A layer and the number of state transitions that made it.
pub(super) struct Pulled {
    pub(super) layer: Layer,
    pub(super) transitions: u64,
}

/// What the memory of a layer is called when it is asked for.
const WHAT: &str = "counting: the counts of a layer";

/// A chunk that is complete.
struct Closed {
    number: u32,
    chunk: Chunk,
    held: Option<Reservation>,
}

/// What a thread has gathered.
struct Gathered<'a, C> {
    scratch: Scratch<'a, C>,
    /// The next number of a chunk.
    chunks: &'a AtomicU32,
    /// The number of the chunk that is being filled, and its memory.
    open: Option<(u32, Reservation)>,
    builder: Builder,
    closed: Vec<Closed>,
    /// The large blocks, with their positions.
    large: Vec<(u32, BlockRef)>,
    transitions: u64,
    states: u64,
    sum: u128,
}

impl<'a, C: Cell> Gathered<'a, C> {
    fn new(chunks: &'a AtomicU32, maps: &'a Maps, step: &'a Step) -> Self {
        Self {
            scratch: Scratch::new(maps, step),
            chunks,
            open: None,
            builder: Builder::default(),
            closed: Vec::new(),
            large: Vec::new(),
            transitions: 0,
            states: 0,
            sum: 0,
        }
    }

    /// Completes the chunk that is being filled, if any.
    fn close(&mut self, spare: &Spare) {
        if let Some((number, held)) = self.open.take() {
            let builder = std::mem::take(&mut self.builder);
            self.states += builder.states;
            self.sum += builder.sum;
            self.closed.push(Closed {
                number,
                chunk: spare.fitted(builder.chunk),
                held: Some(held),
            });
        }
    }
}

/// What one batch of blocks came to.
struct Batch {
    builder: Builder,
    transitions: u64,
    held: Reservation,
}

impl<'a> Puller<'a> {
    pub(super) fn new(maps: &'a Maps, run: &'a Run, modulus: Option<u64>) -> Self {
        Self {
            maps,
            run,
            modulus,
            spare: Spare::new(run),
        }
    }

    /// The layer after `step`, with blocks for the degree vectors `after`; `width` must hold any sum.
    pub(super) fn advance(
        &self,
        width: Width,
        before: &Layer,
        step: &Step,
        after: &Arc<Vec<Degrees>>,
    ) -> Result<Pulled, FrontierError> {
        match width {
            Width::Bits64 => self.advance_as::<u64>(before, step, after),
            Width::Bits128 => self.advance_as::<u128>(before, step, after),
        }
    }

    fn advance_as<C: Cell>(
        &self,
        before: &Layer,
        step: &Step,
        after: &Arc<Vec<Degrees>>,
    ) -> Result<Pulled, FrontierError> {
        let batches = Batches::new::<C>(self, before, step, after)?;
        let mut layer = Layer::empty(after.clone());
        layer.blocks = self.spare.take_blocks(after.len());
        let bytes = (layer.blocks.capacity() * size_of::<BlockRef>()) as u64;
        layer.held.push(self.run.ram.reserve(WHAT, bytes)?);
        let portions = Portions {
            large: batches.large.iter(),
            degrees: after,
            blocks: &mut layer.blocks,
        };
        let chunks = AtomicU32::new(0);
        let start = || Gathered::<C>::new(&chunks, self.maps, step);
        let gathered = parallel::try_for_each(self.run, portions, start, |space, portion| {
            batches.gather_into(space, portion)
        })?;
        let mut transitions = 0;
        let mut all: Vec<Closed> = Vec::new();
        for mut space in gathered {
            space.close(&self.spare);
            transitions += space.transitions;
            layer.states += space.states;
            layer.sum += space.sum;
            all.append(&mut space.closed);
            for &(position, block) in &space.large {
                layer.blocks[position as usize] = block;
            }
        }
        all.sort_unstable_by_key(|closed| closed.number);
        for closed in all {
            // Chunks are numbered without gaps, since every thread closes each that it has begun.
            debug_assert_eq!(closed.number as usize, layer.chunks.len());
            layer.chunks.push(closed.chunk);
            layer.held.extend(closed.held);
        }
        self.spare.keep_index(batches.index);
        Ok(Pulled { layer, transitions })
    }

    /// Like [`Puller::advance`], from a part of the layer that was computed before; `keep` gets the part that is
    /// complete after each batch of blocks. Transitions are those of the other blocks.
    pub(super) fn advance_from<C: Cell>(
        &self,
        before: &Layer,
        step: &Step,
        mut layer: Layer,
        mut keep: impl FnMut(&Layer) -> Result<(), FrontierError>,
    ) -> Result<Pulled, FrontierError> {
        let after = layer.degrees.clone();
        let batches = Batches::new::<C>(self, before, step, &after)?;
        let mut transitions = 0;
        parallel::try_in_order(
            self.run,
            batches.from(layer.chunks.len()),
            WINDOW,
            || Scratch::new(self.maps, step),
            |scratch: &mut Scratch<'_, C>, number| batches.gather(scratch, number),
            |batch| {
                transitions += append(&mut layer, batch);
                keep(&layer)
            },
        )?;
        Ok(Pulled { layer, transitions })
    }
}

/// Batches that may be complete while an earlier one is not.
const WINDOW: usize = 64;

/// The batches of blocks of a step.
struct Batches<'a> {
    puller: &'a Puller<'a>,
    before: &'a Layer,
    index: Index,
    step: &'a Step,
    after: &'a [Degrees],
    /// The positions of the large blocks.
    large: Vec<u32>,
    _held: [Reservation; 2],
}

impl<'a> Batches<'a> {
    fn new<C: Cell>(
        puller: &'a Puller<'a>,
        before: &'a Layer,
        step: &'a Step,
        after: &'a [Degrees],
    ) -> Result<Self, FrontierError> {
        let ram = &puller.run.ram;
        let class = before.class.as_ref();
        let bytes = Index::bytes(step.slots_in, class);
        let index = puller.spare.take_index(bytes);
        let bytes = bytes.max(index.held_bytes());
        let index_held = ram.reserve("counting: the index of a layer", bytes)?;
        let (scratch, large) = survey::<C>(puller.run, step, after)?;
        let scratch_held = ram.reserve("counting: the sums of a block", scratch)?;
        Ok(Self {
            puller,
            before,
            index: index.renewed(&before.degrees, step.slots_in, class, puller.run)?,
            step,
            after,
            large,
            _held: [index_held, scratch_held],
        })
    }

    /// The numbers of the batches from `first` on.
    fn from(&self, first: usize) -> std::ops::Range<usize> {
        first..self.after.len().div_ceil(BATCH)
    }

    /// Computes the blocks of a portion into a thread's chunks.
    fn gather_into<C: Cell>(
        &self,
        space: &mut Gathered<'_, C>,
        portion: Portion<'_>,
    ) -> Result<(), FrontierError> {
        let run = self.puller.run;
        let (number, mut held) = match space.open.take() {
            Some(open) => open,
            None => {
                let number = space.chunks.fetch_add(1, Ordering::Relaxed);
                space.builder.chunk = self.puller.spare.take_chunk();
                (number, run.ram.reserve(WHAT, 0)?)
            }
        };
        let mut transitions = 0;
        let mut built = |degrees: Degrees| -> Result<BlockRef, FrontierError> {
            run.stop.check()?;
            let mut pull = Pull {
                puller: self.puller,
                before: self.before,
                index: &self.index,
                step: self.step,
                scratch: &mut space.scratch,
            };
            transitions += pull.block(degrees, &mut space.builder)?;
            Ok(BlockRef {
                chunk: number,
                ..space.builder.blocks.pop().expect("the block just built")
            })
        };
        match portion {
            Portion::Large(position) => {
                let block = built(self.after[position as usize])?;
                space.large.push((position, block));
            }
            Portion::Others(degrees, blocks) => {
                for (&degrees, block) in degrees.iter().zip(blocks) {
                    if (masks(degrees).ends.count_ones() as usize) < LARGE {
                        *block = built(degrees)?;
                    }
                }
            }
        }
        let bytes = space.builder.bytes();
        held.resize(WHAT, bytes)?;
        space.open = Some((number, held));
        if bytes >= self.puller.spare.chunk_bytes() {
            space.close(&self.puller.spare);
        }
        space.transitions += transitions;
        run.progress.worked(transitions);
        Ok(())
    }

    fn gather<C: Cell>(
        &self,
        scratch: &mut Scratch<'_, C>,
        number: usize,
    ) -> Result<Batch, FrontierError> {
        let run = self.puller.run;
        let range = number * BATCH..((number + 1) * BATCH).min(self.after.len());
        let mut builder = Builder::default();
        let mut transitions = 0;
        for &degrees in &self.after[range] {
            run.stop.check()?;
            let mut pull = Pull {
                puller: self.puller,
                before: self.before,
                index: &self.index,
                step: self.step,
                scratch,
            };
            transitions += pull.block(degrees, &mut builder)?;
        }
        builder.chunk.shrink();
        let held = (run.ram).reserve("counting: the counts of a layer", builder.bytes())?;
        run.progress.worked(transitions);
        Ok(Batch {
            builder,
            transitions,
            held,
        })
    }
}

/// Appends the blocks of the next batch to a layer; returns its transitions.
fn append(layer: &mut Layer, batch: Batch) -> u64 {
    let number = layer.chunks.len() as u32;
    let Builder {
        blocks,
        chunk,
        states,
        sum,
    } = batch.builder;
    layer.states += states;
    layer.sum += sum;
    let of_chunk = |block| BlockRef {
        chunk: number,
        ..block
    };
    layer.blocks.extend(blocks.into_iter().map(of_chunk));
    layer.chunks.push(chunk);
    layer.held.push(batch.held);
    batch.transitions
}
