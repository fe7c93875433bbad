//! Everything one can ask of knight's tours on an m x n board, exactly.
//!
//! In reading order:
//! - [`board`]: the board (grid, leaper, holes), the kind of tour, and the graph of moves;
//! - [`tour`]: one tour as the step number of every square;
//! - [`check`]: the verifier, which shares no code with any solver;
//! - [`formats`]: tours written as text and bytes, and read back;
//! - [`theory`]: instant answers to whether a tour exists;
//! - [`construct`]: one tour of any board, up to billions of squares;
//! - [`search`]: every tour of a small board, counted or listed;
//! - [`complete`]: whether a path can still become a tour;
//! - [`frontier`]: tours counted without listing them, and every tour by its number;
//! - [`sequences`]: the sequences of the OEIS that count tours;
//! - [`symmetric`]: tours with symmetry, tours from turned copies of a path, tours up to symmetry.
//!
//! ```
//! use everymove_tours::board::Board;
//!
//! let board = Board::knight(8, 8)?;
//! assert_eq!(board.neighbours(0).count(), 2);
//! # Ok::<(), everymove_tours::board::BoardError>(())
//! ```

pub mod board;
pub mod check;
pub mod columns;
pub mod complete;
pub mod construct;
mod count;
pub mod formats;
pub mod frontier;
mod list;
pub mod question;
pub mod search;
pub mod sequences;
pub mod symmetric;
pub mod theory;
pub mod tour;

pub use count::{Count, CountError, CountMethod, CountOptions, MethodChoice, count};
pub use list::{Listed, list};
