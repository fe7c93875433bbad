//! The codes of a half, loaded block by block when they are needed; the blocks used last stay in memory.

use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard};

use rustc_hash::FxHashMap;

use crate::error::TableError;
use crate::store::directory::lock;

/// Where blocks of codes are loaded from.
pub(crate) trait BlockSource: Debug + Send + Sync {
    /// The codes of a block.
    fn codes_at_once(&self) -> usize;

    /// Loads a block; the last one may be shorter than the others.
    fn load(&self, number: usize) -> Result<Vec<u8>, TableError>;
}

/// The codes of a half with one side to move, of which a few blocks are in memory. For one thread: others wait.
#[derive(Debug)]
pub(crate) struct BlockWindow {
    source: Box<dyn BlockSource>,
    /// The codes of a block: a power of two.
    length: usize,
    /// The most blocks in memory.
    blocks: usize,
    loaded: Mutex<Loaded>,
}

/// The blocks in memory.
#[derive(Debug, Default)]
struct Loaded {
    blocks: Vec<Block>,
    /// By number: the place in `blocks`.
    places: FxHashMap<usize, usize>,
    /// The place of the one used last.
    last: usize,
    /// The place that is considered next when a block must be removed.
    next: usize,
    error: Option<TableError>,
}

#[derive(Debug)]
struct Block {
    number: usize,
    codes: Vec<u8>,
    /// Whether it was used again since it was loaded or last considered for removal.
    used: bool,
}

impl BlockWindow {
    /// Returns a window of at most `codes` codes in memory, but at least one block.
    pub(crate) fn new(source: Box<dyn BlockSource>, codes: usize) -> Self {
        let length = source.codes_at_once();
        Self {
            source,
            length,
            blocks: (codes / length).max(1),
            loaded: Mutex::default(),
        }
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
        let length = self.window.length;
        let (number, within) = (index >> length.trailing_zeros(), index & (length - 1));
        let loaded = &mut *self.loaded;
        match loaded.blocks.get(loaded.last) {
            Some(block) if block.number == number => block.codes[within],
            _ => self.other_block(number)[within],
        }
    }

    /// Returns the codes of a block that is not the one used last.
    fn other_block(&mut self, number: usize) -> &[u8] {
        let loaded = &mut *self.loaded;
        let place = match loaded.places.get(&number) {
            Some(&place) => {
                loaded.blocks[place].used = true;
                place
            }
            None => {
                let codes = self.window.source.load(number).unwrap_or_else(|error| {
                    loaded.error.get_or_insert(error);
                    vec![0; self.window.length]
                });
                let block = Block {
                    number,
                    codes,
                    used: false,
                };
                loaded.insert(block, self.window.blocks)
            }
        };
        loaded.last = place;
        &loaded.blocks[place].codes
    }
}

impl Loaded {
    /// Inserts a block, in the place of another where there are `most`; returns its place.
    fn insert(&mut self, block: Block, most: usize) -> usize {
        let number = block.number;
        let place = if self.blocks.len() < most {
            self.blocks.push(block);
            self.blocks.len() - 1
        } else {
            // Those that were used again get a second chance.
            while std::mem::take(&mut self.blocks[self.next].used) {
                self.next = (self.next + 1) % most;
            }
            let place = self.next;
            self.next = (place + 1) % most;
            let old = std::mem::replace(&mut self.blocks[place], block);
            self.places.remove(&old.number);
            place
        };
        self.places.insert(number, place);
        place
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
        fn codes_at_once(&self) -> usize {
            64
        }

        fn load(&self, number: usize) -> Result<Vec<u8>, TableError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            let half = || "a half".to_owned();
            match number {
                9 => Err(TableError::TooDeep { half: half() }),
                _ => Ok(vec![number as u8; 64]),
            }
        }
    }

    #[test]
    fn the_blocks_used_last_stay() {
        let loads = Arc::new(AtomicUsize::new(0));
        let window = BlockWindow::new(Box::new(Numbers(loads.clone())), 128);
        let code = |number: usize| window.lock().code(number * 64 + 5);
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
