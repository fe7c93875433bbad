//! Endgame tables of chess: the exact value of every position of an ending, made, stored, looked up
//! and checked.
//!
//! A table is made by retrograde analysis: from mates (or from conversions into smaller endings)
//! backwards, alternately all positions that a move leads into a loss, which are wins, and all
//! positions whose every move leads into a win, which are losses. The work is cut up so that it
//! stays in near memory: H. G. Muller, "Leapfrog: Tree Decomposition". 64 positions that differ in
//! one piece's square are one machine word and are worked on at once.
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
//! let probed = tables.probe(&position, 0)?;
//! assert_eq!(probed.value, Value::Win(11));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In reading order:
//! - [`position`]: endings and their two *halves*, one for each side's wins; boards as 64-bit
//!   words; indices of positions; quiet moves from word to word;
//! - [`metric`]: plies to mate, with or without the fifty-move rule, plies to a zeroing move, plies
//!   to a conversion;
//! - `store`: dense and sparse sets of positions in memory and in files; the table file
//!   (`docs/formats.md` has every byte); a directory of tables;
//! - [`generate`]: retrograde analysis in four schedules, checkpoints, tables and those they need;
//! - [`probe`]: values, moves, lines; [`clock`]: values with a running half-move clock; [`stats`]:
//!   counts; [`notable`]: longest wins, mutual zugzwangs; [`differences`]: what the fifty-move rule
//!   changes;
//! - [`Tablebase`]: the tables of some folders, own and Syzygy, through which everybody looks
//!   positions up; [`service`]: everything that they say of a position and its moves, for table
//!   servers;
//! - [`syzygy`]: files for other chess programs;
//! - [`verify`]: every value derived again from the rules, by another library's moves;
//! - `ending`: an ending with all it needs and its Syzygy files; [`batch`]: many endings, estimated
//!   before they are made; [`files`]: files that a person names; `error`: errors; `parallel`: one
//!   loop on several threads.

pub mod batch;
pub mod clock;
pub mod differences;
pub mod files;
pub mod generate;
pub mod metric;
pub mod notable;
pub mod position;
pub mod probe;
pub mod service;
pub mod stats;
pub mod syzygy;
pub mod verify;

mod ending;
mod error;
mod store;
mod tablebase;

pub use ending::{BuiltEnding, OutputFiles, build_ending};
pub use error::{MaterialError, TableError};
pub use generate::{Built, Checkpoint, Plan, Schedule, Traffic, build, least_bytes};
pub use metric::Metric;
pub use position::{Army, Half, Kind, Material};
pub use probe::{Choice, Probed, Value};
pub use store::Tables;
pub use tablebase::{Source, Tablebase, Wanted, search_path};
