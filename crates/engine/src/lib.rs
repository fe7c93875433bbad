//! A chess engine, and a laboratory of parallel search: five published strategies behind one
//! option, and a switch for every search technique.
//!
//! ```
//! use everymove_engine::{Engine, Game, Limits, Options, Position, Signals};
//! use shakmaty::CastlingMode;
//!
//! let fen = "7k/5ppp/8/8/8/8/8/K3R3 w - - 0 1";
//! let position = Position::from_fen(fen, CastlingMode::Standard)?;
//! let mut engine = Engine::new(Options::default())?;
//! let limits = Limits { depth: Some(3), ..Limits::default() };
//! let result = engine.search(&Game::from(position.clone()), &limits, &Signals::new(), &mut |_| {});
//! assert_eq!(result.best.map(|m| position.uci(m)).as_deref(), Some("e1e8"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In reading order:
//! - [`Position`], [`Game`]: shakmaty's rules with hash keys; [`perft`] counts move paths;
//! - [`score`]: scores of the search, and [`score::UciScore`] to show them;
//! - [`transposition_table`]: the hash table that search threads share;
//! - [`eval`]: the static evaluation, behind the trait [`eval::Evaluate`];
//! - `search`: the search, its parallel strategies, and its use of endgame tables;
//! - [`Engine`]: options and state, [`Engine::search`];
//! - [`Strength`]: play at a lower rating;
//! - [`mate`]: mates proved by the rules alone;
//! - [`bench`](mod@bench): a fixed set of searches whose node count is the signature of the search;
//! - [`selfplay`]: games of the engine against itself as data to train from;
//! - [`train`]: trains a network on them;
//! - [`uci`]: the Universal Chess Interface.

pub mod bench;
mod engine;
mod error;
pub mod eval;
mod game;
pub mod mate;
pub mod perft;
mod position;
pub mod score;
mod search;
pub mod selfplay;
mod strength;
mod sync;
pub mod train;
pub mod transposition_table;
pub mod uci;

pub use engine::{Engine, Options};
pub use error::{
    BenchError, DamagedTables, DataError, EngineError, FenError, HashError, NodeLimitReached,
    TrainError, UnknownStrategy,
};
pub use game::{Game, Termination};
pub use position::{Keys, Position, ShortMove};
pub use score::Score;
pub use search::activity::{Activity, ThreadActivity};
pub use search::features::Features;
pub use search::limits::Signals;
pub use search::limits::{Budget, Clock, Limits};
pub use search::root::MAX_DEPTH;
pub use search::run::{Line, SearchReport, SearchResult};
pub use search::strategies::Strategy;
pub use search::turns::Simulation;
pub use strength::Strength;
