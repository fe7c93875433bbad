//! Matches between chess engines, refereed by the rules of chess.
//!
//! Engines are processes that speak UCI (or xboard's protocol). The arena gives them openings in pairs with colours
//! changed, keeps their clocks, decides by the rules how games end, and says what the results prove. An engine that
//! crashes, stalls, cheats or floods loses its game, and the match goes on.
//!
//! ```no_run
//! use everymove_arena::openings::{Maker, Recipe};
//! use everymove_arena::stats::Estimate;
//! use everymove_arena::{CastlingMode, Format, Limits, Plan, play};
//! use everymove_kernel::run::Run;
//!
//! let engines = vec!["cmd=new".parse()?, "cmd=old".parse()?];
//! let limits = Limits { nodes: Some(20_000), ..Limits::default() };
//! let rounds = 100;
//! let openings = Maker::new(Recipe::default()).take(rounds as usize).collect();
//! let plan = Plan::new(engines, Format::RoundRobin, rounds, openings, limits, CastlingMode::Standard)?;
//! let report = play(&plan, None, &Run::serial(), &mut |_, _| ())?;
//! println!("{:?}", Estimate::of(&report.standings.between(0, 1).pairs));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In reading order:
//! - [`Program`], [`Limits`]: who plays, and how long each may think;
//! - [`openings`], [`Line`]: where games start, and the rules they keep;
//! - `talk`, `game`: the conversation with an engine, and a game between two;
//! - [`Adjudication`]: games that end before the rules end them (off unless asked for);
//! - [`Schedule`], [`play`]: who plays whom; the match, its journal, its going on after an interruption;
//! - [`Standings`], [`stats`]: results, Elo with error bars, sequential tests, ratings;
//! - [`pgn`], [`results`]: games written, results read.

mod game;
mod limits;
mod line;
pub mod openings;
pub mod pgn;
mod program;
mod record;
mod referee;
pub mod results;
mod schedule;
mod standings;
pub mod stats;
mod talk;
mod tournament;

pub use limits::{Limits, LimitsError, NotATimeControl, TimeControl};
pub use line::{Line, LineError, Opening, RuleEnd};
pub use program::{Program, ProgramError, Protocol};
pub use record::{Ending, Game, Outcome, Played};
pub use referee::{Adjudication, DrawRule, Oracle, ResignRule};
pub use schedule::{Fixture, Format, Schedule};
pub use shakmaty::{CastlingMode, Color};
pub use standings::{Effort, GameResult, Score as Results, Sequence, Standings};
pub use talk::Patience;
pub use talk::thought::{Score, Thought};
pub use tournament::{ArenaError, JOURNAL, Plan, Report, play};
