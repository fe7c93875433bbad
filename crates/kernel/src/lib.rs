//! What the four problems share, and nothing of any of them: no chess, no pegs, no tours.
//!
//! A problem crate takes a validated plan, runs it on these parts and returns numbers together with
//! the [work](run::Work) they cost. Nothing in here prints, exits or reads the environment.
//!
//! In reading order:
//! - [`grid`]: rectangular boards, squares, coordinates such as `c3`, the eight symmetries;
//! - [`pieces`]: pieces by their moves, in Betza's notation;
//! - [`run`]: what a running computation obeys (threads, memory, stop) and what it reports
//!   (progress, work);
//! - [`parallel`]: jobs on several threads, stoppable and in order;
//! - [`backtrack`]: depth-first search in parallel, with the answer of one thread;
//! - [`rng`]: SplitMix64, so that an experiment with a recorded seed repeats to the bit;
//! - [`files`]: files that survive a crash, checked blocks, manifests, a storage that tests can
//!   crash;
//! - [`input`]: files, pipes and devices from outside, read within limits;
//! - [`text`]: texts of others in messages, and suggestions for misspelt names;
//! - [`machine`]: clocks, memory and processor, for measurements and defaults;
//! - [`system`]: all that differs between Linux, Windows and the browser;
//! - [`prefetch`], [`dispatch`]: hints for memory, and code for newer processors chosen at run
//!   time.
//!
//! ```
//! use everymove_kernel::grid::Grid;
//!
//! let board = Grid::new(8, 8)?;
//! let square = board.parse_square("c3")?;
//! assert_eq!(board.row_col(square), (2, 2));
//! assert_eq!(board.symmetries().len(), 8);
//! # Ok::<(), everymove_kernel::grid::GridError>(())
//! ```

pub mod backtrack;
pub mod dispatch;
pub mod files;
pub mod grid;
pub mod input;
pub mod machine;
pub mod parallel;
pub mod pieces;
pub mod prefetch;
pub mod rng;
pub mod run;
pub mod system;
pub mod text;
