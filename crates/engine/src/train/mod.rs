//! Trains a network on games of the engine against itself.
//!
//! In reading order: [`Plan`], [`run`], `source` (the positions in random order), `model`
//! (parameters, loss and gradient), `adam` (the optimiser), `fit` (the steps), `checkpoint`.
//!
//! The network learns to predict a mixture of the score of the search and the result of the game.
//! The same plan and the same games give the same network, byte for byte, on any number of threads
//! of one machine.

mod adam;
mod checkpoint;
mod fit;
mod model;
mod source;

use std::sync::Arc;

use everymove_kernel::files::Storage;
use everymove_kernel::run::{Run, Work};

use crate::error::TrainError;
use crate::eval::Network;

/// What to train and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Hidden units, a multiple of [`crate::eval::LANE`].
    pub hidden: usize,
    /// Passes over all positions.
    pub epochs: u32,
    /// Part of the target that is the result of the game; the rest is the score of the search.
    pub result_share: f32,
    /// Learning rate at the start; it falls to a hundredth of that along a cosine.
    pub rate: f32,
    /// Seed of the first weights and of the order of the positions.
    pub seed: u64,
    /// The network whose weights are the first ones, of as many hidden units; random weights
    /// without one.
    pub start: Option<Arc<Network>>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            hidden: 128,
            epochs: 12,
            result_share: 0.15,
            rate: 0.001,
            seed: 1,
            start: None,
        }
    }
}

/// Mean squared errors of one epoch, of the predicted share of the points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Losses {
    /// On the positions of the epoch, each before it was learnt from.
    pub training: f64,
    /// On the positions held out, after the epoch.
    pub validation: f64,
}

/// A trained network.
#[derive(Clone, Debug)]
pub struct Trained {
    /// With quantised weights.
    pub network: Network,
    /// The error of the mean of all held-out targets as the only prediction: what a network that
    /// has learnt nothing has.
    pub constant_loss: f64,
    /// By epoch.
    pub losses: Vec<Losses>,
    /// The loss on the positions held out, by the quantised network.
    pub quantised_loss: f64,
    /// The same for each output of the network: by the number of pieces, 1 to 4, 5 to 8, and so on.
    /// `None` where no position is held out.
    pub quantised_losses: Vec<Option<f64>>,
    /// Positions that were learnt from, and those held out.
    pub positions: [u64; 2],
    /// Games that the positions are from.
    pub games: u64,
    /// Positions learnt from, counted as often as they were.
    pub work: Work,
}

/// Trains on the games in `data`. With a `checkpoint` the state is saved there after every epoch,
/// and the same call resumes from it; that folder must be locked for this process.
///
/// # Errors
/// [`TrainError`] if the run is stopped, there are too few positions, the memory does not suffice,
/// or a file cannot be used.
pub fn run(
    plan: &Plan,
    data: &dyn Storage,
    checkpoint: Option<&dyn Storage>,
    run: &Run,
) -> Result<Trained, TrainError> {
    fit::fit(plan, data, checkpoint, run)
}
