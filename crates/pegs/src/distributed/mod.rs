//! Every position that can be reached, with layers shared by several processes.
//!
//! Each process owns some sections of every layer, spread over all of it: its *part*. It expands its part of a layer into as much
//! of the next layer at a time as its memory holds, at best into the whole, and sends the bits to the owners of their sections,
//! which join them by `or`. How words get from one process to another is not known here: that is an [`Exchange`].
//!
//! # Digests
//! A layer is cut into blocks: consecutive heads, as many as have at most 4096 words together, but at least one. The digest
//! of a block is the XXH3 (64 bits) of its words, little-endian; that of the layer the XXH3 of the digests of its
//! blocks, little-endian, in order. Sections are whole blocks, so that digests do not depend on the number of processes.
//!
//! In reading order: this file, `parts` (the sections of a layer and their owners), `search`, `saved` (layers from which a
//! search is resumed).

mod parts;
mod saved;
mod search;

use crate::error::PegError;
use crate::problem::Problem;
use crate::reached::Reach;
use everymove_kernel::files::SavedParts;
use everymove_kernel::run::Run;
pub use saved::SHARED_PART;

/// The processes that share the layers, as one of them sees them.
///
/// All processes call the same functions in the same order, but for [`send`](Self::send).
pub trait Exchange {
    /// Why the work of a process ends early.
    type Error: From<PegError>;

    /// How many processes there are.
    fn processes(&self) -> usize;

    /// The number of this process, from 0.
    fn process(&self) -> usize;

    /// Begins a layer: from now on words are joined to this process's part of it.
    ///
    /// # Errors
    /// If the run ends early, here and below.
    fn begin(&mut self, part: Vec<u64>) -> Result<(), Self::Error>;

    /// Joins words by `or` to the part of a process, also of this one, from its word with number `first` on.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    fn send(&mut self, to: usize, first: usize, words: &[u64]) -> Result<(), Self::Error>;

    /// Ends the layer: returns this process's part once the words that all processes sent are joined.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    fn end(&mut self) -> Result<Vec<u64>, Self::Error>;

    /// Says some numbers to all processes; returns what each of them said, by its number.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    fn gather(&mut self, values: Vec<u64>) -> Result<Vec<Vec<u64>>, Self::Error>;
}

/// What can be reached, with a digest of each layer.
#[derive(Clone, Debug)]
pub struct DistributedReach {
    /// What can be reached: the same in all processes.
    pub reach: Reach,
    /// The digest of each layer.
    pub digests: Vec<u64>,
}

/// Counts the positions that can be reached, each process a part of every layer; the memory of `run` is that of this process.
/// Every process returns the same. With folders for files of the format [`SHARED_PART`] it saves its parts of some layers, and any number of
/// processes resumes from the last one; the files are removed in the end.
///
/// # Errors
/// [`PegError::OverBudget`] before any work if the parts of two layers do not fit, [`PegError::Stopped`],
/// [`PegError::Board`] for a start without pegs, [`PegError::File`], and those of the exchange.
pub fn reach_distributed<E: Exchange>(
    problem: &Problem,
    exchange: &mut E,
    saved: Option<SavedParts>,
    run: &Run,
) -> Result<DistributedReach, E::Error> {
    search::reach(problem, exchange, saved, search::BUFFERS, run)
}

/// An exchange of one process, which owns everything.
#[derive(Debug, Default)]
pub struct Alone {
    part: Vec<u64>,
}

impl Exchange for Alone {
    type Error = PegError;

    fn processes(&self) -> usize {
        1
    }

    fn process(&self) -> usize {
        0
    }

    fn begin(&mut self, part: Vec<u64>) -> Result<(), PegError> {
        self.part = part;
        Ok(())
    }

    fn send(&mut self, _: usize, first: usize, words: &[u64]) -> Result<(), PegError> {
        for (word, more) in self.part[first..].iter_mut().zip(words) {
            *word |= more;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<Vec<u64>, PegError> {
        Ok(std::mem::take(&mut self.part))
    }

    fn gather(&mut self, values: Vec<u64>) -> Result<Vec<Vec<u64>>, PegError> {
        Ok(vec![values])
    }
}

#[cfg(test)]
mod tests;
