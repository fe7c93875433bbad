//! How much memory a count will take, before it starts.
//!
//! A block of n matchings into which w sets of edges lead is about as full as n bins after w balls: n (1 - e^(-w/n))
//! states. Sets of edges with a closed cycle lead nowhere, and matchings are not equally likely, so that is too many:
//! 1.7 to 3 times as many as there are on 7x7 to 8x10 boards. Half is taken, and 0.6 for the bytes of long boards.

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

/// The largest count of a block is about this many times the mean.
const SPREAD: f64 = 8.0;

/// The smallest counts that need more than 8, 16, 32 and 64 bits.
const BITS_8: f64 = (1_u64 << 8) as f64;
const BITS_16: f64 = (1_u64 << 16) as f64;
const BITS_32: f64 = (1_u64 << 32) as f64;
const BITS_64: f64 = (1_u128 << 64) as f64;

/// What the counts of a board are like, as far as the sizes of its blocks depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    /// Exact counts, of boards of up to [`EXACT`](super::counted::EXACT) squares.
    Short,
    /// Exact counts of longer boards, whose fullest layers are fuller.
    Long,
    /// Residues, eight bytes each, of boards so long that no exact count is tried.
    Residues,
}

impl Counts {
    /// Of the matchings that sets of edges lead to, the part that has states in the fullest layers. A half fits the boards of up to 8x10
    /// squares that were measured; by it layers of residues of 6x20 closed were estimated 6 % too low.
    fn filled(self) -> f64 {
        match self {
            Self::Short => 0.5,
            Self::Long | Self::Residues => 0.6,
        }
    }
}

/// Bytes of a block besides its counts: its place.
const BYTES_A_BLOCK: f64 = 20.0;

/// Bytes of a thread's accumulators per matching: two vectors of 64 bits and two of 32.
pub(super) const BYTES_A_SUM: u64 = 24;

/// Layers take this part more than estimated, on the boards measured.
pub(super) const ERROR: f64 = 0.1;

/// Layers take this part more than their counts: vectors of a layer that is freed leave gaps.
pub(super) const GAPS: f64 = 0.15;

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
        (14, _) => 56 * MIB,
        (15, ..=8) => 40 * MIB,
        (15, ..=10) => 100 * MIB,
        (15, _) => 190 * MIB,
        (16, ..=7) => 140 * MIB,
        (16, ..=8) => 190 * MIB,
        (16, ..=9) => 545 * MIB,
        (16, ..=10) => 690 * MIB,
        (16, _) => 1 << 30,
        (17, ..=8) => 255 * MIB,
        (17, ..=10) => 2050 * MIB,
        (17, ..=12) => 4600 * MIB,
        (17, _) => 9 << 30,
        (18, ..=8) => 2700 * MIB,
        (18, ..=10) => 21 << 30,
        (18, ..=12) => 43 << 30,
        (18, _) => 90 << 30,
        (19, ..=10) => 54 << 30,
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
    let is_known = is_measured(question) && counts == Counts::Short;
    is_known.then(|| rough_need(plan.slots(), rows))
}

/// Whether the memory of counts on boards of this size was measured.
pub(super) fn is_measured(question: &Question) -> bool {
    let (board, grid) = (&question.board, question.board.grid());
    let knight = board.leaper() == Leaper::KNIGHT && board.holes().is_empty();
    knight && grid.rows().max(grid.cols()) <= MEASURED_ROWS
}

impl Need {
    /// Given the most bytes of layers at once, and the most endpoints of a degree vector.
    pub(super) fn of(layers: u64, plan: &Plan, ends: usize, run: &Run) -> Self {
        let part = |of: f64| (layers as f64 * of) as u64;
        let (error, gaps) = (part(ERROR), part(GAPS));
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

/// What blocks take, estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Size {
    /// Bytes in memory.
    pub(super) bytes: f64,
    /// States.
    pub(super) states: f64,
}

impl Size {
    pub(super) fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.states += other.states;
    }

    /// The sum of some sizes.
    pub(super) fn sum<'a>(sizes: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        sizes.into_iter().for_each(|&size| all.add(size));
        all
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
    let last = transfer(start, steps, layers, run, |_, list, weights| {
        let parts = in_ranges(list.len(), run, |range| {
            let mut part = Size::default();
            for (&degrees, &weight) in list[range.clone()].iter().zip(&weights[range]) {
                part.add(block_size(degrees, weight, counts));
            }
            part
        })?;
        sizes.push(Size::sum(&parts));
        Ok(())
    })?;
    Ok((sizes, last))
}

/// About the size of a block that `weight` sets of edges lead to, in the smallest of its three forms.
pub(super) fn block_size(degrees: Degrees, weight: f64, counts: Counts) -> Size {
    let bins = matchings(masks(degrees).ends.count_ones() as usize) as f64;
    let filled = bins * (1.0 - (-weight / bins).exp());
    let states = filled / 2.0;
    if states <= 0.0 {
        return Size {
            bytes: BYTES_A_BLOCK,
            states: 0.0,
        };
    }
    let width = match weight / states * SPREAD {
        _ if counts == Counts::Residues => 8.0,
        ..=BITS_8 => 1.0,
        ..=BITS_16 => 2.0,
        ..=BITS_32 => 4.0,
        ..=BITS_64 => 8.0,
        _ => 16.0,
    };
    let stored = filled * counts.filled();
    let bytes = (bins * width)
        .min(bins / 8.0 + stored * width)
        .min(stored * (width + 4.0));
    Size {
        bytes: bytes + BYTES_A_BLOCK,
        states,
    }
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
