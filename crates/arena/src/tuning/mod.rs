//! Tuning of an engine's options by games: simultaneous perturbation (Spall, "An Overview of the
//! Simultaneous Perturbation Method for Efficient Optimization", 1998).
//!
//! Each pair of games changes all options at once, each up or down at random by its step; the
//! engine with the changes plays the one with the opposite changes, and all options move towards
//! the winner.
//!
//! In reading order: [`Parameter`] (an option and its range), [`TuningPlan`], `state` (the values,
//! and how a pair moves them), [`tune`] (plays the pairs), `journal`.

mod journal;
mod parameter;
mod play;
mod state;

pub use journal::JOURNAL;
pub use parameter::{Parameter, ParameterError};
pub use play::{TuningPlan, TuningReport, tune};
