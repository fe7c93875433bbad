//! Sets of positions by word.

use std::sync::atomic::{AtomicU64, Ordering};

use everymove_kernel::files::FileError;

/// Sets of 64 positions each, by word.
pub(crate) trait Words {
    /// Returns the set of a word.
    fn get(&mut self, word: usize) -> u64;

    /// Replaces the set of a word.
    fn set(&mut self, word: usize, set: u64);

    /// Returns the first error of the calls before, if there was one, and clears it.
    fn take_error(&mut self) -> Result<(), FileError> {
        Ok(())
    }
}

impl Words for Vec<u64> {
    #[inline]
    fn get(&mut self, word: usize) -> u64 {
        self[word]
    }

    #[inline]
    fn set(&mut self, word: usize, set: u64) {
        self[word] = set;
    }
}

impl Words for &[AtomicU64] {
    #[inline]
    fn get(&mut self, word: usize) -> u64 {
        self[word].load(Ordering::Relaxed)
    }

    #[inline]
    fn set(&mut self, word: usize, set: u64) {
        // A word belongs to the one thread that visits its chunk.
        self[word].store(set, Ordering::Relaxed);
    }
}
