//! Matches between chess engines, judged by the rules of chess.
//!
//! Engines are processes that speak UCI (or the protocol of xboard). The arena plays each opening
//! twice, with colours exchanged, keeps the clocks, decides by the rules how games end, and
//! estimates the difference in strength. An engine that crashes, stops answering, plays an illegal
//! move or floods its output loses its game, and the match continues.
//!
//! ```no_run
//! use everymove_arena::openings::{Generator, GeneratorOptions};
//! use everymove_arena::stats::Estimate;
//! use everymove_arena::{CastlingMode, Limits, MatchPlan, TournamentFormat, play_match};
//! use everymove_kernel::run::Run;
//!
//! let engines = vec!["cmd=new".parse()?, "cmd=old".parse()?];
//! let limits = Limits { nodes: Some(20_000), ..Limits::default() };
//! let openings = Generator::new(GeneratorOptions::default());
//! let plan = MatchPlan::new(engines, TournamentFormat::RoundRobin, 100, openings.into(), limits, CastlingMode::Standard)?;
//! let report = play_match(&plan, None, &Run::serial(), &mut |_, _| ())?;
//! println!("{:?}", Estimate::of(&report.standings.between(0, 1).pairs));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In reading order:
//! - [`EngineConfig`], [`Limits`]: which programs play, and what limits each search;
//! - [`openings`], [`GameState`]: where games start, and the rules they follow;
//! - `protocol`, `game`: UCI and xboard over pipes, and one game between two engines;
//! - [`Adjudication`]: games that end before the rules end them (off unless asked for);
//! - [`Schedule`], [`play_match`]: which engines meet in which game; the match, its journal,
//!   resuming it;
//! - [`Standings`], [`stats`]: results, Elo with error bars, sequential tests, ratings;
//! - [`tuning`]: options of an engine, improved by games against itself;
//! - [`notation`], [`fen`], [`pgn`]: moves, positions and games as people and programs write them;
//! - [`review`]: marks for bad moves and the accuracy of a game, from evaluations.

mod adjudication;
mod engine_config;
mod error;
pub mod fen;
mod game;
mod game_state;
mod limits;
pub mod notation;
pub mod openings;
pub mod pgn;
mod protocol;
mod record;
pub mod review;
mod schedule;
mod standings;
pub mod stats;
mod tournament;
pub mod tuning;

pub use adjudication::{Adjudication, DrawRule, ResignRule, Tablebase};
pub use engine_config::{EngineConfig, Protocol};
pub use error::{
    ArenaError, EngineConfigError, LimitsError, LineError, OpeningError, OpeningsFileError,
    RatingError, SprtError, TimeControlError,
};
pub use game_state::{GameState, Opening, RuleEnd};
pub use limits::{Limits, TimeControl};
pub use protocol::search_info::{Score, SearchInfo};
pub use protocol::{EngineLog, Timeouts};
pub use record::{Ending, GameRecord, MoveRecord, Outcome};
pub use schedule::{Schedule, ScheduledGame, TournamentFormat};
pub use shakmaty::{CastlingMode, Color};
pub use standings::{
    GameResult, PairingScore, SearchMeans, SearchTotals, SequentialTest, Standings,
};
pub use tournament::{JOURNAL, MatchPlan, MatchReport, PgnFile, play_match};
