//! The search: iterative deepening over a principal variation search, on any number of threads.
//!
//! In reading order:
//! - `limits` (when a search ends), `activity` (what each thread does, for a display), `features`
//!   (what it may use);
//! - `run` (threads, the choice among their results, what is reported), `root` (iterations);
//! - `alpha_beta` (one node and its cutoffs), `children` (its moves), `quiescence`, `tablebases`;
//! - `move_picker`, `history` and `see` (the order of moves), `constants`;
//! - `thread` (what a thread owns), `strategies` (how threads share the work), `turns` (virtual
//!   time).
//!
//! This file declares modules only.

pub(crate) mod activity;
mod alpha_beta;
mod children;
pub(crate) mod constants;
pub(crate) mod features;
pub(crate) mod history;
pub(crate) mod limits;
mod move_picker;
mod quiescence;
pub(crate) mod root;
pub(crate) mod run;
mod see;
pub(crate) mod strategies;
mod tablebases;
pub(crate) mod thread;
pub(crate) mod turns;
