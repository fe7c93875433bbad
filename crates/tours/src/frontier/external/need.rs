//! What a count with layers in files takes.

use everymove_kernel::run::{OverBudget, Ram, Reservation, Run, Stopped};

use super::super::FrontierError;
use super::super::bits::Index;
use super::super::degrees::Degrees;
use super::super::estimate::{BYTES_A_SUM, Counts, Sizes, map_bytes};
use super::super::join::join_bytes;
use super::super::maps::Maps;
use super::super::plan::Plan;
use super::super::pull::entries;
use super::super::reach::{Reach, set_bytes};
use super::super::scheme::{Files, Need, Scheme, widest};
use super::lists::PackedLists;
use super::packed::{Packed, packed_bytes};
use super::{LEAST_CACHE, WAITING};
use crate::question::Question;

/// Bytes on disk for an estimated byte in memory: 0.37 on 7x8 open, 0.46 on 8x8 closed, 0.52 on 7x9 open.
const COMPRESSED: f64 = 0.5;

/// The same without compression: 0.57, 0.80 and 0.83 there.
const PLAIN: f64 = 0.8;

/// What the memory of the tables of maps is asked for.
pub(super) const MAPS: &str = "counting: the tables of maps";

/// The least bytes of the tables of maps; with fewer, most maps would be computed matching by matching.
const LEAST_MAPS: u64 = 16 << 20;

/// With fewer bytes there is no room for the larger tables beside those that are used most.
const MANY_MAPS: u64 = 64 << 20;

/// The part of the budget that the allocator may keep.
const KEPT: u64 = 12;

/// What is known of the lists of degree vectors.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct ListsFound {
    /// Members of all lists.
    pub(in super::super) vectors: u64,
    /// The most endpoints of a member.
    pub(in super::super) ends: usize,
    /// The most members of a list.
    pub(in super::super) longest: u64,
    /// Bytes of all lists when they are packed.
    pub(in super::super) packed: u64,
}

impl ListsFound {
    /// Of lists in memory.
    pub(in super::super) fn of_reach(reach: &Reach, run: &Run) -> Result<Self, Stopped> {
        let longest = reach.layers().map(Vec::len).max().unwrap_or(0);
        Ok(Self {
            vectors: reach.len(),
            ends: reach.most_endpoints(run)?,
            longest: longest as u64,
            packed: reach.layers().map(|list| packed_bytes(list)).sum(),
        })
    }

    /// Of packed lists.
    pub(super) fn of_packed(lists: &PackedLists) -> Self {
        Self {
            vectors: lists.len(),
            ends: lists.most_endpoints(),
            longest: lists.longest(),
            packed: lists.all().map(Packed::bytes).sum(),
        }
    }
}

/// What a count with layers in files is estimated to take.
pub(in super::super) fn estimate(plan: &Plan, lists: &ListsFound, sizes: &Sizes) -> Need {
    let &ListsFound {
        vectors,
        ends,
        longest,
        packed,
    } = lists;
    let planning = set_bytes(plan) + 4 * longest * size_of::<Degrees>() as u64;
    let counting = counting_bytes(plan, longest, ends) + least_maps(ends);
    let memory = Ram::PROGRAM + packed + planning.max(counting);
    let states = sizes.layers().map(|size| size.states).sum();
    let files = files(sizes.bytes_at_once());
    Need::of(Scheme::Disk, memory, files, vectors as f64, states)
}

/// About the bytes that a count with layers in files takes beside the program, known at once for the knight on boards
/// without holes: as estimated by [`estimate`] on boards of up to twelve rows, and rounded up.
pub(in super::super) fn rough_need_on_disk(question: &Question) -> u64 {
    let grid = question.board.grid();
    let mib = match (widest(question), grid.rows().max(grid.cols())) {
        (..=13, _) => 32,
        (14, _) => 48,
        (15, _) => 52,
        (16, ..=8) => 60,
        (16, ..=10) => 68,
        (16, _) => 80,
        (17, ..=8) => 115,
        (17, ..=10) => 160,
        (17, _) => 180,
        (18, ..=8) => 230,
        (18, _) => 400,
        (19, _) => 1400,
        _ => 3200,
    };
    mib << 20
}

/// The lists of a plan, found one at a time, and the sizes of its layers.
pub(in super::super) fn found_in_parts(
    plan: &Plan,
    counts: Counts,
    run: &Run,
) -> Result<(ListsFound, Sizes), FrontierError> {
    let lists = PackedLists::new(plan, run)?;
    let sizes = lists.sizes(plan, counts, run)?;
    Ok((ListsFound::of_packed(&lists), sizes))
}

/// The least bytes of the tables of maps for frontiers of at most `ends` endpoints.
pub(in super::super) fn least_maps(ends: usize) -> u64 {
    map_bytes(ends).min(LEAST_MAPS)
}

/// The least memory of a count besides the packed lists and the tables of maps, with one thread.
pub(in super::super) fn counting_bytes(plan: &Plan, longest: u64, ends: usize) -> u64 {
    step_bytes(plan, longest, ends).max(meeting_bytes(plan, longest, ends))
}

/// The least memory of a step: an index, two lists, sums and caches.
pub(in super::super) fn step_bytes(plan: &Plan, longest: u64, ends: usize) -> u64 {
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

/// Memory that the allocator keeps of freed lists and segments, from what the `rest` leaves; each thread has its own. Without it
/// a budget of 256 MiB was passed by 13. Two threads still pass a budget of 90 MiB by up to 4 on 7x9 open.
pub(super) fn kept_bytes(rest: u64, run: &Run) -> u64 {
    let spare = run.ram.left().saturating_sub(rest);
    let kept = run.ram.limit() / KEPT * run.threads.get() as u64;
    kept.min(spare / 3)
}

/// The files of layers that would take this many bytes of memory at once.
pub(in super::super) fn files(at_once: f64) -> Files {
    let bytes = |part: f64| (at_once * part) as u64;
    Files {
        compressed: bytes(COMPRESSED),
        plain: bytes(PLAIN),
    }
}
