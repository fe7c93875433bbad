//! How much memory a count will take, before it starts.
//!
//! A block of n matchings into which w sets of edges lead is about as full as n bins after w balls: n (1 - e^(-w/n))
//! states. Sets of edges with a closed cycle lead nowhere, and matchings are not equally likely, so that is too many:
//! 1.7 to 3 times as many as there are on 7x7 to 8x10 boards. Half is taken.

use everymove_kernel::run::Run;

use super::FrontierError;
use super::bits::Index;
use super::degrees::{Degrees, masks};
use super::matching::matchings;
use super::plan::Plan;
use super::reach::{Layers, Reach};
use super::steps::Step;
use super::weights::transfer;
use crate::board::Board;

/// The largest count of a block has about this many bits more than the mean.
const SPREAD_BITS: f64 = 3.0;

/// Bytes of a block besides its counts: its place.
const BYTES_A_BLOCK: f64 = 20.0;

/// Bytes of a thread's accumulators per matching: two vectors of 64 bits and two of 32.
const BYTES_A_SUM: u64 = 24;

/// Layers take this part more than estimated, on the boards measured.
const ERROR: f64 = 0.1;

/// Layers take this part more than their counts: vectors of a layer that is freed leave gaps.
const GAPS: f64 = 0.15;

/// The tables of maps, by the largest number of endpoints of a frontier: as many as pay for themselves.
pub(super) fn map_bytes(endpoints: usize) -> u64 {
    match endpoints {
        ..=10 => 2 << 20,
        11..=12 => 5 << 20,
        13..=14 => 16 << 20,
        15..=16 => 48 << 20,
        _ => 256 << 20,
    }
}

/// Bytes of the steps of a count and of what is kept of each layer besides its blocks.
pub(super) fn plan_bytes(board: &Board) -> u64 {
    512 * board.playable() as u64
}

/// About the bytes that a count on a frontier of `slots` slots takes, known at once: for the knight on boards whose
/// longer side has `rows` squares, as estimated by [`need`] and rounded up; with more rows than [`MEASURED_ROWS`], the
/// bytes for some twenty rows.
pub(super) fn rough_need(slots: usize, rows: usize) -> u64 {
    const MIB: u64 = 1 << 20;
    match (slots, rows) {
        (..=11, _) => 20 * MIB,
        (12, _) => 28 * MIB,
        (13, _) => 40 * MIB,
        (14, _) => 56 * MIB,
        (15, ..=8) => 60 * MIB,
        (15, ..=10) => 100 * MIB,
        (15, _) => 260 * MIB,
        (16, ..=7) => 202 * MIB,
        (16, ..=8) => 280 * MIB,
        (16, ..=9) => 612 * MIB,
        (16, ..=10) => 750 * MIB,
        (16, _) => 1 << 30,
        (17, ..=8) => 316 * MIB,
        (17, ..=10) => 2200 * MIB,
        (17, ..=12) => 4600 * MIB,
        (17, _) => 9 << 30,
        (18, ..=8) => 2 << 30,
        (18, _) => 6 << 30,
        (19, _) => 400 << 30,
        _ => 120 << 30,
    }
}

/// The most rows of boards for which [`rough_need`] was compared with [`need`].
const MEASURED_ROWS: usize = 10;

/// On smaller frontiers the exact need is known as soon.
const LARGE_FRONTIER: usize = 15;

/// Whether a budget is so small beside the rough need that the exact one need not be computed.
pub(super) fn is_hopeless(left: u64, slots: usize, rows: usize) -> bool {
    let rough = rough_need(slots, rows);
    match (slots, rows) {
        (..LARGE_FRONTIER, _) => false,
        (_, ..=MEASURED_ROWS) => left < rough / 4 * 3,
        _ => left < rough / 4,
    }
}

/// What a count will take.
pub(super) struct Need {
    /// All of it, in bytes.
    pub(super) bytes: u64,
    /// The part that is not reserved piece by piece while the count runs: gaps and tables.
    pub(super) unaccounted: u64,
    /// The part of the tables of maps.
    pub(super) maps: u64,
}

/// About the most bytes that a count takes at once, besides the lists of degree vectors.
pub(super) fn need(
    plan: &Plan,
    reach: &Reach,
    residues: bool,
    run: &Run,
) -> Result<Need, FrontierError> {
    let ends = (reach.layers().flatten()).map(|&d| masks(d).ends.count_ones());
    let ends = ends.max().unwrap_or(0) as usize;
    // With memory for every block in full, all layers at once, the estimate is not worth its time.
    let upper = upper_bytes(reach);
    let layers = match upper < run.ram.left() / 2 {
        true => upper,
        false => layers_at_once(plan, reach, residues, run)?,
    };
    let part = |of: f64| (layers as f64 * of) as u64;
    let (error, gaps) = (part(ERROR), part(GAPS));
    let maps = map_bytes(ends);
    let sums = matchings(ends) as u64 * BYTES_A_SUM * run.threads.get() as u64;
    let index = Index::bytes(plan.slots(), None);
    Ok(Need {
        bytes: layers + error + gaps + sums + index + maps,
        unaccounted: gaps + maps,
        maps,
    })
}

/// About the bytes that each layer after a step takes; `residues` are counts of eight bytes each.
pub(super) fn layer_bytes(
    start: Vec<f64>,
    steps: &[Step],
    layers: &Layers,
    residues: bool,
    run: &Run,
) -> Result<(Vec<u64>, Vec<f64>), FrontierError> {
    let mut sizes = Vec::new();
    let last = transfer(start, steps, layers, run, |i, weights| {
        let blocks = layers[i + 1].iter().zip(weights);
        let bytes: f64 = blocks
            .map(|(&d, &w)| block_bytes(d, w, residues) + BYTES_A_BLOCK)
            .sum();
        sizes.push(bytes as u64);
    })?;
    Ok((sizes, last))
}

/// About the bytes of a block that `weight` sets of edges lead to, in the smallest of its three forms.
fn block_bytes(degrees: Degrees, weight: f64, residues: bool) -> f64 {
    let bins = matchings(masks(degrees).ends.count_ones() as usize) as f64;
    let states = bins * (1.0 - (-weight / bins).exp()) / 2.0;
    if states <= 0.0 {
        return 0.0;
    }
    // The largest count is some times the mean.
    let width = match (weight / states).log2() + SPREAD_BITS {
        _ if residues => 8.0,
        ..=8.0 => 1.0,
        ..=16.0 => 2.0,
        ..=32.0 => 4.0,
        ..=64.0 => 8.0,
        _ => 16.0,
    };
    (bins * width)
        .min(bins / 8.0 + states * width)
        .min(states * (width + 4.0))
}

/// More bytes than the layers of a count can take, in a fraction of the time of an estimate.
fn upper_bytes(reach: &Reach) -> u64 {
    let full = |layer: &Vec<Degrees>| {
        let states = |&d: &Degrees| matchings(masks(d).ends.count_ones() as usize) as u64;
        layer.iter().map(states).sum::<u64>().saturating_mul(9)
    };
    reach.layers().map(full).fold(0, u64::saturating_add)
}

/// About the most bytes of layers that a count keeps at once.
fn layers_at_once(
    plan: &Plan,
    reach: &Reach,
    residues: bool,
    run: &Run,
) -> Result<u64, FrontierError> {
    let neighbours = |sizes: &[u64]| {
        let pairs = sizes.windows(2).map(|pair| pair[0] + pair[1]).max();
        pairs.or(sizes.first().copied()).unwrap_or(0)
    };
    Ok(match (plan, reach) {
        (Plan::OneWay(steps), Reach::OneWay(layers)) => {
            neighbours(&layer_bytes(vec![1.0], steps, layers, residues, run)?.0)
        }
        (
            Plan::Meet(meet),
            Reach::Meet {
                common,
                first,
                second,
            },
        ) => {
            let (sizes, branch) = layer_bytes(vec![1.0], &meet.common, common, residues, run)?;
            let half = |steps: &[Step], layers: &Layers| -> Result<Vec<u64>, FrontierError> {
                let all = common.last().expect("a layer before the first step");
                let weight = |d| all.binary_search(d).map_or(0.0, |i| branch[i]);
                let start = layers[0].iter().map(weight).collect();
                Ok(layer_bytes(start, steps, layers, residues, run)?.0)
            };
            let (ours, theirs) = (half(&meet.first, first)?, half(&meet.second, second)?);
            let shared = if ours.is_empty() && theirs.is_empty() {
                0
            } else {
                last(&sizes)
            };
            // While the first half is counted, the second is kept.
            let halves = neighbours(&theirs).max(neighbours(&ours) + last(&theirs)) + shared;
            neighbours(&sizes).max(halves)
        }
        _ => unreachable!("the live degree vectors are those of the plan"),
    })
}

fn last(sizes: &[u64]) -> u64 {
    sizes.last().copied().unwrap_or(0)
}
