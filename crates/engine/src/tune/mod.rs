//! Weights of the evaluation from the engine's own games.
//!
//! The engine plays itself from random openings, a fixed number of nodes a move; quiet positions are kept with the game's
//! result and the search's score. Then the weights are moved so that the evaluation foretells both (Texel's method,
//! after Österlund, 2014, with gradients in place of trials). The same plan gives the same weights on any number of threads.

mod fit;
mod games;

use everymove_kernel::run::{Run, Stopped, Work};

use crate::eval::Weights;

/// What is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Games to play.
    pub games: u32,
    /// Nodes a move.
    pub nodes: u64,
    /// Of openings and of the order of positions.
    pub seed: u64,
    /// Times that each position is looked at.
    pub epochs: u32,
    /// Weights that play and that the fitting starts from.
    pub start: Weights,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            games: 4000,
            nodes: 1500,
            seed: 1,
            epochs: 30,
            start: Weights::tuned(),
        }
    }
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The new weights.
    pub weights: Weights,
    /// Positions that were kept.
    pub positions: usize,
    /// White's wins, draws, black's wins.
    pub results: [u32; 3],
    /// Mean squared error on positions that the fitting did not see, before and after.
    pub error: [f64; 2],
    /// Nodes of the games.
    pub work: Work,
}

/// Plays, collects and fits.
///
/// # Errors
/// [`Stopped`] if the run is stopped.
pub fn run(plan: &Plan, run: &Run) -> Result<Tuned, Stopped> {
    let played = games::play(plan, run)?;
    let fitted = fit::fit(plan, &played.samples, run)?;
    Ok(Tuned {
        weights: fitted.weights,
        positions: played.samples.len(),
        results: played.results,
        error: fitted.error,
        work: Work::of("nodes", played.nodes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuning_repeats_and_improves() {
        let plan = Plan {
            games: 12,
            nodes: 200,
            epochs: 5,
            ..Plan::default()
        };
        let one = run(&plan, &Run::serial()).unwrap();
        let two = run(&plan, &Run::serial().with_threads(2)).unwrap();
        assert_eq!(one.weights, two.weights);
        assert_eq!((one.positions, one.results), (two.positions, two.results));
        assert!(one.positions > 100 && one.results.iter().sum::<u32>() == 12);
        assert!(one.error[0] > 0.0);
    }
}
