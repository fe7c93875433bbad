//! Counting by frontier: every tour of boards far too large to list them.
//!
//! Squares are eliminated row by row, each with all its edges chosen. What matters of the choices so far is the
//! *frontier*: which squares still have neighbours to come, the degree (0, 1, 2) of each, and how the ends of path
//! segments are joined. States are grouped into blocks by degree vector; within a block a state is the rank of a
//! perfect matching, so a step is a handful of table look-ups a state with no hashing and no lock. The halves of the
//! board are counted apart and meet in the middle. An open tour is a closed one through an additional square, the
//! apex, that is joined to all others.
//!
//! The modules, in reading order: `matching` and `edit` (ranks of matchings and what an edge does to them), `maps`
//! (edits as prepared maps of ranks), `degrees`, `bits` and `marks` (degree vectors, positions in lists of them, sets of them), `steps` (the relation
//! between neighbouring layers), `strip` and `plan` (which steps, in which halves), `images` (what a step makes of a set of degree vectors), `reach` (which degree vectors
//! matter), `block` (how a layer is stored), `pull` (one step), `join` (the halves meet), `count` (all together, with
//! `weights` and `estimate` for the memory, `checkpoint` for layers on disk and `residues` for counts beyond 128 bits),
//! `classes` (one half in parts, for counts that outgrow memory), `external` (layers in files), `scheme` (which of these), `forecast` (what each takes),
//! `counted` (the answer of each).
//! `walk` and `sample` go back through the layers, to
//! number the tours and draw from them.
//!
//! The method is Knuth's and McKay's transfer of states along a frontier (McKay, "Knight's tours of an 8x8
//! chessboard", 1997; Knuth, TAOCP 4A 7.1.4 on simpaths), with blocks by degree vector, ranked matchings and the join
//! of mirrored halves added.

mod bits;
mod block;
mod checkpoint;
pub mod classes;
mod count;
mod counted;
mod degrees;
mod edit;
mod error;
mod estimate;
mod external;
mod forecast;
mod images;
mod join;
mod maps;
mod marks;
mod matching;
mod plan;
mod pull;
mod reach;
mod residues;
mod sample;
mod scheme;
mod steps;
mod strip;
mod walk;
mod weights;

pub use count::{Options, by_start, count};
pub use counted::Count;
pub use error::FrontierError;
pub use forecast::{Estimate, estimate};
pub use sample::{SampleError, Sampler};
pub use scheme::{Files, Need, Scheme};
