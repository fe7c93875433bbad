//! The experiments, a file each.

mod chess_features;
mod chess_strategies;
mod leapfrog;
mod pegs_layers;
mod pegs_search;
mod tables;
mod tables_speedup;
mod tours_count;
mod tours_speedup;
mod tours_symmetric;

use std::collections::BTreeSet;

use everymove_kernel::machine;

use crate::Experiment;

/// All experiments in the order in which they are listed.
pub fn all() -> &'static [Experiment] {
    &[
        tours_speedup::EXPERIMENT,
        tours_symmetric::EXPERIMENT,
        tours_count::EXPERIMENT,
        pegs_search::EXPERIMENT,
        pegs_layers::EXPERIMENT,
        leapfrog::EXPERIMENT,
        tables_speedup::EXPERIMENT,
        chess_strategies::EXPERIMENT,
        chess_features::EXPERIMENT,
    ]
}

/// One thread, all cores and the doublings between, and twice as many as there are cores or four.
fn threads() -> BTreeSet<usize> {
    let cores = machine::cores();
    let doublings = std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|&n| n < cores);
    doublings.chain([cores, (2 * cores).max(4)]).collect()
}
