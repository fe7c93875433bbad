//! The codes of a half, loaded block by block when they are needed; the blocks used last stay in a cache.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::error::TableError;
use crate::store::block_cache::{BlockCache, Cached};
use crate::store::directory::lock;

/// Where blocks of codes are loaded from.
pub(crate) trait BlockSource: Debug + Send + Sync {
    /// The codes of a block: a power of two.
    fn codes_at_once(&self) -> usize;

    /// Loads a block; the last one may be shorter than the others.
    fn load(&self, number: usize) -> Result<Vec<u8>, TableError>;
}

/// The codes of a half with one side to move, in files. For one thread: others wait.
#[derive(Debug)]
pub(crate) struct CachedHalf {
    source: Box<dyn BlockSource>,
    /// The codes of a block.
    length: usize,
    cache: Arc<BlockCache>,
    /// The number of the half in the cache.
    file: u32,
    last: Mutex<LastBlock>,
}

/// The block used last, which is looked up without the cache.
#[derive(Debug, Default)]
struct LastBlock {
    number: usize,
    /// Empty before the first.
    codes: Arc<[u8]>,
    error: Option<TableError>,
}

impl CachedHalf {
    /// Returns a half whose blocks share a cache with those of others.
    pub(crate) fn new(source: Box<dyn BlockSource>, cache: &Arc<BlockCache>) -> Self {
        Self {
            length: source.codes_at_once(),
            source,
            cache: cache.clone(),
            file: cache.file(),
            last: Mutex::default(),
        }
    }

    /// Returns the half for as many codes as are wanted now.
    #[inline]
    pub(crate) fn lock(&self) -> LockedHalf<'_> {
        LockedHalf {
            half: self,
            last: lock(&self.last),
        }
    }

    /// Returns the first error. The codes of a block that could not be loaded were given as 0.
    pub(crate) fn take_error(&self) -> Result<(), TableError> {
        lock(&self.last).error.take().map_or(Ok(()), Err)
    }

    /// Returns a block of the cache, or loads it.
    fn block(&self, number: usize) -> Result<Arc<[u8]>, TableError> {
        let load = || Ok::<_, TableError>(Cached::Block(self.source.load(number)?.into()));
        match self.cache.get(self.file, number as u32, load)? {
            Cached::Block(codes) => Ok(codes),
            Cached::Decoder(_) => unreachable!("only blocks have the number of this half"),
        }
    }
}

/// A [`CachedHalf`] in use.
pub(crate) struct LockedHalf<'a> {
    half: &'a CachedHalf,
    last: MutexGuard<'a, LastBlock>,
}

impl LockedHalf<'_> {
    /// Returns the code of an index; 0 if it cannot be loaded, which [`CachedHalf::take_error`] reports.
    #[inline]
    pub(crate) fn code(&mut self, index: usize) -> u8 {
        let length = self.half.length;
        let (number, within) = (index >> length.trailing_zeros(), index & (length - 1));
        if number != self.last.number || self.last.codes.is_empty() {
            self.change_to(number);
        }
        self.last.codes[within]
    }

    /// Makes another block the last one.
    fn change_to(&mut self, number: usize) {
        self.last.number = number;
        self.last.codes = match self.half.block(number) {
            Ok(codes) => codes,
            Err(error) => {
                self.last.error.get_or_insert(error);
                vec![0; self.half.length].into()
            }
        };
    }
}

#[cfg(test)]
mod tests {
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
    fn blocks_are_loaded_once_and_errors_reported() {
        let loads = Arc::new(AtomicUsize::new(0));
        let cache = Arc::new(BlockCache::new(1 << 20));
        let half = CachedHalf::new(Box::new(Numbers(loads.clone())), &cache);
        let other = CachedHalf::new(Box::new(Numbers(loads.clone())), &cache);
        let code = |half: &CachedHalf, number: usize| half.lock().code(number * 64 + 5);
        for (number, expected) in [(0, 1), (3, 2), (3, 2), (4, 3), (3, 3), (0, 3)] {
            assert_eq!(usize::from(code(&half, number)), number);
            assert_eq!(loads.load(Ordering::Relaxed), expected, "{number}");
        }
        assert_eq!(code(&other, 4), 4);
        assert_eq!(loads.load(Ordering::Relaxed), 4, "a block of another half");
        assert!(half.take_error().is_ok());
        assert_eq!(code(&half, 9), 0);
        assert_eq!(code(&half, 3), 3);
        let error = half.take_error();
        assert!(matches!(error, Err(TableError::TooDeep { .. })));
    }
}
