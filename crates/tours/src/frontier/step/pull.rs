//! One step of the count: every block after the step is gathered from the blocks before it.
//!
//! Blocks after the step do not depend on each other, so threads take them in blocks_of and share
//! nothing but the layer they read. A block is summed up in a dense vector over its ranks, which
//! for most blocks fits the first-level cache, or in a list, if it has few states beside its
//! matchings.

mod listed;
mod one_block;
mod portions;
mod spare;
mod through;

use std::sync::atomic::{AtomicU32, Ordering};

use everymove_kernel::parallel;
use everymove_kernel::run::{Reservation, Run};

use crate::frontier::FrontierError;
use crate::frontier::counted::Width;
use crate::frontier::states::block::{BlockRef, Builder, Cell, Chunk, Layer};
use crate::frontier::states::maps::Maps;
use crate::frontier::step::Step;
use crate::frontier::vectors::degrees::{Degrees, masks};
use crate::frontier::vectors::index::Index;
use crate::frontier::vectors::index::Vectors;
pub(crate) use listed::entries;
pub(crate) use one_block::{Pull, Scratch};
pub(crate) use portions::survey;
use portions::{LARGE, Portion, Portions};
pub(crate) use spare::Spare;

/// Bytes of a thread's accumulators per matching: two vectors of 64 bits and two of 32.
pub(crate) const BYTES_A_SUM: u64 = 24;

/// What the steps of a count have in common.
pub(crate) struct Puller<'a> {
    pub(crate) maps: &'a Maps,
    pub(crate) run: &'a Run,
    /// Counts are residues modulo this number, if any.
    pub(crate) modulus: Option<u64>,
    /// The memory of the steps before.
    pub(crate) spare: Spare,
}

/// A layer and the number of state transitions that made it.
pub(crate) struct Pulled {
    pub(crate) layer: Layer,
    pub(crate) transitions: u64,
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

impl<'a> Puller<'a> {
    pub(crate) fn new(maps: &'a Maps, run: &'a Run, modulus: Option<u64>) -> Self {
        Self {
            maps,
            run,
            modulus,
            spare: Spare::new(run),
        }
    }

    /// The layer after `step`, with blocks for these degree vectors; `width` must hold any sum.
    pub(crate) fn advance(
        &self,
        width: Width,
        before: &Layer,
        step: &Step,
        after: Vectors,
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
        after: Vectors,
    ) -> Result<Pulled, FrontierError> {
        let mut layer = Layer::of(after);
        let after = layer.degrees.clone();
        let blocks_of = Blocks::new::<C>(self, before, step, &after)?;
        layer.blocks = self.spare.take_blocks(after.len());
        let bytes = (layer.blocks.capacity() * size_of::<BlockRef>()) as u64;
        layer.held.push(self.run.ram.reserve(WHAT, bytes)?);
        let portions = Portions {
            large: blocks_of.large.iter(),
            degrees: &after,
            blocks: &mut layer.blocks,
        };
        let chunks = AtomicU32::new(0);
        let start = || Gathered::<C>::new(&chunks, self.maps, step);
        let gathered = parallel::try_for_each(self.run, portions, start, |space, portion| {
            blocks_of.gather_into(space, portion)
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
        self.spare.keep_index(blocks_of.index);
        Ok(Pulled { layer, transitions })
    }
}

/// The blocks_of of blocks of a step.
struct Blocks<'a> {
    puller: &'a Puller<'a>,
    before: &'a Layer,
    index: Index,
    step: &'a Step,
    after: &'a [Degrees],
    /// The positions of the large blocks.
    large: Vec<u32>,
    _held: [Reservation; 2],
}

impl<'a> Blocks<'a> {
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
}
