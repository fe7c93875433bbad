//! The codes of a half, loaded block by block when they are needed; the blocks used last stay in memory.

use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard};

use crate::error::TableError;
use crate::store::directory::lock;
use crate::store::format::BLOCK;

/// Where blocks of [`BLOCK`] codes are loaded from.
pub(crate) trait BlockSource: Debug + Send + Sync {
    /// Loads a block; the last one may be shorter than the others.
    fn load(&self, number: usize) -> Result<Vec<u8>, TableError>;
}

/// The codes of a half with one side to move, of which a few blocks are in memory. For one thread: others wait.
#[derive(Debug)]
pub(crate) struct BlockWindow {
    source: Box<dyn BlockSource>,
    /// The most blocks in memory.
    blocks: usize,
    loaded: Mutex<Loaded>,
}

/// The blocks in memory.
#[derive(Debug, Default)]
struct Loaded {
    blocks: Vec<Block>,
    /// The place in `blocks` of the one used last.
    last: usize,
    /// Increases when another block is used.
    turn: u64,
    error: Option<TableError>,
}

#[derive(Debug)]
struct Block {
    number: usize,
    codes: Vec<u8>,
    /// The turn in which it was last used.
    used: u64,
}

impl BlockWindow {
    /// Returns a window of at most `blocks` blocks in memory, of which there must be at least one.
    pub(crate) fn new(source: Box<dyn BlockSource>, blocks: usize) -> Self {
        Self {
            source,
            blocks,
            loaded: Mutex::default(),
        }
    }

    /// Bytes of a window of `blocks` blocks in memory.
    pub(crate) fn bytes(blocks: usize) -> u64 {
        (blocks * BLOCK) as u64
    }

    /// Returns the window for as many codes as are wanted now.
    #[inline]
    pub(crate) fn lock(&self) -> LockedWindow<'_> {
        LockedWindow {
            window: self,
            loaded: lock(&self.loaded),
        }
    }

    /// Returns the first error. The codes of a block that could not be loaded were given as 0.
    pub(crate) fn take_error(&self) -> Result<(), TableError> {
        lock(&self.loaded).error.take().map_or(Ok(()), Err)
    }
}

/// A [`BlockWindow`] in use.
pub(crate) struct LockedWindow<'a> {
    window: &'a BlockWindow,
    loaded: MutexGuard<'a, Loaded>,
}

impl LockedWindow<'_> {
    /// Returns the code of an index; 0 if it cannot be loaded, which [`BlockWindow::take_error`] reports.
    #[inline]
    pub(crate) fn code(&mut self, index: usize) -> u8 {
        let (number, within) = (index / BLOCK, index % BLOCK);
        let loaded = &mut *self.loaded;
        match loaded.blocks.get(loaded.last) {
            Some(block) if block.number == number => block.codes[within],
            _ => self.other_block(number)[within],
        }
    }

    /// Returns the codes of a block that is not the one used last.
    fn other_block(&mut self, number: usize) -> &[u8] {
        let loaded = &mut *self.loaded;
        loaded.turn += 1;
        let found = loaded.blocks.iter().position(|b| b.number == number);
        let place = found.unwrap_or_else(|| {
            let codes = self.window.source.load(number).unwrap_or_else(|error| {
                loaded.error.get_or_insert(error);
                vec![0; BLOCK]
            });
            let block = Block {
                number,
                codes,
                used: 0,
            };
            if loaded.blocks.len() < self.window.blocks {
                loaded.blocks.push(block);
                return loaded.blocks.len() - 1;
            }
            let oldest = (0..loaded.blocks.len()).min_by_key(|&place| loaded.blocks[place].used);
            let oldest = oldest.expect("there is at least one block");
            loaded.blocks[oldest] = block;
            oldest
        });
        loaded.last = place;
        loaded.blocks[place].used = loaded.turn;
        &loaded.blocks[place].codes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Blocks of which every code is the block's number; block 9 cannot be loaded.
    #[derive(Debug)]
    struct Numbers(Arc<AtomicUsize>);

    impl BlockSource for Numbers {
        fn load(&self, number: usize) -> Result<Vec<u8>, TableError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            let half = || "a half".to_owned();
            match number {
                9 => Err(TableError::TooDeep { half: half() }),
                _ => Ok(vec![number as u8; BLOCK]),
            }
        }
    }

    #[test]
    fn the_blocks_used_last_stay() {
        let loads = Arc::new(AtomicUsize::new(0));
        let window = BlockWindow::new(Box::new(Numbers(loads.clone())), 2);
        let code = |number: usize| window.lock().code(number * BLOCK + 5);
        for (number, expected) in [(3, 1), (3, 1), (4, 2), (3, 2), (5, 3), (3, 3), (4, 4)] {
            assert_eq!(usize::from(code(number)), number);
            assert_eq!(loads.load(Ordering::Relaxed), expected, "{number}");
        }
        assert!(window.take_error().is_ok());
        assert_eq!(code(9), 0);
        assert_eq!(code(3), 3);
        assert!(matches!(
            window.take_error(),
            Err(TableError::TooDeep { .. })
        ));
    }
}
