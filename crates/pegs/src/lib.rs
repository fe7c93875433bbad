//! Peg solitaire on any board of up to 64 holes.

mod board;
mod error;
mod invariant;
mod lattice;
mod layers;
mod position;
mod reach;
mod strided;
mod symmetry;

pub use board::{Board, BoardError, Jump, NAMED, Named};
pub use error::PegError;
pub use invariant::{Class, Invariants};
pub use lattice::{Lattice, NotALattice};
pub use position::{Hole, Position};
pub use reach::{Reach, ReachedLayer, class_symmetries, reach};
pub use symmetry::{Symmetry, canonical};
