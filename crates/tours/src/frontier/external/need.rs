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
use super::{LEAST_CACHE, WAITING};

/// Bytes on disk for a byte in memory, assumed: compression gains more where counts are small.
const COMPRESSED: f64 = 0.75;

/// Bytes of a degree vector in a packed list, assumed: most differences take one.
const PACKED: f64 = 2.0;

/// What a count with layers in files is estimated to take.
pub(in super::super) fn estimate(plan: &Plan, reach: &Reach, sizes: &Sizes) -> Need {
    let lists = || reach.layers();
    let longest = lists().map(Vec::len).max().unwrap_or(0) as u64;
    let ends = lists()
        .flatten()
        .map(|&d| masks(d).ends.count_ones() as usize)
        .max()
        .unwrap_or(0);
    let maps = map_bytes(ends).min(16 << 20);
    let packed = (reach.len() as f64 * PACKED) as u64;
    let program = Ram::PROGRAM;
    let memory = program + packed + working_bytes(plan, longest, ends, maps);
    let states = sizes.layers().map(|size| size.states).sum();
    Need::of(
        Scheme::Disk,
        memory,
        disk_bytes(sizes),
        reach.len() as f64,
        states,
    )
}

/// The least memory besides the packed lists, with one thread: of the plan; of a step, which has an index, two lists, sums
/// and caches; of the join, which has an index, two lists, positions of pairs, vectors and two caches.
pub(super) fn working_bytes(plan: &Plan, longest: u64, ends: usize, maps: u64) -> u64 {
    let slots = plan.slots();
    let list = longest * size_of::<Degrees>() as u64;
    let planning = 2 * Marks::bytes(slots) + 4 * list;
    let sums = entries(ends, slots) * BYTES_A_SUM;
    let step = Index::bytes(slots, None) + 2 * list + sums + 2 * LEAST_CACHE + WAITING + maps;
    let join = match plan {
        Plan::OneWay(_) => 0,
        Plan::Meet(meet) => {
            let facing = meet.facing.len();
            let vectors = join_bytes(ends.min(facing));
            Index::bytes(facing, None) + 4 * list + vectors + 2 * LEAST_CACHE + maps
        }
    };
    planning.max(step).max(join)
}

/// About the bytes of the files at once.
pub(super) fn disk_bytes(sizes: &Sizes) -> u64 {
    (sizes.bytes_at_once() * COMPRESSED) as u64
}
