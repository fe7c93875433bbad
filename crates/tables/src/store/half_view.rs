//! The encoded distances of a half: in memory as a whole or slice by slice, or loaded block by block.

use std::sync::Arc;

use crate::position::index_space::IndexSpace;
use crate::store::cached_half::{CachedHalf, LockedHalf};

/// Encoded distances of a half with one side to move, by index.
#[derive(Clone, Debug)]
pub(crate) enum EncodedDistances {
    /// All indices.
    Whole(Arc<Vec<u8>>),
    /// By slice; slices that are not loaded are `None`.
    Slices(Vec<Option<Arc<Vec<u8>>>>),
    /// All indices, of which the blocks used last are in a cache.
    Cached(Arc<CachedHalf>),
}

/// The encoded distances of a half, and its index space.
#[derive(Clone, Debug)]
pub(crate) struct HalfView {
    pub(crate) space: Arc<IndexSpace>,
    pub(crate) codes: EncodedDistances,
}

/// The codes of a half while some of them are looked up.
pub(crate) enum Codes<'a> {
    Whole(&'a [u8]),
    /// Slices, and the number of bits of an index within a slice.
    Slices(&'a [Option<Arc<Vec<u8>>>], usize),
    Cached(LockedHalf<'a>),
}

impl HalfView {
    /// Returns the codes, to look up several of them.
    #[inline]
    pub(crate) fn codes(&self) -> Codes<'_> {
        match &self.codes {
            EncodedDistances::Whole(codes) => Codes::Whole(codes),
            EncodedDistances::Slices(slices) => Codes::Slices(slices, 6 * self.space.digits()),
            EncodedDistances::Cached(half) => Codes::Cached(half.lock()),
        }
    }

    /// Returns the code of an index, whose slice must be loaded.
    #[inline]
    pub(crate) fn code(&self, index: usize) -> u8 {
        // Without [`Codes`], which has a lock to give back.
        match &self.codes {
            EncodedDistances::Whole(codes) => codes[index],
            EncodedDistances::Slices(slices) => in_slices(slices, 6 * self.space.digits(), index),
            EncodedDistances::Cached(half) => half.lock().code(index),
        }
    }
}

/// Returns the code of an index, of which `bits` bits are within a slice, which must be loaded.
#[inline]
fn in_slices(slices: &[Option<Arc<Vec<u8>>>], bits: usize, index: usize) -> u8 {
    match &slices[index >> bits] {
        Some(slice) => slice[index & ((1 << bits) - 1)],
        None => unreachable!("the constellations that pawn moves lead to come first"),
    }
}

impl Codes<'_> {
    /// Returns the code of an index, whose slice must be loaded.
    #[inline(always)]
    pub(crate) fn of(&mut self, index: usize) -> u8 {
        match self {
            Self::Whole(codes) => codes[index],
            Self::Slices(slices, bits) => in_slices(slices, *bits, index),
            Self::Cached(half) => half.code(index),
        }
    }
}
