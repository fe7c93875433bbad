//! Peg solitaire on any board of up to 64 holes, on the square or the triangular lattice: exact
//! verdicts with reasons, counts, proved shortest solutions.
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
//! A board drawn in text, and why it cannot be solved:
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
//! Hints, and where a game was lost:
//! ```
//! use everymove_kernel::run::Run;
//! use everymove_pegs::{Advice, Board, Problem, Review, SolutionCounts, WinningSet, parse_game};
//!
//! let board = Board::named("triangle5")?;
//! let problem = Problem::vacate(&board, "a1", Some("a1"))?;
//! let run = Run::serial();
//! let set = WinningSet::new(&problem, &run)?;
//! let counts = SolutionCounts::new(&set, &run)?;
//! let advice = Advice { counts: Some(&counts), ..Advice::new(&set) };
//! let hint = advice.hint(problem.start());
//! assert_eq!((hint.safe().count(), hint.solutions), (2, Some(6816)));
//!
//! let game = parse_game(&board, problem.start(), "a3-a1 a5-a3")?;
//! let review = Review::new(advice, &game);
//! assert_eq!(review.lost_at, Some(1));
//! assert!(review.steps[1].before.safe().count() > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What each question needs
//! | question | call | memory |
//! |---|---|---|
//! | is it solvable, a solution, a shortest one, or the reason why not | [`solve`] | a search, else the winning set |
//! | all positions that can be reached | [`reach()`], [`reach_within`] | two layers, or windows of them |
//! | every winning position, into a file | [`WinningSet::save`], [`winning_set_into`] | all layers, or windows of two |
//! | positions by the moves they take | [`positions_by_moves`] | all layers |
//! | number of solutions | [`count_solutions`] | the winning set and 16 bytes for each position of two layers, or windows of them |
//! | number of games, odds of random play | [`count_games`] | all layers and 40 bytes for each position of two, or windows of them |
//! | all of these numbers | [`count_totals`] | as each of them |
//! | fewest moves from every position, number of shortest solutions | [`Shortest`] | the winning set, a byte for each position |
//! | hints, reviews, puzzles | [`Advice`], [`Review`], [`Puzzles`] | the winning set, computed or [loaded](WinningSet::load) |
//! | all problems of a board | [`problem_table()`] | one problem at a time |
//! | is this game right | [`replay()`], which trusts nothing else here | none |
//! | textbook backtracking, serial and parallel | [`search()`] | as given in [`Search`] |
//!
//! Windows suffice where layers are in files: [`LayerFiles`] says where, and where a long run saves
//! its state.
//!
//! Everything takes a [`Run`](everymove_kernel::run::Run): threads, a memory budget that is checked
//! before work begins and never exceeded, a stop flag, progress. Results carry their work in
//! counters that are equal for any number of threads (but for searches that share a memory).
//!
//! # Reading order
//! What a question is: [`Lattice`], [`Board`], [`Position`], [`Symmetry`], [`Invariants`],
//! [`Problem`], moves as text ([`parse_game`], [`game_text`]). How it is answered: `step_table`
//! (jumps that can be made), `layers` (positions as bits), `forecast` (what layers take), `store`
//! (layers in memory or in files, the passes over them, the one format of files), `reach`,
//! `bidirectional` and `winning` (two searches that meet in the middle), `count`, `move_generator`
//! and `shortest` (moves), `positions_by_moves`, `search` (depth first, with `words` that threads
//! share), `verdict` (all of these, and class arguments in words), `method` and `totals` (which of
//! them answers what). Built on them: `hint`, `advice`, `review`, `puzzle`, `table`. Independent of
//! all: `replay`.

mod advice;
mod bidirectional;
mod board;
mod count;
mod error;
mod forecast;
mod hint;
mod invariant;
mod jump;
mod lattice;
mod layers;
mod method;
mod move_generator;
mod notation;
mod position;
mod positions_by_moves;
mod problem;
mod puzzle;
mod reach;
mod replay;
mod review;
mod search;
mod shortest;
mod step_table;
mod store;
mod symmetry;
mod table;
mod totals;
mod verdict;
mod winning;
mod words;

pub use advice::{Advised, HintDetail, Loss, advise, advise_in};
pub use board::{Board, BoardError, DrawnBoard, NAMED, Named};
pub use count::{Games, SolutionCounts, Solutions, count_games, count_solutions};
pub use error::PegError;
pub use forecast::Estimate;
pub use hint::{Advice, Hint, JumpHint};
pub use invariant::{Class, Invariants};
pub use jump::Jump;
pub use lattice::{Lattice, NotALattice};
pub use method::{Method, solve_by, verified};
pub use notation::{Move, NotationError, game_text, moves, parse_game};
pub use position::{Hole, Position};
pub use positions_by_moves::positions_by_moves;
pub use problem::{Finish, Problem};
pub use puzzle::{PuzzleKind, Puzzles};
pub use reach::{Reach, ReachedLayer, reach, reach_within};
pub use replay::{ReplayError, Replayed, replay};
pub use review::{Review, ReviewStep};
pub use search::{Keys, NotAnOrder, ORDERS, Order, Search, SearchEnd, SearchResult, search};
pub use shortest::{Shortest, ShortestCount};
pub use store::{LayerFiles, LayersIn};
pub use symmetry::{Symmetry, canonical};
pub use table::{Columns, ProblemRow, problem_table, problems, ruled_out};
pub use totals::{MAX_GAMES, Quantities, Totals, count_totals};
pub use verdict::{ClassProof, Solved, Verdict, Want, solve};
pub use winning::{WinningSet, winning_set_into};
