//! Re-Pair (N. J. Larsson and A. Moffat, "Offline Dictionary-Based Compression", 1999): the most frequent pair of adjacent symbols
//! becomes a new symbol everywhere it occurs, again and again.
//!
//! `grammar` is the entry; `replace` finds and replaces the pairs of a sequence in memory; `parse` splits a whole sequence into the symbols
//! found, so that their code words take the fewest bits.

pub(crate) mod grammar;

mod parse;
mod replace;
