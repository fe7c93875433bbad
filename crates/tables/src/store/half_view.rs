//! The encoded distances of a half in memory, as a whole or slice by slice.

use std::sync::Arc;

use crate::position::index_space::IndexSpace;

/// Encoded distances of a half with one side to move, by index.
#[derive(Clone, Debug)]
pub(crate) enum EncodedDistances {
    /// All indices.
    Whole(Arc<Vec<u8>>),
    /// By slice; slices that are not loaded are `None`.
    Slices(Vec<Option<Arc<Vec<u8>>>>),
}

/// The encoded distances of a half, and its index space.
#[derive(Clone, Debug)]
pub(crate) struct HalfView {
    pub(crate) space: Arc<IndexSpace>,
    pub(crate) codes: EncodedDistances,
}

impl HalfView {
    /// Returns the code of an index, whose slice must be loaded.
    #[inline]
    pub(crate) fn code(&self, index: usize) -> u8 {
        match &self.codes {
            EncodedDistances::Whole(codes) => codes[index],
            EncodedDistances::Slices(slices) => {
                let shift = 6 * self.space.digits();
                match &slices[index >> shift] {
                    Some(slice) => slice[index & ((1 << shift) - 1)],
                    None => unreachable!("the constellations that pawn moves lead to come first"),
                }
            }
        }
    }
}
