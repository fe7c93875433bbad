//! The search: iterative deepening over a principal variation search, on any number of threads.
//!
//! In reading order:
//! - `limits` and `signals` (when a search ends), `activity` (what each thread does, for a display), `features` (what it may use), `result` (what it reports);
//! - `run` (threads, and the choice among their results), `root` (iterations), `root_move`, `publisher`;
//! - `alpha_beta` (one node), `node`, `estimate`, `prune` (cutoffs before the moves), `children` (the moves), `skip`, `move_loop`, `quiescence`,
//!   `tablebases`;
//! - `move_picker`, `history` and `see` (the order of moves), `constants`;
//! - `thread`, `thread_state`, `frame` (what a thread owns), `strategy` `split`, `abdada` and
//!   `strategies` (how threads share the work), `turns` (virtual time).
//!
//! This file declares modules only. Files that call each other in a circle (a node searches its moves, a move its node) are all in this
//! directory.

mod abdada;
pub(crate) mod activity;
mod alpha_beta;
mod children;
pub(crate) mod constants;
mod dangers;
mod estimate;
pub(crate) mod features;
mod frame;
pub(crate) mod history;
pub(crate) mod limits;
mod move_loop;
mod move_picker;
mod node;
mod prune;
mod publisher;
mod quiescence;
pub(crate) mod result;
pub(crate) mod root;
mod root_move;
pub(crate) mod run;
mod see;
pub(crate) mod signals;
mod skip;
mod split;
mod strategies;
pub(crate) mod strategy;
mod tablebases;
mod thread;
pub(crate) mod thread_state;
pub(crate) mod turns;
