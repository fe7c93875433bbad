//! The values that a Syzygy file stores, derived from our tables of distances to zeroing moves.
//!
//! - `wdl`: the five values win to loss;
//! - `value_table`: one byte for every position of an ending; `index_map`: the same position in the
//!   table of another ending;
//! - `captures`: the best capture of every position; `required_values`: what the file must store,
//!   given that readers try captures first;
//! - `permute`, `transpose`: the bytes in the order of a sub-table's indices; `sub_table`: in
//!   memory, or P-slice by P-slice;
//! - `dont_care`: entries that may hold any value, filled; `dtz_map`: distances replaced by their
//!   rank.

pub(crate) mod captures;
pub(crate) mod dont_care;
pub(crate) mod dtz_map;
pub(crate) mod index_map;
pub(crate) mod permute;
pub(crate) mod required_values;
pub(crate) mod sub_table;
pub(crate) mod transpose;
pub(crate) mod value_table;
pub(crate) mod wdl;
