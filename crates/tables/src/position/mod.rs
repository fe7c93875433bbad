//! Positions: endings, boards, indices, moves.
//!
//! In reading order:
//! - `material`: pieces, endings, what an ending leads to; `board`: boards of the shakmaty library;
//! - `geometry`: 64-bit words of squares; `rules`: whether a side has a move;
//! - `index_space`: the index of a position; `subspace`: quiet moves from word to word.

pub(crate) mod board;
pub(crate) mod geometry;
pub(crate) mod index_space;
pub(crate) mod material;
pub(crate) mod partition;
pub(crate) mod rules;
pub(crate) mod subspace;

pub use material::{Army, Half, Kind, MAX_PIECES, Material};
