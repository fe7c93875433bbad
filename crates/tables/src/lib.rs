//! Endgame tables of chess: the exact value of every position of an ending, made, stored, looked up and checked.
//!
//! A table is made by retrograde analysis: from mates (or from conversions into smaller endings) backwards, alternately all
//! positions that a move leads into a loss, which are wins, and all positions whose every move leads into a win, which are
//! losses. The work is cut up so that it stays in near memory: H. G. Muller, "Leapfrog: Tree Decomposition". 64 positions
//! that differ in one man's square are one machine word and are worked on at once.
//!
//! ```
//! use everymove_kernel::run::Run;
//! use everymove_tables::{Metric, Plan, Tables, Value, build, probe};
//!
//! let folder = tempfile::tempdir()?;
//! let tables = Tables::new(folder.path(), Metric::Mate);
//! let plan = Plan::new("KQvK".parse()?, Metric::Mate);
//! build(&plan, &tables, &Run::serial())?;
//! let position = probe::read_position("8/8/8/8/8/2k5/7Q/K7 w - - 0 1")?;
//! let probed = tables.probe(&position)?;
//! assert_eq!(probed.value, Value::Win(11));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In reading order:
//! - [`material`]: men, endings, what an ending leads to; an ending's two *halves*, one for each side's wins;
//! - `geometry`, `space`, `frame`: words of squares, numbers of positions, quiet moves from word to word;
//! - [`metric`]: plies to mate, plies to a zeroing move; `convert`: captures and pawn moves;
//! - `words`, `list`, `spool`: dense and sparse sets; `cut`, `won`, `paged`: chunks, and the set of wins in memory or brought
//!   there from a file; `cycle`, `levels`, [`schedule`], `solve`: one step, what it finds, the order of the steps;
//! - [`build`](mod@build): tables and those they need; `demand`, `pieces`, `pawns`: all at once, constellation by constellation; `merge`: lists
//!   to blocks; `format`: files (`docs/formats.md` has every byte);
//! - [`checkpoint`]: unfinished work kept;
//! - [`library`]: a folder of tables; [`probe`]: values, moves, lines; [`stats`]: counts; [`notable`]: longest
//!   wins, mutual zugzwangs;
//! - [`verify`]: every value derived again from the rules, by another library's moves.

pub mod build;
pub mod checkpoint;
pub mod library;
pub mod material;
pub mod metric;
pub mod notable;
pub mod probe;
pub mod schedule;
pub mod stats;
pub mod syzygy;
pub mod verify;

mod convert;
mod cut;
mod cycle;
mod demand;
mod format;
mod frame;
mod geometry;
mod levels;
mod list;
mod merge;
mod paged;
mod pawns;
mod pieces;
mod rules;
mod solve;
mod space;
mod spool;
mod won;
mod words;

pub use build::{Built, Plan, build, least_bytes};
pub use checkpoint::Checkpoint;
pub use library::{TableError, Tables};
pub use material::{Army, Half, Kind, Material, MaterialError};
pub use metric::Metric;
pub use probe::{Choice, Probed, Value};
pub use schedule::{Schedule, Traffic};
