//! Counting with layers shared by several processes.
//!
//! Each process owns some blocks of every layer: its *part*, which it makes by itself. Before a step the owner of a block sends
//! it to the processes that make a block of it; they keep these copies, the *ghost blocks*, until the step is done. At the end the processes join
//! their parts of the first half with the facing blocks of the second, and add up their sums. How bytes get from one
//! process to another is not known here: that is an [`Exchange`].
//!
//! # Digests
//! The digest of a block is the XXH3 (64 bits) of its degree vector (u32), its form (a byte: 0 dense, 1 bitmap, 2 list), the bytes of a
//! count (a byte), the words of its bitmap (u64), its ranks (u32) and its counts, all little-endian. That of a layer is the sum of those of
//! its blocks, modulo 2^64. So digests depend neither on the number of processes nor on who owns what.
//!
//! In reading order: this file, `link` (an exchange of any type), `key_squares` and `owners` (who owns which block), `ghosts` and `message`
//! (blocks for other processes), `pairs` (who joins what), `prepare` (the plan), `count` (all together), `saved` (layers from which a count is
//! resumed), `needed` (the half that all classes of a count need).

mod count;
mod ghosts;
mod key_squares;
mod link;
mod message;
mod needed;
mod owners;
mod pairs;
mod prepare;
mod saved;

use everymove_kernel::run::Work;
use num_bigint::BigUint;

use super::FrontierError;
use super::counted::{describe, given_end};
use crate::question::Question;
pub use count::count_distributed;
pub(super) use needed::{Needed, make_needed};
pub use saved::SHARED_PART;

/// The processes that share the layers, as one of them sees them.
///
/// All processes call the same functions in the same order, but for [`send`](Self::send).
pub trait Exchange {
    /// Why the work of a process ends early.
    type Error: From<FrontierError>;

    /// How many processes there are.
    fn processes(&self) -> usize;

    /// The number of this process, from 0.
    fn process(&self) -> usize;

    /// Begins a round, in which processes send pieces to each other.
    ///
    /// # Errors
    /// If the run ends early, here and below.
    fn begin(&mut self) -> Result<(), Self::Error>;

    /// Sends a piece to another process.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    fn send(&mut self, to: usize, piece: &[u8]) -> Result<(), Self::Error>;

    /// Ends the round: returns the pieces that the others sent to this process, in any order.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    fn end(&mut self) -> Result<Vec<Vec<u8>>, Self::Error>;

    /// Says some numbers to all processes; returns what each of them said, by its number.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    fn gather(&mut self, values: Vec<u64>) -> Result<Vec<Vec<u64>>, Self::Error>;
}

/// The answer of several processes, the same in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistributedCount {
    /// Undirected tours, as in [`Count`](super::Count).
    pub undirected: BigUint,
    /// As in [`Count`](super::Count), of all processes together.
    pub work: Work,
    /// The digest of each layer: those that both halves have in common, those of the second half, those of the first.
    pub digests: Vec<u64>,
}

/// What is counted, in words, as a checkpoint keeps it.
///
/// # Errors
/// [`FrontierError`] for a question that the frontier does not answer, such as tours with both ends given.
pub fn in_words(question: &Question) -> Result<String, FrontierError> {
    Ok(describe(question, given_end(question)?))
}

/// An exchange of one process, which owns everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Exchange for Alone {
    type Error = FrontierError;

    fn processes(&self) -> usize {
        1
    }

    fn process(&self) -> usize {
        0
    }

    fn begin(&mut self) -> Result<(), FrontierError> {
        Ok(())
    }

    fn send(&mut self, _: usize, _: &[u8]) -> Result<(), FrontierError> {
        Ok(())
    }

    fn end(&mut self) -> Result<Vec<Vec<u8>>, FrontierError> {
        Ok(Vec::new())
    }

    fn gather(&mut self, values: Vec<u64>) -> Result<Vec<Vec<u64>>, FrontierError> {
        Ok(vec![values])
    }
}

#[cfg(test)]
mod tests;
