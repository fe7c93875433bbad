//! Re-Pair (N. J. Larsson and A. Moffat, "Offline Dictionary-Based Compression", 1999): the most
//! frequent pair of adjacent symbols becomes a new symbol everywhere it occurs, again and again.
//!
//! `grammar` is the entry; `scan` replaces the first pairs of a long sequence, `replace` all others
//! (`symbol` has what both decide by); `parse` splits a whole sequence into the symbols found, so
//! that their code words take the fewest bits.

pub(crate) mod grammar;

mod parse;
mod replace;
mod scan;
mod symbol;
