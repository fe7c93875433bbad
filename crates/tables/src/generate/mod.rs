//! Generation by retrograde analysis.
//!
//! In reading order:
//! - `plan`, `build`: the table of an ending and those it needs;
//! - `schedule`: the order in which the chunks of a table are processed;
//! - `conversions`: captures and pawn moves; `retro_step`: one step back; `by_distance`: its
//!   results; `solve`: all steps;
//! - `pawnless`, `with_pawns`: endings without pawns and with them; `dependencies`: the P-slices
//!   that a P-slice needs;
//! - `fifty`: plies to mate under the fifty-move rule, for each half-move clock, without un-moves;
//! - `sections`: codes to the blocks of a file; `merge`: lists to the blocks of a file;
//!   `checkpoint`: unfinished work that is saved.

pub(crate) mod build;
pub(crate) mod by_distance;
pub(crate) mod checkpoint;
pub(crate) mod conversions;
pub(crate) mod dependencies;
pub(crate) mod fifty;
pub(crate) mod merge;

pub(crate) mod pawnless;
pub(crate) mod plan;
pub(crate) mod retro_step;
pub(crate) mod schedule;
pub(crate) mod sections;
pub(crate) mod solve;
pub(crate) mod with_pawns;

pub use build::{Built, build, least_bytes};
pub use checkpoint::Checkpoint;
pub use plan::Plan;
pub use schedule::{Schedule, Traffic};
