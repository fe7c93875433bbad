//! What a count with layers in memory takes besides lists of degree vectors, and how many bytes of
//! files layers are.

use everymove_kernel::run::{OverBudget, Ram, Run};

use crate::board::Board;
use crate::frontier::choose::scheme::FileBytes;
use crate::frontier::join::{NARROW_LANED, join_bytes};
use crate::frontier::states::maps::map_bytes;
use crate::frontier::step::plan::Plan;
use crate::frontier::step::pull::{BYTES_A_SUM, entries};
use crate::frontier::vectors::index::Index;
use crate::frontier::vectors::live::Found;

/// Bytes of the steps of a count and of what is kept of each layer besides its blocks.
pub(crate) fn plan_bytes(board: &Board) -> u64 {
    512 * board.playable() as u64
}

/// Layers take this part more than estimated, on the boards measured.
pub(crate) const ERROR: f64 = 0.1;

/// Layers take this part more than their counts: vectors of a layer that is freed leave gaps.
pub(crate) const GAPS: f64 = 0.05;

/// With this much memory the tables of maps may be larger, if the count is long.
const MUCH_MEMORY: u64 = 32 << 30;
const LARGE_PLAN: u64 = 50_000_000;
const LARGE_MAPS: u64 = 5 << 30;

/// What a count with layers in memory takes besides the lists of degree vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InMemory {
    /// All of it, in bytes.
    pub(crate) bytes: u64,
    /// The part that is not reserved piece by piece while the count runs: gaps and tables.
    pub(crate) unaccounted: u64,
    /// The part of the tables of maps.
    pub(crate) maps: u64,
}

impl InMemory {
    /// Given the most bytes of layers at once. By classes the index of the second half is kept
    /// while steps are made.
    pub(crate) fn of(layers: f64, by_classes: bool, plan: &Plan, found: Found, run: &Run) -> Self {
        let maps = match run.ram.left() {
            MUCH_MEMORY.. if found.vectors > LARGE_PLAN => LARGE_MAPS,
            _ => map_bytes(found.ends),
        };
        let threads = run.threads.get() as u64;
        let sums = entries(found.ends, plan.slots()) * BYTES_A_SUM * threads;
        let facing = plan.meet.as_ref().filter(|_| by_classes);
        let (joins, second) = facing.map_or((0, 0), |meet| {
            let joins = join_bytes(found.ends.min(NARROW_LANED)) * threads;
            (joins, Index::bytes(meet.facing.len(), None))
        });
        let index = second + Index::bytes(plan.slots(), None);
        let gaps = (layers * GAPS) as u64;
        let layers = layers as u64 + (layers * ERROR) as u64 + gaps;
        Self {
            bytes: layers + index + maps + sums.max(joins),
            unaccounted: gaps + maps,
            maps,
        }
    }
}

/// Bytes on disk for an estimated byte in memory: 0.37 on 7x8 open, 0.46 on 8x8 closed, 0.52 on 7x9
/// open.
const COMPRESSED: f64 = 0.5;

/// The same without compression: 0.57, 0.80 and 0.83 there.
const PLAIN: f64 = 0.8;

/// The files of layers that would take this many bytes of memory at once.
pub(crate) fn files(at_once: f64) -> FileBytes {
    let bytes = |part: f64| (at_once * part) as u64;
    FileBytes {
        compressed: bytes(COMPRESSED),
        plain: bytes(PLAIN),
    }
}

/// A refusal that names what the program has and what a count takes besides.
pub(crate) fn refusal(what: &str, beside: u64, run: &Run) -> OverBudget {
    OverBudget {
        what: what.to_owned(),
        need: run.ram.used().max(Ram::PROGRAM).saturating_add(beside),
        limit: run.ram.limit(),
    }
}
