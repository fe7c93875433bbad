//! Peg solitaire on any board of up to 64 holes, on the square or the triangular lattice: exact verdicts with
//! reasons, counts, proved shortest solutions.
//!
//! Solve, and count what cannot be listed:
//! ```
//! use everymove_kernel::run::Run;
//! use everymove_pegs::{Board, Problem, Verdict, Want, count_solutions, game_text, solve};
//!
//! let board = Board::named("triangle5")?;
//! let problem = Problem::vacate(&board, "a2", None)?;
//! let run = Run::serial();
//! let answer = solve(&problem, Want::Shortest, &run)?;
//! let Verdict::Solution(jumps) = &answer.verdict else { panic!("{answer:?}") };
//! println!("{}", game_text(&board, jumps));
//! assert_eq!(count_solutions(&problem, &run)?.solutions, 14_880);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A board of one's own, and why it cannot be solved:
//! ```
//! use everymove_kernel::run::Run;
//! use everymove_pegs::{Board, Lattice, Problem, Verdict, Want, solve};
//!
//! let board = Board::parse("ooo/ooo/ooo", Lattice::Square)?;
//! let problem = Problem::vacate(&board, "b2", None)?;
//! let verdict = solve(&problem, Want::Any, &Run::serial())?.verdict;
//! assert!(matches!(verdict, Verdict::Class(_) | Verdict::Exhaustion));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Reading order
//! What a question is: [`Lattice`], [`Board`], [`Position`], [`Symmetry`], [`Invariants`], [`Problem`], moves as text
//! ([`parse_game`], [`game_text`]). How it is answered: `layers` (positions as bits), [`reach()`], [`WinningSet`],
//! [`count_solutions`], [`count_games`], [`Shortest`], [`search()`] (depth first), [`solve`] (verdicts with reasons).

mod board;
mod census;
mod chains;
mod checkpoint;
mod count;
mod error;
mod hint;
mod invariant;
mod lattice;
mod layers;
mod meet;
mod notation;
mod position;
mod problem;
mod puzzle;
mod reach;
mod replay;
mod review;
mod rice;
mod search;
mod shortest;
mod strided;
mod symmetry;
mod table;
mod verdict;
mod winning;
mod winning_file;

pub use board::{Board, BoardError, Jump, NAMED, Named};
pub use census::positions_by_moves;
pub use checkpoint::Checkpoint;
pub use count::{Games, SolutionCounts, Solutions, count_games, count_solutions};
pub use error::PegError;
pub use hint::{Advice, Hint, JumpHint};
pub use invariant::{Class, Invariants};
pub use lattice::{Lattice, NotALattice};
pub use notation::{Move, NotationError, game_text, moves, parse_game};
pub use position::{Hole, Position};
pub use problem::{Finish, Problem};
pub use puzzle::{PuzzleKind, Puzzles};
pub use reach::{Reach, ReachPlan, ReachedLayer, class_symmetries, reach};
pub use replay::{ReplayError, Replayed, replay};
pub use review::{Review, ReviewStep};
pub use search::{Ending, Found, Keys, NotAnOrder, ORDERS, Order, Search, search};
pub use shortest::Shortest;
pub use symmetry::{Symmetry, canonical};
pub use table::{Columns, TableRow, problems, table};
pub use verdict::{Answer, ClassProof, ShortestCount, Verdict, Want, solve};
pub use winning::WinningSet;
