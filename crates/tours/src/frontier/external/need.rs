//! What a count with layers in files takes.

use everymove_kernel::run::Ram;

use super::super::bits::{Index, Marks};
use super::super::degrees::{Degrees, masks};
use super::super::estimate::{BYTES_A_SUM, Sizes, map_bytes};
use super::super::join::join_bytes;
use super::super::plan::Plan;
use super::super::pull::entries;
use super::super::reach::Reach;
use super::super::scheme::{Need, Scheme};
use super::packed::packed_bytes;
use super::{LEAST_CACHE, WAITING};

/// Bytes on disk for an estimated byte in memory: 0.37 on 7x8, 0.46 on 8x8 closed.
const COMPRESSED: f64 = 0.5;

/// The least bytes of the tables of maps; with fewer, most maps would be computed matching by matching.
const LEAST_MAPS: u64 = 16 << 20;

/// What a count with layers in files is estimated to take.
pub(in super::super) fn estimate(plan: &Plan, reach: &Reach, sizes: &Sizes) -> Need {
    let lists = || reach.layers();
    let longest = lists().map(Vec::len).max().unwrap_or(0) as u64;
    let ends = lists()
        .flatten()
        .map(|&d| masks(d).ends.count_ones() as usize)
        .max()
        .unwrap_or(0);
    let packed: u64 = lists().map(|list| packed_bytes(list)).sum();
    let planning = 2 * Marks::bytes(plan.slots()) + 4 * longest * size_of::<Degrees>() as u64;
    let counting = counting_bytes(plan, longest, ends) + least_maps(ends);
    let memory = Ram::PROGRAM + packed + planning.max(counting);
    let states = sizes.layers().map(|size| size.states).sum();
    Need::of(
        Scheme::Disk,
        memory,
        disk_bytes(sizes),
        reach.len() as f64,
        states,
    )
}

/// The least bytes of the tables of maps for frontiers of at most `ends` endpoints.
pub(super) fn least_maps(ends: usize) -> u64 {
    map_bytes(ends).min(LEAST_MAPS)
}

/// The least memory of a count besides the packed lists and the tables of maps, with one thread: of a step, which has an
/// index, two lists, sums and caches; of the join, which has an index, two lists, positions of pairs, vectors and two
/// caches.
pub(super) fn counting_bytes(plan: &Plan, longest: u64, ends: usize) -> u64 {
    let slots = plan.slots();
    let list = longest * size_of::<Degrees>() as u64;
    let sums = entries(ends, slots) * BYTES_A_SUM;
    let step = Index::bytes(slots, None) + 2 * list + sums + 2 * LEAST_CACHE + WAITING;
    let join = match plan {
        Plan::OneWay(_) => 0,
        Plan::Meet(meet) => {
            let facing = meet.facing.len();
            let vectors = join_bytes(ends.min(facing));
            Index::bytes(facing, None) + 4 * list + vectors + 2 * LEAST_CACHE
        }
    };
    step.max(join)
}

/// About the bytes of the files at once.
pub(super) fn disk_bytes(sizes: &Sizes) -> u64 {
    (sizes.bytes_at_once() * COMPRESSED) as u64
}
