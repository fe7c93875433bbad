//! Counting by frontier: every tour of boards far too large to list them.
//!
//! Squares are eliminated row by row, each with all its edges chosen. What matters of the choices
//! so far is the *frontier*: which squares still have neighbours to come, the degree (0, 1, 2) of
//! each, and how the ends of path segments are joined. States are grouped into blocks by degree
//! vector; within a block a state is the rank of a perfect matching, so a step is a handful of
//! table look-ups a state with no hashing and no lock. The halves of the board are counted apart
//! and meet in the middle. An open tour is a closed one through an additional square, the
//! apex, that is joined to all others.
//!
//! In reading order:
//! - `step`: the steps as relations between neighbouring layers; `step::plan`: which steps, in
//!   which phases, and where the halves meet; `step::pull`: one step, computed;
//! - `vectors`: degree vectors, sets and lists of them; `vectors::live`: which of them matter;
//! - `states`: matchings, what an edge does to them, blocks of counts, and their bytes in a file;
//! - `join`: the halves meet;
//! - `store`: where layers are, in memory or in files, and the folder from which a count is
//!   resumed;
//! - `engine`: a count from beginning to end over a store; `residues` for counts beyond 128 bits;
//! - `classes`: the same with the first half in parts, for counts that outgrow memory;
//! - `choose`: in memory or in files, whole or by classes: the first way that fits; `choose::need`
//!   and `choose::sizes` say what each takes, `choose::forecast` says so without counting;
//! - `walk` and `sample`: back through the layers, to number the tours and draw from them;
//!   `candidates` draws with less memory.
//!
//! The method is Knuth's and McKay's transfer of states along a frontier (McKay, "Knight's tours of
//! an 8x8 chessboard", 1997; Knuth, TAOCP 4A 7.1.4 on simpaths), with blocks by degree vector,
//! ranked matchings and the join of mirrored halves added.

mod candidates;
mod choose;
pub mod classes;
mod counted;
mod engine;
mod error;
mod join;
pub(crate) mod residues;
mod sample;
mod states;
mod step;
mod store;
mod vectors;
mod walk;

pub use choose::forecast::{Estimate, estimate};
pub use choose::scheme::{FileBytes, Need, Scheme};
pub use choose::{Options, by_start, count};
pub use counted::Count;
pub use error::FrontierError;
pub use sample::{Drawer, SampleError, Sampler};
pub use step::strip::is_too_wide;
