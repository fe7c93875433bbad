//! The C library of endgame tables: everymove's own files (`.dtm`, `.dtz`) and Syzygy files
//! (`.rtbw`, `.rtbz`).
//!
//! C programs include `include/everymove_tables.h` and link `libeverymove_tables_c`, static or
//! shared; `docs/c.md` describes both and `examples/probe.c` uses every function. The header is
//! made of these sources: `cargo run --manifest-path dev/Cargo.toml >
//! crates/tables-c/include/everymove_tables.h`; `cargo xtask long` compares.
//!
//! Every function returns a [`Status`](status::Status) and writes its result to memory of the
//! caller. A panic never reaches the caller: it becomes a status. Handles may be used by any number
//! of threads at once.
//!
//! In reading order:
//! - [`position`]: positions as bitboards or FEN;
//! - [`handle`]: folders of tables, opened and closed;
//! - [`probe`]: values, distances, moves;
//! - [`status`]: status codes and messages; `pointers`: the pointers of the caller.

#![expect(
    unsafe_code,
    reason = "a C interface exports symbols and reads and writes through the pointers of its caller"
)]
#![warn(
    clippy::undocumented_unsafe_blocks,
    clippy::missing_safety_doc,
    unsafe_op_in_unsafe_fn
)]

mod pointers;

pub mod handle;
pub mod position;
pub mod probe;
pub mod status;
