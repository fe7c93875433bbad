//! What a tuning run plays and fits.

use crate::eval::{Evaluation, Weights};

/// What to play and how to fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Games to play.
    pub games: u32,
    /// Nodes a move.
    pub nodes: u64,
    /// Seed of the openings and of the order of positions in the fit.
    pub seed: u64,
    /// Passes over all positions in the fit.
    pub epochs: u32,
    /// Evaluation of the players. The weights are fitted to the scores of their searches.
    pub evaluation: Evaluation,
    /// Weights from which the fit starts, and those of the players if they use the classical evaluation.
    pub start: Weights,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            games: 4000,
            nodes: 1500,
            seed: 1,
            epochs: 30,
            evaluation: Evaluation::Classical,
            start: Weights::tuned(),
        }
    }
}
