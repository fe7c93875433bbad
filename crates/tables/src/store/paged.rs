//! Sets in a file of which only some pages are in memory: what a schedule that goes anywhere in the table has to live with.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use everymove_kernel::files::FileError;

use crate::error::TableError;
use crate::store::directory::lock;
use crate::store::spool::{Moved, SpoolFile};
use crate::store::win_set::{ChunkBuffer, Place, WinSet};
use crate::store::words::Words;

/// Words of a page: the 4 KiB that a disk and an operating system move at a time.
const PAGE: usize = 512;
/// The page of a subspace that holds none.
const NONE: u32 = u32::MAX;

/// Words in a file, the pages last used in memory. A page has one subspace that it can be in.
#[derive(Debug)]
pub(crate) struct PagedWords {
    file: SpoolFile,
    words: Vec<u64>,
    /// By subspace: its page.
    pages: Vec<u32>,
    dirty: Vec<bool>,
    take_error: Option<FileError>,
}

impl PagedWords {
    /// Empty sets of so many words, in a file of their own, with at most `memory` bytes of them in memory.
    fn new(path: &Path, words: usize, memory: u64, moved: &Arc<Moved>) -> Result<Self, FileError> {
        let file = SpoolFile::counted(path, moved)?;
        let pages = words.div_ceil(PAGE);
        file.resize((pages * PAGE * 8) as u64)?;
        let subspaces = (memory as usize / (PAGE * 8)).clamp(1, pages.max(1));
        Ok(Self {
            file,
            words: vec![0; subspaces * PAGE],
            pages: vec![NONE; subspaces],
            dirty: vec![false; subspaces],
            take_error: None,
        })
    }

    /// Where a word is in memory, brought there if it was not, and the subspace.
    #[inline]
    fn find(&mut self, word: usize) -> (usize, usize) {
        let page = word / PAGE;
        let subspace = page % self.pages.len();
        if self.pages[subspace] != page as u32 {
            let moved = self.exchange(subspace, page);
            self.take_error = self.take_error.take().or(moved.err());
        }
        (subspace * PAGE + word % PAGE, subspace)
    }

    #[cold]
    fn exchange(&mut self, subspace: usize, page: usize) -> Result<(), FileError> {
        let words = &mut self.words[subspace * PAGE..(subspace + 1) * PAGE];
        let mut bytes = [0; PAGE * 8];
        if self.dirty[subspace] {
            for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(&*words) {
                *bytes = word.to_le_bytes();
            }
            let at = u64::from(self.pages[subspace]) * (PAGE * 8) as u64;
            self.file.put(at, &bytes)?;
            self.dirty[subspace] = false;
        }
        self.file.fetch((page * PAGE * 8) as u64, &mut bytes)?;
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        self.pages[subspace] = page as u32;
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
        let (at, subspace) = self.find(word);
        self.words[at] = set;
        self.dirty[subspace] = true;
    }

    fn take_error(&mut self) -> Result<(), FileError> {
        self.take_error.take().map_or(Ok(()), Err)
    }
}

impl Words for MutexGuard<'_, PagedWords> {
    #[inline]
    fn get(&mut self, word: usize) -> u64 {
        PagedWords::get(self, word)
    }

    #[inline]
    fn set(&mut self, word: usize, set: u64) {
        PagedWords::set(self, word, set);
    }

    fn take_error(&mut self) -> Result<(), FileError> {
        PagedWords::take_error(self)
    }
}

/// A set of wins that is paged in and out, and so are the sets that a visit collects.
#[derive(Debug)]
pub(crate) struct Paged {
    won: Mutex<PagedWords>,
    folder: PathBuf,
    /// Bytes of memory for each of the sets.
    memory: u64,
    accumulators: AtomicU64,
    moved: Arc<Moved>,
}

impl Paged {
    /// Bytes of the sets of a subspace and of one thread's visits, with so many bytes of pages each.
    pub(crate) fn bytes(words: usize, memory: u64) -> u64 {
        3 * memory + words as u64 / 8 * 2
    }

    /// The sets of a subspace and of one thread's visits: three, each with at most `memory` bytes of it in memory.
    pub(crate) fn new(folder: &Path, words: usize, memory: u64) -> Result<Self, FileError> {
        let moved = Arc::default();
        let won = PagedWords::new(&folder.join("won.draft"), words, memory, &moved)?;
        Ok(Self {
            won: Mutex::new(won),
            folder: folder.to_owned(),
            memory,
            accumulators: AtomicU64::new(0),
            moved,
        })
    }
}

impl WinSet for Paged {
    type Chunk<'a> = MutexGuard<'a, PagedWords>;
    type Accumulator = PagedWords;

    fn accumulator(&self, words: usize) -> Result<PagedWords, FileError> {
        let number = self.accumulators.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("accumulator{number}.draft"));
        PagedWords::new(&path, words, self.memory, &self.moved)
    }

    fn visit<T>(
        &self,
        _: Place<'_>,
        _: &mut ChunkBuffer,
        work: impl FnOnce(&mut Self::Chunk<'_>) -> Result<T, TableError>,
    ) -> Result<T, TableError> {
        let mut win_set = lock(&self.won);
        let done = work(&mut win_set)?;
        win_set.take_error()?;
        Ok(done)
    }

    fn moved(&self) -> (u64, u64) {
        self.moved.so_far()
    }

    /// Of the set of wins alone: what a visit collects is in files of its own.
    fn uncache(&self) -> Result<(), FileError> {
        lock(&self.won).file.uncache()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use everymove_kernel::rng::SplitMix64;

    use super::*;

    #[test]
    fn pages_come_back_as_they_went() {
        let folder = tempfile::tempdir().unwrap();
        let mut paged = PagedWords::new(
            &folder.path().join("words"),
            100_000,
            20_000,
            &Arc::default(),
        )
        .unwrap();
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
        let (read, written) = paged.file.moved();
        assert!(read > 100 << 20 && written > 0 && written < read);
    }
}
