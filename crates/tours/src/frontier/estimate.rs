//! How much memory a count will take, before it starts.

mod filling;

use everymove_kernel::run::{Run, Stopped};

use super::FrontierError;
use super::bits::Index;
use super::degrees::{Degrees, masks};
use super::matching::matchings;
use super::plan::Plan;
use super::pull::entries;
use super::reach::{Lists, Reach, in_ranges};
use super::steps::Step;
use super::weights::transfer;
use crate::board::{Board, Leaper};
use crate::question::Question;
pub(super) use filling::{Filling, Size};

/// What the counts of a board are like, as far as the sizes of its blocks depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    /// Exact counts.
    Exact,
    /// Residues, eight bytes each, of boards so long that no exact count is tried.
    Residues,
}

/// Bytes of a thread's accumulators per matching: two vectors of 64 bits and two of 32.
pub(super) const BYTES_A_SUM: u64 = 24;

/// Layers take this part more than estimated, on the boards measured.
pub(super) const ERROR: f64 = 0.1;

/// Layers take this part more than their counts: vectors of a layer that is freed leave gaps.
pub(super) const GAPS: f64 = 0.05;

/// The same of layers that are made of many small pieces.
pub(super) const GAPS_OF_PIECES: f64 = 0.15;

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
/// longer side has `rows` squares, as estimated by [`need`] and rounded up; with more rows than are named, the bytes for
/// some twenty rows, of 19 slots for twelve.
pub(super) fn rough_need(slots: usize, rows: usize) -> u64 {
    const MIB: u64 = 1 << 20;
    match (slots, rows) {
        (..=11, _) => 20 * MIB,
        (12, _) => 28 * MIB,
        (13, _) => 40 * MIB,
        (14, ..=10) => 70 * MIB,
        (14, _) => 160 * MIB,
        (15, ..=8) => 48 * MIB,
        (15, ..=10) => 108 * MIB,
        (15, _) => 290 * MIB,
        (16, ..=7) => 140 * MIB,
        (16, ..=8) => 190 * MIB,
        (16, ..=9) => 610 * MIB,
        (16, ..=10) => 770 * MIB,
        (16, _) => 2 << 30,
        (17, ..=8) => 255 * MIB,
        (17, ..=10) => 2150 * MIB,
        (17, ..=12) => 6600 * MIB,
        (17, ..=14) => 7900 * MIB,
        (17, _) => 13 << 30,
        (18, ..=8) => 2500 * MIB,
        (18, ..=10) => 23 << 30,
        (18, ..=12) => 52 << 30,
        (18, _) => 90 << 30,
        (19, ..=10) => 56 << 30,
        (19, _) => 130 << 30,
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

/// The bytes of the accumulators of all threads for blocks of up to this many endpoints.
pub(super) fn sums_bytes(endpoints: usize, slots: usize, run: &Run) -> u64 {
    entries(endpoints, slots) * BYTES_A_SUM * run.threads.get() as u64
}

/// About the most bytes that the layers of a count take at once, of the `left` bytes of all processes.
pub(super) fn layer_bytes(
    question: &Question,
    plan: &Plan,
    reach: &Reach,
    counts: Counts,
    left: u64,
    run: &Run,
) -> Result<u64, FrontierError> {
    // Where what is known at once shows that memory is plenty, the estimate is not worth its time.
    let plenty = left / 2;
    let known = known_bytes(question, plan, counts).map_or(u64::MAX, |known| known + known / 4);
    if known < plenty {
        return Ok(known);
    }
    Ok(match known.min(upper_bytes(reach, run)?) {
        upper if upper < plenty => upper,
        _ => Sizes::of(plan, reach, counts, run)?.bytes_at_once() as u64,
    })
}

/// About the bytes that a count takes, if they are known by measurements of boards of this size.
fn known_bytes(question: &Question, plan: &Plan, counts: Counts) -> Option<u64> {
    let grid = question.board.grid();
    let rows = grid.rows().max(grid.cols());
    let is_known = is_measured(question) && counts == Counts::Exact;
    is_known.then(|| rough_need(plan.slots(), rows))
}

/// Whether the memory of counts on boards of this size was measured.
pub(super) fn is_measured(question: &Question) -> bool {
    let (board, grid) = (&question.board, question.board.grid());
    let knight = board.leaper() == Leaper::KNIGHT && board.holes().is_empty();
    knight && grid.rows().max(grid.cols()) <= MEASURED_ROWS
}

impl Need {
    /// Given the most bytes of layers at once, what part of that is in gaps, and the most endpoints of a degree vector.
    pub(super) fn of((layers, gaps): (u64, f64), plan: &Plan, ends: usize, run: &Run) -> Self {
        let part = |of: f64| (layers as f64 * of) as u64;
        let (error, gaps) = (part(ERROR), part(gaps));
        let maps = map_bytes(ends);
        let sums = sums_bytes(ends, plan.slots(), run);
        let index = Index::bytes(plan.slots(), None);
        Self {
            bytes: layers + error + gaps + sums + index + maps,
            unaccounted: gaps + maps,
            maps,
        }
    }
}

/// About the size of each layer after a step, and the weights of the last.
pub(super) fn layer_sizes<L: Lists + ?Sized>(
    start: Vec<f64>,
    steps: &[Step],
    layers: &L,
    counts: Counts,
    run: &Run,
) -> Result<(Vec<Size>, Vec<f64>), FrontierError> {
    let mut sizes = Vec::new();
    let last = transfer(start, steps, layers, run, |i, list, weights| {
        let filling = Filling::of(steps[i].slots_out, list, weights, counts);
        let parts = in_ranges(list.len(), run, |range| {
            let mut part = Size::default();
            for (&degrees, &weight) in list[range.clone()].iter().zip(&weights[range]) {
                part.add(filling.size(degrees, weight));
            }
            part
        })?;
        sizes.push(Size::sum(&parts));
        Ok(())
    })?;
    Ok((sizes, last))
}

/// More bytes than the layers of a count can take, in a fraction of the time of an estimate.
fn upper_bytes(reach: &Reach, run: &Run) -> Result<u64, Stopped> {
    let states = |&d: &Degrees| matchings(masks(d).ends.count_ones() as usize) as u64;
    let mut all: u64 = 0;
    for list in reach.layers() {
        let parts = in_ranges(list.len(), run, |range| {
            list[range].iter().map(states).sum::<u64>()
        })?;
        let layer = parts.into_iter().sum::<u64>().saturating_mul(9);
        all = all.saturating_add(layer);
    }
    Ok(all)
}

/// The sizes of all layers of a count.
pub(super) struct Sizes {
    pub(super) common: Vec<Size>,
    pub(super) first: Vec<Size>,
    pub(super) second: Vec<Size>,
}

impl Sizes {
    /// The sizes of the layers of a plan.
    pub(super) fn of(
        plan: &Plan,
        reach: &Reach,
        counts: Counts,
        run: &Run,
    ) -> Result<Self, FrontierError> {
        match reach {
            Reach::OneWay(layers) => Self::of_lists(plan, [layers; 3], counts, run),
            Reach::Meet {
                common,
                first,
                second,
            } => Self::of_lists(plan, [common, first, second], counts, run),
        }
    }

    /// The same, given the lists of the common layers, of the first and of the second half.
    pub(super) fn of_lists<L: Lists + ?Sized>(
        plan: &Plan,
        [common, first, second]: [&L; 3],
        counts: Counts,
        run: &Run,
    ) -> Result<Self, FrontierError> {
        let size =
            |start, steps: &[Step], layers: &L| layer_sizes(start, steps, layers, counts, run);
        let meet = match plan {
            Plan::OneWay(steps) => {
                return Ok(Self {
                    common: size(vec![1.0], steps, common)?.0,
                    first: vec![],
                    second: vec![],
                });
            }
            Plan::Meet(meet) => meet,
        };
        let (sizes, branch) = size(vec![1.0], &meet.common, common)?;
        let what = "counting: the weights of degree vectors";
        let _held = run.ram.reserve(what, size_of_val(&branch[..]) as u64)?;
        let half = |steps: &[Step], layers: &L| {
            let start = branch_weights(&common.list(meet.common.len()), &branch, &layers.list(0));
            Ok::<_, FrontierError>(size(start, steps, layers)?.0)
        };
        Ok(Self {
            common: sizes,
            first: half(&meet.first, first)?,
            second: half(&meet.second, second)?,
        })
    }

    /// All layers.
    pub(super) fn layers(&self) -> impl Iterator<Item = &Size> {
        [&self.common, &self.first, &self.second]
            .into_iter()
            .flatten()
    }

    /// About the most bytes of layers that a count of whole layers keeps at once.
    pub(super) fn bytes_at_once(&self) -> f64 {
        let shared = if self.first.is_empty() && self.second.is_empty() {
            0.0
        } else {
            last(&self.common)
        };
        // While the first half is counted, the second is kept.
        let halves = neighbours(&self.second).max(neighbours(&self.first) + last(&self.second));
        neighbours(&self.common).max(halves + shared)
    }
}

/// The weights of a half's degree vectors before its first step, given those of all of the last common layer.
pub(super) fn branch_weights(all: &[Degrees], branch: &[f64], half: &[Degrees]) -> Vec<f64> {
    let weight = |d| all.binary_search(d).map_or(0.0, |i| branch[i]);
    half.iter().map(weight).collect()
}

/// The most bytes of two layers in a row.
pub(super) fn neighbours(sizes: &[Size]) -> f64 {
    let pairs = sizes.windows(2).map(|pair| pair[0].bytes + pair[1].bytes);
    pairs.fold(sizes.first().map_or(0.0, |size| size.bytes), f64::max)
}

/// The bytes of the last layer.
pub(super) fn last(sizes: &[Size]) -> f64 {
    sizes.last().map_or(0.0, |size| size.bytes)
}

#[cfg(test)]
mod tests;
