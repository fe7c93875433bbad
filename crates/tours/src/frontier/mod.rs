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
//! (edits as prepared maps of ranks), `degrees` and `bits` (degree vectors and sets of them), `steps` (the relation
//! between neighbouring layers), `strip` and `plan` (which steps, in which halves), `reach` (which degree vectors
//! matter), `block` (how a layer is stored), `pull` (one step), `join` (the halves meet), `count` (all together, with
//! `weights` and `estimate` for the memory, `checkpoint` for layers on disk and `residues` for counts beyond 128 bits). `walk` and
//! `sample` go back through the layers, to number the tours and draw from them.
//!
//! The method is Knuth's and McKay's transfer of states along a frontier (McKay, "Knight's tours of an 8x8
//! chessboard", 1997; Knuth, TAOCP 4A 7.1.4 on simpaths), with blocks by degree vector, ranked matchings and the join
//! of mirrored halves added.

mod bits;
mod block;
mod checkpoint;
mod count;
mod degrees;
mod edit;
mod estimate;
mod join;
mod maps;
mod matching;
mod plan;
mod pull;
mod reach;
mod residues;
mod sample;
mod steps;
mod strip;
mod walk;
mod weights;

use everymove_kernel::files::FileError;
use everymove_kernel::grid::Grid;
use everymove_kernel::run::{OverBudget, Stopped};
use thiserror::Error;

pub use count::{Count, Options, Question, by_start, count};
pub use sample::{SampleError, Sampler};

/// Why a count has no answer.
#[derive(Debug, Error)]
pub enum CountError {
    /// The run's stop flag was raised.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The run's memory budget is too small.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The narrow side of the board is too wide for the method.
    #[error(
        "the {board} board needs a frontier of {slots} squares, but {most} is the most: its narrow side is too wide"
    )]
    TooWide {
        /// The board.
        board: Grid,
        /// Frontier squares needed.
        slots: usize,
        /// Frontier squares possible.
        most: usize,
    },
    /// A checkpoint file cannot be written, read or believed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The checkpoint folder belongs to another count.
    #[error(
        "{path} belongs to another count: it is of {found}, asked for is {asked}; name another folder"
    )]
    OtherCheckpoint {
        /// The manifest.
        path: String,
        /// What the folder is of.
        found: String,
        /// What is asked for.
        asked: String,
    },
    /// The count may have more than a thousand bits, beyond what its bound can express.
    #[error("the count may be larger than 2^1000: the board is too long for the method")]
    TooMany,
    /// A single degree vector has more states than a chunk can address.
    #[error("a block of states is larger than 4 GiB: the board's narrow side is too wide")]
    BlockTooLarge,
}
