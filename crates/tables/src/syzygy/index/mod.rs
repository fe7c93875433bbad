//! The index of a position in a Syzygy sub-table, and back.
//!
//! `binomial` lists combinations; `leading` indexes the first group of pieces, which fixes the symmetry; `piece_order` puts the
//! groups together; `candidates` lists every order of pieces that an ending may have.

pub(crate) mod binomial;
pub(crate) mod candidates;
pub(crate) mod leading;
pub(crate) mod piece_order;
