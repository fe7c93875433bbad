//! The memory that layers in files need besides lists of degree vectors, and how what is left is
//! shared out.

use everymove_kernel::run::{OverBudget, Reservation, Run};

use crate::frontier::join::join_bytes;
use crate::frontier::states::maps::{Maps, map_bytes};
use crate::frontier::step::plan::Plan;
use crate::frontier::step::pull::{BYTES_A_SUM, entries};
use crate::frontier::vectors::degrees::Degrees;
use crate::frontier::vectors::index::Index;
use crate::frontier::vectors::live::Found;

/// The least bytes of a thread's cache of a layer in a file.
pub(crate) const LEAST_CACHE: u64 = 4 << 20;

/// Bytes of finished jobs that wait for their turn, and of the writer's buffers.
pub(crate) const WAITING: u64 = 12 << 20;

/// The memory for blocks that are joined, at least: of layers that are whole, and of classes.
const LEAST_PORTION: u64 = 8 << 20;
const LEAST_PORTION_OF_CLASSES: u64 = 32 << 20;

/// What the memory of the tables of maps is asked for.
const MAPS: &str = "counting: the tables of maps";

/// The least bytes of the tables of maps; with fewer, most maps would be computed matching by
/// matching.
const LEAST_MAPS: u64 = 16 << 20;

/// With fewer bytes there is no room for the larger tables beside those that are used most.
const MANY_MAPS: u64 = 64 << 20;

/// The part of the budget that the allocator may keep.
const KEPT: u64 = 12;

/// The memory that a count with layers in files needs besides lists of degree vectors and tables of
/// maps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest {
    /// While a layer is made.
    pub(crate) step: u64,
    /// While the halves are joined.
    pub(crate) join: u64,
    /// The most endpoints of a degree vector.
    pub(crate) ends: usize,
}

impl Rest {
    /// The least memory with one thread.
    pub(crate) fn of(plan: &Plan, found: Found) -> Self {
        let list = found.longest * size_of::<Degrees>() as u64;
        let slots = plan.slots();
        let sums = entries(found.ends, slots) * BYTES_A_SUM;
        let index = Index::bytes(slots, None);
        let step = index + 2 * list + sums + 2 * LEAST_CACHE + WAITING;
        let join = plan.meet.as_ref().map_or(0, |meet| {
            let facing = meet.facing.len();
            let vectors = join_bytes(found.ends.min(facing));
            Index::bytes(facing, None) + 4 * list + vectors + LEAST_PORTION
        });
        Self {
            step,
            join,
            ends: found.ends,
        }
    }

    /// The same by classes, where the last list of the second half has `last` members: its index is
    /// kept while steps are made.
    pub(crate) fn by_classes(plan: &Plan, found: Found, last: u64) -> Self {
        let of_degrees = |members: u64| members * size_of::<Degrees>() as u64;
        let facing = plan.meet.as_ref().map_or(0, |meet| meet.facing.len());
        let joining = join_bytes(found.ends.min(facing)) + LEAST_PORTION_OF_CLASSES;
        // Of the layers before the one that is read, few have lists that are not divided by
        // classes.
        let path = 2 * of_degrees(found.longest);
        let kept = Index::bytes(facing, None) + of_degrees(last) + path;
        let both = kept + Self::of(plan, found).step.max(joining);
        Self {
            step: both,
            join: both,
            ends: found.ends,
        }
    }

    /// With the least tables of maps.
    pub(crate) fn bytes(&self) -> u64 {
        self.step.max(self.join) + least_maps(self.ends)
    }
}

/// The least bytes of the tables of maps for frontiers of at most `ends` endpoints.
pub(crate) fn least_maps(ends: usize) -> u64 {
    map_bytes(ends).min(LEAST_MAPS)
}

/// The tables of maps of the steps or of the join, and their memory: half of what the `rest`
/// leaves, as the other half is for the caches of layers.
pub(crate) fn maps_beside(
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

/// Memory that the allocator keeps of freed lists and segments, from what the `rest` leaves; each
/// thread has its own.
pub(crate) fn kept_bytes(rest: u64, run: &Run) -> u64 {
    let spare = run.ram.left().saturating_sub(rest);
    let kept = run.ram.limit() / KEPT * run.threads.get() as u64;
    kept.min(spare / 3)
}
