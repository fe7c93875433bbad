//! Sets of positions and tables, in memory and in files.
//!
//! In reading order:
//! - `words`, `list`: dense and sparse sets; `spool`: lists kept in memory or in a file;
//! - `win_set`, `paged`: the set of wins in memory, loaded chunk by chunk, or page by page;
//! - `half_view`: the encoded distances of a half in memory;
//! - `format`: the table file; `directory`: a directory of tables.

pub(crate) mod directory;
pub(crate) mod format;
pub(crate) mod half_view;
pub(crate) mod list;
pub(crate) mod paged;
pub(crate) mod spool;
pub(crate) mod win_set;
pub(crate) mod words;

pub use directory::Tables;
