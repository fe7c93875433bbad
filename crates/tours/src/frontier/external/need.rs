//! What a count with layers in files takes.

use everymove_kernel::run::{OverBudget, Ram, Reservation, Run};

use super::super::bits::{Index, Marks};
use super::super::degrees::{Degrees, masks};
use super::super::estimate::{BYTES_A_SUM, Sizes, map_bytes};
use super::super::join::join_bytes;
use super::super::maps::Maps;
use super::super::plan::Plan;
use super::super::pull::entries;
use super::super::reach::Reach;
use super::super::scheme::{Need, Scheme};
use super::packed::packed_bytes;
use super::{LEAST_CACHE, WAITING};

/// Bytes on disk for an estimated byte in memory: 0.37 on 7x8, 0.46 on 8x8 closed.
const COMPRESSED: f64 = 0.5;

/// What the memory of the tables of maps is asked for.
pub(super) const MAPS: &str = "counting: the tables of maps";

/// The least bytes of the tables of maps; with fewer, most maps would be computed matching by matching.
const LEAST_MAPS: u64 = 16 << 20;

/// With fewer bytes there is no room for the larger tables beside those that are used most.
const MANY_MAPS: u64 = 64 << 20;

/// The part of the budget that the allocator may keep.
const KEPT: u64 = 12;

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

/// The least memory of a count besides the packed lists and the tables of maps, with one thread.
pub(super) fn counting_bytes(plan: &Plan, longest: u64, ends: usize) -> u64 {
    step_bytes(plan, longest, ends).max(meeting_bytes(plan, longest, ends))
}

/// The least memory of a step: an index, two lists, sums and caches.
pub(super) fn step_bytes(plan: &Plan, longest: u64, ends: usize) -> u64 {
    let slots = plan.slots();
    let list = longest * size_of::<Degrees>() as u64;
    let sums = entries(ends, slots) * BYTES_A_SUM;
    Index::bytes(slots, None) + 2 * list + sums + 2 * LEAST_CACHE + WAITING
}

/// The least memory of the join: an index, two lists, positions of pairs, vectors and two caches.
pub(super) fn meeting_bytes(plan: &Plan, longest: u64, ends: usize) -> u64 {
    let Plan::Meet(meet) = plan else { return 0 };
    let list = longest * size_of::<Degrees>() as u64;
    let facing = meet.facing.len();
    let vectors = join_bytes(ends.min(facing));
    Index::bytes(facing, None) + 4 * list + vectors + 2 * LEAST_CACHE
}

/// The tables of maps of the steps or of the join, and their memory: half of what the `rest` leaves, as the other half is for the caches
/// of layers.
pub(super) fn maps_beside(
    rest: u64,
    ends: usize,
    run: &Run,
) -> Result<(Maps, Reservation), OverBudget> {
    let spare = run.ram.left().saturating_sub(rest);
    let bytes = (spare / 2).clamp(least_maps(ends), map_bytes(ends));
    let held = run.ram.reserve(MAPS, bytes)?;
    let maps = match bytes < map_bytes(ends).min(MANY_MAPS) {
        true => Maps::few(bytes),
        false => Maps::new(bytes),
    };
    Ok((maps, held))
}

/// Memory that the allocator keeps of freed lists and segments, from what the `rest` leaves. Without it a budget of 256 MiB was
/// passed by 13.
pub(super) fn kept_bytes(rest: u64, run: &Run) -> u64 {
    let spare = run.ram.left().saturating_sub(rest);
    (run.ram.limit() / KEPT).min(spare / 4)
}

/// About the bytes of the files at once.
pub(super) fn disk_bytes(sizes: &Sizes) -> u64 {
    (sizes.bytes_at_once() * COMPRESSED) as u64
}
