//! The index of a position in a Syzygy sub-table, and back.
//!
//! `binomial` lists combinations; `leading` indexes the leading group of pieces, which fixes the
//! symmetry; `piece_order` combines the indices of all groups; `candidates` lists every piece order
//! that an ending may have; `interleave`: indices by the squares of all pawns.

pub(crate) mod binomial;
pub(crate) mod candidates;
pub(crate) mod interleave;
pub(crate) mod leading;
pub(crate) mod piece_order;
