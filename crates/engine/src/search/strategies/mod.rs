//! The data that threads of one search share: open jobs, split points, marks. The README beside this file states each protocol; the
//! code of the threads is in `../split.rs`, `../abdada.rs` and `../run.rs`.

pub(super) mod busy_table;
#[cfg(all(test, loom))]
mod models;
pub(super) mod pool;
pub(super) mod split_point;
