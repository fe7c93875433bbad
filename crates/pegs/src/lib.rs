//! Peg solitaire on any board of up to 64 holes.

mod board;
mod count;
mod error;
mod invariant;
mod lattice;
mod layers;
mod position;
mod problem;
mod reach;
mod strided;
mod symmetry;
mod winning;

pub use board::{Board, BoardError, Jump, NAMED, Named};
pub use count::{Games, Solutions, count_games, count_solutions};
pub use error::PegError;
pub use invariant::{Class, Invariants};
pub use lattice::{Lattice, NotALattice};
pub use position::{Hole, Position};
pub use problem::{Finish, Problem};
pub use reach::{Reach, ReachedLayer, class_symmetries, reach};
pub use symmetry::{Symmetry, canonical};
pub use winning::WinningSet;
