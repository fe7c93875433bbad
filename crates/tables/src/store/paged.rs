//! Sets of positions in a file, with a direct-mapped cache of pages in memory: for a schedule with
//! random access.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use everymove_kernel::files::{FileError, Storage};

use crate::error::TableError;
use crate::store::directory::lock;
use crate::store::spool::{BytesMoved, SpoolFile};
use crate::store::win_set::{ChunkBuffer, ChunkRef, WinSet};
use crate::store::words::Words;

/// Words of a page: 4 KiB, the unit in which disks and operating systems transfer.
const PAGE: usize = 512;
/// Marks an empty cache slot.
const NONE: u32 = u32::MAX;

/// Words in a file behind a direct-mapped cache: each page has one slot.
#[derive(Debug)]
pub(crate) struct PagedWords {
    file: SpoolFile,
    words: Vec<u64>,
    /// By slot: its page.
    pages: Vec<u32>,
    dirty: Vec<bool>,
    error: Option<FileError>,
}

impl PagedWords {
    /// Returns `words` empty words in a file of their own, with at most `memory` bytes of cache.
    fn new(
        storage: &Arc<dyn Storage>,
        name: &str,
        words: usize,
        memory: u64,
        moved: &Arc<BytesMoved>,
    ) -> Result<Self, FileError> {
        let file = SpoolFile::new_counted(storage, name, moved)?;
        let pages = words.div_ceil(PAGE);
        file.resize((pages * PAGE * 8) as u64)?;
        let slots = (memory as usize / (PAGE * 8)).clamp(1, pages.max(1));
        Ok(Self {
            file,
            words: vec![0; slots * PAGE],
            pages: vec![NONE; slots],
            dirty: vec![false; slots],
            error: None,
        })
    }

    /// Returns the position of a word in the cache, after loading its page if needed, and its slot.
    #[inline]
    fn find(&mut self, word: usize) -> (usize, usize) {
        let page = word / PAGE;
        let slot = page % self.pages.len();
        if self.pages[slot] != page as u32 {
            let moved = self.swap_in(slot, page);
            self.error = self.error.take().or(moved.err());
        }
        (slot * PAGE + word % PAGE, slot)
    }

    #[cold]
    fn swap_in(&mut self, slot: usize, page: usize) -> Result<(), FileError> {
        let words = &mut self.words[slot * PAGE..(slot + 1) * PAGE];
        let mut bytes = [0; PAGE * 8];
        if self.dirty[slot] {
            for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(&*words) {
                *bytes = word.to_le_bytes();
            }
            let at = u64::from(self.pages[slot]) * (PAGE * 8) as u64;
            self.file.write_at(at, &bytes)?;
            self.dirty[slot] = false;
        }
        self.file.read_at((page * PAGE * 8) as u64, &mut bytes)?;
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        self.pages[slot] = page as u32;
        Ok(())
    }
}

impl Words for PagedWords {
    #[inline]
    fn get(&mut self, word: usize) -> u64 {
        let (at, _) = self.find(word);
        self.words[at]
    }

    #[inline]
    fn set(&mut self, word: usize, set: u64) {
        let (at, slot) = self.find(word);
        self.words[at] = set;
        self.dirty[slot] = true;
    }

    fn take_error(&mut self) -> Result<(), FileError> {
        self.error.take().map_or(Ok(()), Err)
    }
}

/// The set of wins and the buffers of a workspace, all behind page caches.
#[derive(Debug)]
pub(crate) struct Paged {
    win_set: Mutex<PagedWords>,
    storage: Arc<dyn Storage>,
    /// Bytes of cache of each set.
    memory: u64,
    buffers: AtomicU64,
    moved: Arc<BytesMoved>,
}

impl Paged {
    /// Returns the bytes of memory for a set of `words` words and one workspace, with `memory`
    /// bytes of cache for each of the three sets.
    pub(crate) fn bytes(words: usize, memory: u64) -> u64 {
        3 * memory + words as u64 / 8 * 2
    }

    /// Returns an empty set of `words` words in `storage`; this set and each of the two buffers has
    /// at most `memory` bytes of cache.
    pub(crate) fn new(
        storage: &Arc<dyn Storage>,
        words: usize,
        memory: u64,
    ) -> Result<Self, FileError> {
        let moved = Arc::default();
        let win_set = PagedWords::new(storage, "won.draft", words, memory, &moved)?;
        Ok(Self {
            win_set: Mutex::new(win_set),
            storage: storage.clone(),
            memory,
            buffers: AtomicU64::new(0),
            moved,
        })
    }
}

impl WinSet for Paged {
    type Chunk<'a> = PagedWords;
    type Buffer = PagedWords;

    fn new_buffer(&self, words: usize) -> Result<PagedWords, FileError> {
        let number = self.buffers.fetch_add(1, Ordering::Relaxed);
        let name = format!("pile{number}.draft");
        PagedWords::new(&self.storage, &name, words, self.memory, &self.moved)
    }

    fn with_chunk<T>(
        &self,
        _: ChunkRef<'_>,
        _: &mut ChunkBuffer,
        work: impl FnOnce(&mut Self::Chunk<'_>) -> Result<T, TableError>,
    ) -> Result<T, TableError> {
        let mut known_wins = lock(&self.win_set);
        let done = work(&mut known_wins)?;
        known_wins.take_error()?;
        Ok(done)
    }

    fn bytes_moved(&self) -> (u64, u64) {
        self.moved.total()
    }

    /// Applies to the set of wins only: the buffers have files of their own.
    fn drop_cache(&self) -> Result<(), FileError> {
        lock(&self.win_set).file.drop_cache()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use everymove_kernel::files::Memory;
    use everymove_kernel::rng::SplitMix64;

    use super::*;

    #[test]
    fn pages_come_back_as_they_went() {
        let storage: Arc<dyn Storage> = Arc::new(Memory::default());
        let mut paged =
            PagedWords::new(&storage, "words", 100_000, 20_000, &Arc::default()).unwrap();
        assert_eq!(paged.pages.len(), 4);
        let mut expected = HashMap::new();
        let mut rng = SplitMix64::new(7);
        for _ in 0..100_000 {
            let word = (rng.next_u64() % 100_000) as usize;
            if rng.next_u64().is_multiple_of(2) {
                let set = rng.next_u64();
                paged.set(word, set);
                expected.insert(word, set);
            } else {
                assert_eq!(paged.get(word), *expected.get(&word).unwrap_or(&0));
            }
        }
        paged.take_error().unwrap();
        let (read, written) = paged.file.bytes_moved();
        assert!(read > 100 << 20 && written > 0 && written < read);
    }
}
