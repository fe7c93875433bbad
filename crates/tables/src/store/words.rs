//! Sets of positions by the number of their word.

use std::sync::atomic::{AtomicU64, Ordering};

use everymove_kernel::files::FileError;

/// Sets of 64 positions by the number of their word.
pub(crate) trait Words {
    /// The set of a word.
    fn get(&mut self, word: usize) -> u64;

    /// Changes the set of a word.
    fn set(&mut self, word: usize, set: u64);

    /// What went wrong behind the calls before, if anything did.
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
