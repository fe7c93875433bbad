//! The compression of Syzygy files: values to symbols (Re-Pair), symbols to code words (Huffman),
//! code words to blocks.
//!
//! Writing goes `runs` (run lengths as powers of two; `run_list` holds those of samples), `repair`
//! (frequent pairs become symbols), `huffman` (lengths of code words), `encode` (code words,
//! blocks, index). Reading is `header` and `decode`.

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod header;
pub(crate) mod huffman;
pub(crate) mod repair;
pub(crate) mod run_list;
pub(crate) mod runs;
