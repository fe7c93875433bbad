//! Memory that one step after another uses: with memory of its own each step would have the system clear its pages anew,
//! on one thread.

use std::sync::{Arc, Mutex, PoisonError};

use super::super::bits::Index;
use super::super::block::BlockRef;

/// Memory between the steps of a phase. It is in no budget until a step takes and reserves it.
#[derive(Clone, Default)]
pub(in super::super) struct Spare(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    index: Index,
    blocks: Vec<BlockRef>,
}

impl Spare {
    /// Keeps the memory of an index.
    pub(in super::super) fn keep_index(&self, index: Index) {
        self.with(|kept| kept.index = index);
    }

    /// Keeps the memory of the references of a layer that is no longer needed.
    pub(in super::super) fn keep_blocks(&self, blocks: Vec<BlockRef>) {
        self.with(|kept| kept.blocks = blocks);
    }

    /// The memory of the last index.
    pub(in super::super) fn take_index(&self) -> Index {
        self.with(|kept| std::mem::take(&mut kept.index))
    }

    /// References of this many blocks that are still to come, in the memory that was kept last unless it is far too large.
    pub(in super::super) fn take_blocks(&self, len: usize) -> Vec<BlockRef> {
        let mut blocks = self.with(|kept| std::mem::take(&mut kept.blocks));
        if blocks.capacity() / 2 > len {
            return vec![BlockRef::default(); len];
        }
        blocks.resize(len, BlockRef::default());
        blocks
    }

    fn with<T>(&self, change: impl FnOnce(&mut Kept) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
