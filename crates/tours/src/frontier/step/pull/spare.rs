//! Memory that one step after another uses: with memory of its own each step would have the system
//! clear its pages anew, which took a sixth of the time of a count of 8x9 open.
//!
//! The chunks of a layer that is no longer needed are kept for the next ones. They are in no
//! budget, but the next layer takes them before it takes new memory, so that both together take
//! about as much as the layers took before.

use std::sync::{Arc, Mutex, PoisonError};

use everymove_kernel::run::Run;
use everymove_kernel::system;

use crate::frontier::states::block::{BlockRef, Chunk, Layer};
use crate::frontier::vectors::index::Index;

/// Memory between the steps of a phase. It is in no budget until a step takes and reserves it.
#[derive(Clone)]
pub(crate) struct Spare {
    chunk_bytes: u64,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    index: Index,
    blocks: Vec<BlockRef>,
    /// Empty chunks.
    chunks: Vec<Chunk>,
}

/// The fewest bytes of a chunk.
const LEAST: u64 = 1 << 20;

impl Spare {
    /// None yet.
    pub(crate) fn new(run: &Run) -> Self {
        // Vectors of at least `LEAST` bytes are mapped one by one then: they grow and shrink
        // without being copied, and leave no gaps.
        system::return_large_buffers();
        Self {
            // Each thread fills a chunk, so with little memory they are smaller.
            chunk_bytes: (run.ram.limit() / 256).clamp(LEAST, 40 << 20),
            kept: Arc::default(),
        }
    }

    /// A chunk takes no more blocks once it has this many bytes.
    pub(crate) fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    /// Keeps the memory of an index.
    pub(crate) fn keep_index(&self, index: Index) {
        self.with(|kept| kept.index = index);
    }

    /// Keeps the memory of a layer that is no longer needed.
    pub(crate) fn keep(&self, layer: Layer) {
        for chunk in layer.chunks {
            if chunk.bytes() >= self.fewest_kept() {
                self.keep_chunk(chunk);
            }
        }
        self.with(|kept| kept.blocks = layer.blocks);
    }

    fn keep_chunk(&self, mut chunk: Chunk) {
        chunk.clear();
        self.with(|kept| kept.chunks.push(chunk));
    }

    /// Smaller chunks are in memory that the allocator keeps itself.
    fn fewest_kept(&self) -> u64 {
        self.chunk_bytes / 4
    }

    /// An empty chunk, in the memory of one that was kept.
    pub(crate) fn take_chunk(&self) -> Chunk {
        let kept = self.with(|kept| kept.chunks.pop());
        kept.unwrap_or_else(|| Chunk::with_room(self.chunk_bytes as usize))
    }

    /// A chunk that is complete, in no more memory than it needs.
    pub(crate) fn fitted(&self, mut chunk: Chunk) -> Chunk {
        if chunk.bytes() < self.fewest_kept() {
            let fitted = chunk.clone();
            self.keep_chunk(chunk);
            return fitted;
        }
        chunk.shrink();
        chunk
    }

    /// The memory of the last index for one of this many bytes, unless it is far too large.
    pub(crate) fn take_index(&self, bytes: u64) -> Index {
        let index = self.with(|kept| std::mem::take(&mut kept.index));
        match is_far_larger(index.held_bytes(), bytes) {
            true => Index::default(),
            false => index,
        }
    }

    /// References of this many blocks that are still to come, in the memory that was kept last
    /// unless it is far too large.
    pub(crate) fn take_blocks(&self, len: usize) -> Vec<BlockRef> {
        let mut blocks = self.with(|kept| std::mem::take(&mut kept.blocks));
        if is_far_larger(blocks.capacity() as u64, len as u64) {
            return vec![BlockRef::default(); len];
        }
        blocks.resize(len, BlockRef::default());
        blocks
    }

    fn with<T>(&self, change: impl FnOnce(&mut Kept) -> T) -> T {
        change(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether memory that is kept is an eighth larger than what is needed, and is given back: all of
/// it is taken from the budget.
fn is_far_larger(kept: u64, needed: u64) -> bool {
    kept > needed + needed / 8
}
