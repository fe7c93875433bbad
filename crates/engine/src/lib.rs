//! A chess engine, and a laboratory of parallel search: every strategy of the literature behind one option, every
//! technique with a switch.
//!
//! ```
//! use everymove_engine::{Engine, Game, Limits, Options, Position, Signals};
//! use shakmaty::CastlingMode;
//!
//! let fen = "7k/5ppp/8/8/8/8/8/K3R3 w - - 0 1";
//! let position = Position::from_fen(fen, CastlingMode::Standard)?;
//! let mut engine = Engine::new(Options::default());
//! let limits = Limits { depth: Some(3), ..Limits::default() };
//! let answer = engine.search(&Game::from(position.clone()), &limits, &Signals::new(), &mut |_| {});
//! assert_eq!(answer.best.map(|m| position.uci(m)).as_deref(), Some("e1e8"));
//! # Ok::<(), everymove_engine::FenError>(())
//! ```
//!
//! In reading order:
//! - [`Position`], [`Game`]: shakmaty's rules with hash keys beside them; [`perft`] counts their moves;
//! - [`score`]: values, mates, table wins;
//! - [`table`]: the hash table;
//! - [`eval`]: what a quiet position is worth, behind the seam [`eval::Evaluate`];
//! - `search`: [`Engine::search`] and what it takes and gives;
//! - [`Syzygy`]: endgame tables that others made;
//! - [`mate`]: mates proved by the rules alone;
//! - [`bench`](mod@bench): a fixed piece of work whose node count is the signature of the search;
//! - [`tune`]: weights of the evaluation from own games;
//! - [`uci`]: the protocol of chess programs.

pub mod bench;
mod endings;
mod engine;
pub mod eval;
mod game;
pub mod mate;
pub mod perft;
mod position;
pub mod score;
mod search;
mod sync;
mod syzygy;
pub mod table;
pub mod tune;
pub mod uci;

pub use endings::EndingsError;
pub use engine::{Engine, Options};
pub use game::{Ending, Game};
pub use position::{FenError, Keys, Position, ShortMove};
pub use score::Score;
pub use search::{
    Answer, Budget, Clock, Features, Limits, Line, MAX_DEPTH, Report, Signals, Strategy,
};
pub use syzygy::{Syzygy, SyzygyError, Verdict};
