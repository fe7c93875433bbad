//! How much memory a count will take, before it starts.
//!
//! A block of n matchings into which w sets of edges lead is about as full as n bins after w balls: n (1 - e^(-w/n))
//! states. Sets of edges with a closed cycle lead nowhere, and matchings are not equally likely, so that is too many:
//! 1.7 to 3 times as many as there are on 7x7 to 8x10 boards. Half is taken.

use everymove_kernel::run::Run;

use super::FrontierError;
use super::degrees::{Degrees, masks};
use super::matching::matchings;
use super::plan::Plan;
use super::reach::{Layers, Reach};
use super::steps::Step;
use super::weights::transfer;

/// Bytes a state: counts of one to four bytes and their share of bitmaps, as measured on 7x7 to 8x10 boards.
const BYTES_A_STATE: f64 = 2.2;

/// Bytes a block for its place.
const BYTES_A_BLOCK: f64 = 20.0;

/// Bytes of the accumulators for each endpoint pair's matchings: two threads' worth of two vectors.
const BYTES_A_SUM: u64 = 32;

/// About the bytes that each layer after a step takes.
pub(super) fn layer_bytes(
    start: Vec<f64>,
    steps: &[Step],
    layers: &Layers,
    run: &Run,
) -> Result<(Vec<u64>, Vec<f64>), FrontierError> {
    let mut sizes = Vec::new();
    let last = transfer(start, steps, layers, run, |i, weights| {
        let states: f64 = layers[i + 1]
            .iter()
            .zip(weights)
            .map(|(&d, &w)| states(d, w))
            .sum();
        let blocks = layers[i + 1].len() as f64;
        sizes.push((states * BYTES_A_STATE + blocks * BYTES_A_BLOCK) as u64);
    })?;
    Ok((sizes, last))
}

fn states(degrees: Degrees, weight: f64) -> f64 {
    let bins = matchings(masks(degrees).ends.count_ones() as usize) as f64;
    bins * (1.0 - (-weight / bins).exp()) / 2.0
}

/// About the most bytes that a count takes at once.
pub(super) fn peak_bytes(plan: &Plan, reach: &Reach, run: &Run) -> Result<u64, FrontierError> {
    let neighbours = |sizes: &[u64]| {
        let pairs = sizes.windows(2).map(|pair| pair[0] + pair[1]).max();
        pairs.or(sizes.first().copied()).unwrap_or(0)
    };
    let layers = match (plan, reach) {
        (Plan::OneWay(steps), Reach::OneWay(layers)) => {
            neighbours(&layer_bytes(vec![1.0], steps, layers, run)?.0)
        }
        (
            Plan::Meet(meet),
            Reach::Meet {
                common,
                first,
                second,
            },
        ) => {
            let (sizes, branch) = layer_bytes(vec![1.0], &meet.common, common, run)?;
            let half = |steps: &[Step], layers: &Layers| -> Result<Vec<u64>, FrontierError> {
                let all = common.last().expect("a layer before the first step");
                let weight = |d| all.binary_search(d).map_or(0.0, |i| branch[i]);
                let start = layers[0].iter().map(weight).collect();
                Ok(layer_bytes(start, steps, layers, run)?.0)
            };
            let (ours, theirs) = (half(&meet.first, first)?, half(&meet.second, second)?);
            let shared = if ours.is_empty() && theirs.is_empty() {
                0
            } else {
                last(&sizes)
            };
            // While the first half is counted, the second is waiting.
            let halves = neighbours(&theirs).max(neighbours(&ours) + last(&theirs)) + shared;
            neighbours(&sizes).max(halves)
        }
        _ => unreachable!("the live degree vectors are those of the plan"),
    };
    let ends = reach
        .layers()
        .flatten()
        .map(|&d| masks(d).ends.count_ones())
        .max()
        .unwrap_or(0);
    Ok(layers + matchings(ends as usize) as u64 * BYTES_A_SUM)
}

fn last(sizes: &[u64]) -> u64 {
    sizes.last().copied().unwrap_or(0)
}

/// More bytes than a count can take, known at once: every block full.
pub(super) fn upper_bytes(reach: &Reach) -> u64 {
    let full = |layer: &Vec<Degrees>| {
        let states = |&d: &Degrees| matchings(masks(d).ends.count_ones() as usize) as u64;
        layer.iter().map(states).sum::<u64>().saturating_mul(9)
    };
    reach.layers().map(full).fold(0, u64::saturating_add)
}
