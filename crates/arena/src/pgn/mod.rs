//! Portable Game Notation (PGN): games written with the engines' evaluations, games read, results
//! read.
//!
//! - [`write()`]: a finished game as PGN;
//! - [`Reader`]: the games of a text, one at a time, in words; [`GameText::game`] plays them: a
//!   [`Game`] is a tree of legal moves with comments and glyphs. A word that is not one legal move
//!   is refused;
//! - [`Game::pgn`]: such a game as PGN again, with all of that;
//! - [`results`]: only the results of a file of games, for statistics.
//!
//! Source: S. J. Edwards, Portable Game Notation Specification and Implementation Guide, 1994; what
//! files have beyond it is described in `docs/formats.md`.
//!
//! ```
//! use everymove_arena::pgn::{Scope, read_games};
//! use everymove_kernel::input::Input;
//! use everymove_kernel::run::Run;
//!
//! let text = "1. e2-e4 e7-e5 2. Ng1-f3 (2. f4 {a gambit}) Nc6+/- 1/2-1/2";
//! let input = Input::new("games.pgn", text.as_bytes(), &Run::serial());
//! read_games(input, Scope::Tree, |game| {
//!     assert_eq!(game.main_line().len(), 4);
//!     assert_eq!(game.nodes.len(), 6);
//!     Ok::<_, everymove_arena::pgn::PgnError>(())
//! })?;
//! # Ok::<(), everymove_arena::pgn::PgnError>(())
//! ```

mod error;
mod game;
pub mod results;
#[cfg(test)]
mod tests;
mod text;
mod write;

pub use error::{GameError, PgnError};
pub use game::{Game, Node, Scope, read_games};
pub use text::{GameText, Reader, WrittenResult, outcome};
pub use write::{Header, write};
