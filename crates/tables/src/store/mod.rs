//! Sets of positions and tables, in memory and in files.
//!
//! In reading order:
//! - `words`, `list`: dense and sparse sets; `spool`: lists kept in memory or in a file; `buffer`:
//!   bytes in either;
//! - `win_set`, `paged`: the set of wins in memory, loaded chunk by chunk, or page by page;
//! - `folder_use`: several builds in one directory;
//! - `half_codes`: the encoded distances of a half in memory, or loaded block by block;
//! - `rows`, `row_model`, `row_decoder`: blocks of which single codes are decoded; `block_cache`:
//!   blocks in memory;
//! - `clock_steps`: distances that depend on the half-move clock;
//! - `seen_codes`: which codes a section has;
//! - `packing`: how blocks are compressed; `format`: the table file; `directory`: a directory of
//!   tables; `locate`: where the halves of a position are in it.

pub(crate) mod block_cache;
pub(crate) mod buffer;
pub(crate) mod clock_steps;
pub(crate) mod directory;
pub(crate) mod folder_use;
pub(crate) mod format;
#[cfg(test)]
mod format_tests;
pub(crate) mod half_codes;
pub(crate) mod list;
pub(crate) mod locate;
mod packing;
pub(crate) mod paged;
mod row_decoder;
mod row_model;
mod rows;
mod seen_codes;
pub(crate) mod spool;
pub(crate) mod win_set;
pub(crate) mod words;

pub use directory::Tables;
