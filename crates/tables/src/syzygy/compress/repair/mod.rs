//! Re-Pair (N. J. Larsson and A. Moffat, "Offline Dictionary-Based Compression", 1999): the most frequent pair of adjacent symbols
//! becomes a new symbol everywhere it occurs, again and again.
//!
//! `grammar` is the entry; `replace` finds and replaces the pairs of a sequence in memory; `apply` replaces the pairs found in a part
//! of a long sequence in all of it.

pub(crate) mod grammar;

mod apply;
mod replace;
