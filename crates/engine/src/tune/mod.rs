//! Fits the weights of the evaluation to games of the engine against itself.
//!
//! The engine plays from random openings with a fixed number of nodes a move. Quiet positions are kept with the result of the game and
//! the score of the search, and the weights are fitted to predict both: Texel's tuning method (Österlund, 2014) with gradient descent in
//! place of trials. The same plan gives the same weights on any number of threads.

mod fit;
mod games;
mod plan;

use everymove_kernel::run::{Run, Work};

pub use plan::Plan;

use crate::error::TuneError;
use crate::eval::Weights;

/// The result of a tuning run.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The new weights.
    pub weights: Weights,
    /// Number of positions that were kept.
    pub positions: usize,
    /// White's wins, draws, Black's wins.
    pub results: [u32; 3],
    /// Mean squared error on positions held out of the fit, before and after.
    pub error: [f64; 2],
    /// Nodes of the games.
    pub work: Work,
}

/// Plays the games, collects the positions and fits the weights.
///
/// Not more threads are started than the machine has processors. Memory is reserved from `run.ram` as positions are found.
///
/// # Errors
/// [`TuneError`] if the run is stopped, or the memory budget does not suffice.
pub fn run(plan: &Plan, run: &Run) -> Result<Tuned, TuneError> {
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
    use everymove_kernel::run::Ram;

    use super::*;
    use crate::eval::Evaluation;

    /// A raised stop flag ends a search of any number of nodes, and a budget without room is refused.
    #[test]
    fn tuning_obeys_stop_and_budget() {
        let plan = Plan {
            games: 1000,
            nodes: u64::MAX,
            ..Plan::default()
        };
        let threads = Run::serial().with_threads(1000);
        let stop = threads.stop.clone();
        std::thread::scope(|scope| {
            let tuning = scope.spawn(|| super::run(&plan, &threads));
            std::thread::sleep(std::time::Duration::from_millis(50));
            stop.raise();
            assert!(matches!(tuning.join().unwrap(), Err(TuneError::Stopped(_))));
        });
        let small = Run::new(1, Ram::limited(1 << 20));
        let refused = super::run(&plan, &small).unwrap_err();
        assert!(matches!(refused, TuneError::OverBudget(_)), "{refused}");
    }

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
        let plan = Plan {
            evaluation: Evaluation::Network,
            ..plan
        };
        let of_network = run(&plan, &Run::serial()).unwrap();
        assert_ne!(one.positions, of_network.positions);
    }
}
