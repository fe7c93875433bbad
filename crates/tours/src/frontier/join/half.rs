//! What the join reads of a half.

use super::super::bits::Class;
use super::super::block::{Blocks, Layer};
use super::super::degrees::Degrees;

/// The last layer of a half.
pub(in super::super) trait Half: Sync {
    /// What a thread reads its blocks with.
    type Reader<'a>: Blocks + Send
    where
        Self: 'a;

    /// The degree vectors of its blocks.
    fn degrees(&self) -> &[Degrees];

    /// The class that they make up, if they are not ascending.
    fn class(&self) -> Option<&Class>;

    /// A reader of its blocks.
    fn reader(&self) -> Self::Reader<'_>;
}

impl Half for Layer {
    type Reader<'a> = &'a Self;

    fn degrees(&self) -> &[Degrees] {
        &self.degrees
    }

    fn class(&self) -> Option<&Class> {
        self.class.as_ref()
    }

    fn reader(&self) -> &Self {
        self
    }
}
