//! A course in parallel computing: five small programs, each a file that is read in one sitting and
//! changed.
//!
//! The lessons are in `docs/course.md`; `everymove lab run course-tours` (and the others that begin
//! with `course-`) measures the programs. They are written plainly, as one would write them first;
//! the crates `tours`, `pegs`, `tables` and `engine` answer the same questions fast.
//!
//! In reading order:
//! - [`schedule`]: a parallel loop with OpenMP's three schedules; [`simulate`](mod@simulate): the
//!   same on simulated processors;
//! - [`tours`]: every knight's tour by recursion over eight moves;
//! - [`symmetric`]: four turned paths at once;
//! - [`leapfrog`]: an endgame table on plain arrays in four orders, with a [`cache`] that is
//!   simulated;
//! - [`minimax`]: alpha-beta search of chess with root splitting;
//! - [`pegs`]: backtracking with a set of positions known to fail.
//!
//! ```
//! use everymove_course::schedule::Schedule;
//! use everymove_course::tours::{self, Board, Split};
//!
//! let board = Board::new(3, 4);
//! let found = tours::parallel(&board, Split::Squares, 2, Schedule::Dynamic(1));
//! assert_eq!(found.tours, 16);
//! ```

pub mod cache;
mod endgame;
mod hash_table;
pub mod infeasible;
pub mod leapfrog;
pub mod minimax;
pub mod pegs;
pub mod schedule;
pub mod simulate;
pub mod symmetric;
pub mod tours;
