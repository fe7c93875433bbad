//! Parts of two layers that are joined, read from their files into memory.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use everymove_kernel::parallel;
use everymove_kernel::run::{Reservation, Run};

use crate::frontier::FrontierError;
use crate::frontier::join::Opposite;
use crate::frontier::states::block::{BlockRef, Blocks, Builder, Chunk, Layer};
use crate::frontier::store::stored::{Cached, Reader, Stored};
use crate::frontier::vectors::degrees::Degrees;
use crate::frontier::vectors::index::Index;

/// Segments of the first layer that each thread reads between two looks at how much is read.
const SEGMENTS: usize = 4;

/// Reads blocks of the first half and those of the second that face them.
pub(crate) struct Loader<'a> {
    first: Cached<'a>,
    second: Cached<'a>,
    index: &'a Index,
    opposite: &'a Opposite<'a>,
}

/// The blocks of some positions that face each other.
struct Part {
    degrees: Vec<Degrees>,
    builders: [Builder; 2],
    _held: Reservation,
}

impl<'a> Loader<'a> {
    /// Reads from two layers through caches of `cache` bytes for each thread; `index` has the
    /// vectors of the second one.
    pub(crate) fn new(
        [first, second]: [&'a Stored; 2],
        cache: u64,
        index: &'a Index,
        opposite: &'a Opposite<'a>,
    ) -> Self {
        let cached = |layer| Cached { layer, cache };
        Self {
            first: cached(first),
            second: cached(second),
            index,
            opposite,
        }
    }

    /// Reads facing blocks of all positions from one on, about `most` bytes at a time; `each` gets
    /// the number of positions and both layers, whose blocks face each other position by
    /// position.
    pub(crate) fn in_portions(
        &self,
        from: u64,
        most: u64,
        run: &Run,
        mut each: impl FnMut(u64, [Layer; 2]) -> Result<(), FrontierError>,
    ) -> Result<(), FrontierError> {
        let layer = self.first.layer;
        let (len, a_job) = (layer.vectors.list.len(), layer.a_segment());
        let pool: Mutex<Vec<[Reader<'_>; 2]>> = Mutex::default();
        let mut at = len.min(from as usize);
        let mut begin = at;
        run.progress.start("joining the halves", len as u64);
        run.progress.advance(at as u64);
        let mut parts: Vec<Part> = Vec::new();
        while at < len {
            let end = len.min(at + SEGMENTS * a_job * run.threads.get());
            let jobs = (at..end).step_by(a_job);
            let found = parallel::try_map(
                run,
                jobs,
                || Lent::new(&pool, || [self.first.reader(), self.second.reader()]),
                |lent, from: usize| self.part(lent.readers(), from..end.min(from + a_job), run),
            )?;
            parts.extend(found);
            at = end;
            let bytes = parts.iter().map(Part::bytes).sum::<u64>();
            if bytes >= most || at == len {
                let positions = (at - begin) as u64;
                each(positions, layers(std::mem::take(&mut parts)))?;
                run.progress.advance(positions);
                begin = at;
            }
        }
        Ok(())
    }

    fn part(
        &self,
        [ours, theirs]: &mut [Reader<'_>; 2],
        positions: Range<usize>,
        run: &Run,
    ) -> Result<Part, FrontierError> {
        let mut degrees = Vec::new();
        let mut builders = [Builder::default(), Builder::default()];
        for position in positions {
            run.stop.check()?;
            let vector = self.first.layer.vectors.list[position];
            let (_, facing) = self.opposite.of(vector);
            let Some(facing) = self.index.position(facing) else {
                continue;
            };
            let block = ours.block(position)?;
            if block.is_empty() {
                continue;
            }
            let other = theirs.block(facing)?;
            if other.is_empty() {
                continue;
            }
            degrees.push(vector);
            builders[0].copy(block)?;
            builders[1].copy(other)?;
        }
        let chunks = builders.iter_mut().map(|builder| &mut builder.chunk);
        chunks.for_each(Chunk::shrink);
        let bytes = builders.iter().map(Builder::bytes).sum();
        let held = run.ram.reserve("counting: the counts of a layer", bytes)?;
        Ok(Part {
            degrees,
            builders,
            _held: held,
        })
    }
}

impl Part {
    fn bytes(&self) -> u64 {
        self.builders.iter().map(Builder::bytes).sum()
    }
}

/// The layers of some parts.
fn layers(parts: Vec<Part>) -> [Layer; 2] {
    let degrees: Vec<Degrees> = parts
        .iter()
        .flat_map(|part| &part.degrees)
        .copied()
        .collect();
    let degrees = Arc::new(degrees);
    let mut layers = [Layer::empty(degrees.clone()), Layer::empty(degrees)];
    for (number, part) in parts.into_iter().enumerate() {
        for (layer, builder) in layers.iter_mut().zip(part.builders) {
            let of_chunk = |block| BlockRef {
                chunk: number as u32,
                ..block
            };
            layer
                .blocks
                .extend(builder.blocks.into_iter().map(of_chunk));
            layer.chunks.push(builder.chunk);
            layer.states += builder.states;
        }
        layers[0].held.push(part._held);
    }
    layers
}

/// Readers that go back to where they were taken from, with their caches.
struct Lent<'p, R> {
    pool: &'p Mutex<Vec<R>>,
    readers: Option<R>,
}

impl<'p, R> Lent<'p, R> {
    fn new(pool: &'p Mutex<Vec<R>>, new: impl FnOnce() -> R) -> Self {
        let kept = pool.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Self {
            pool,
            readers: Some(kept.unwrap_or_else(new)),
        }
    }

    fn readers(&mut self) -> &mut R {
        self.readers.as_mut().expect("readers until they go back")
    }
}

impl<R> Drop for Lent<'_, R> {
    fn drop(&mut self) {
        if let Some(readers) = self.readers.take() {
            let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
            pool.push(readers);
        }
    }
}
