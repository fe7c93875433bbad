//! Which degree vectors can occur: reached from the start, and still completable to degree 2
//! everywhere.
//!
//! Both passes use degrees alone, never matchings, so they are cheap beside the count, which then
//! never touches a block that leads nowhere. The list of a layer is kept as it is, or packed: then
//! one list at a time is in memory.

use std::borrow::Cow;
use std::iter;
use std::ops::Deref;

use everymove_kernel::dispatch::{self, Task};
use everymove_kernel::files::{push_varint, take_varint};
use everymove_kernel::parallel;
use everymove_kernel::run::{OverBudget, Reservation, Run, Stopped};
use everymove_kernel::system;

use crate::frontier::FrontierError;
use crate::frontier::step::Step;
use crate::frontier::step::plan::{Meet, Phases, Plan};
use crate::frontier::vectors::degrees::{Degrees, DigitMap, Order, POW3, most_ends};
use crate::frontier::vectors::images::{Images, Looked, Preimages};
use crate::frontier::vectors::marks::Marks;

/// What the memory of lists is called when it is asked for.
pub(crate) const LISTS: &str = "counting: the lists of degree vectors";

/// A list in memory, which is part of the budget.
#[derive(Debug)]
pub(crate) struct Members {
    pub(crate) list: Vec<Degrees>,
    pub(crate) held: Reservation,
}

impl Members {
    pub(crate) fn new(list: Vec<Degrees>, run: &Run) -> Result<Self, OverBudget> {
        let held = run.ram.reserve(LISTS, list_bytes(list.len() as u64))?;
        Ok(Self { list, held })
    }
}

/// Degree vectors of a layer, ascending.
pub(crate) trait List: Sized + Sync {
    /// Keeps a list.
    fn of(members: Members, run: &Run) -> Result<Self, OverBudget>;

    /// How many members it has.
    fn len(&self) -> usize;

    /// The members.
    fn open(&self, run: &Run) -> Result<Open<'_>, OverBudget>;

    /// The members, and the memory that they take.
    fn into_members(self, run: &Run) -> Result<Members, OverBudget>;

    /// The same; an empty list is left.
    fn take(&mut self, run: &Run) -> Result<Members, OverBudget> {
        let empty = Self::of(Members::new(vec![], run)?, run)?;
        std::mem::replace(self, empty).into_members(run)
    }
}

/// A list that is read.
pub(crate) struct Open<'a> {
    list: Cow<'a, [Degrees]>,
    _held: Option<Reservation>,
}

impl Deref for Open<'_> {
    type Target = [Degrees];

    fn deref(&self) -> &[Degrees] {
        &self.list
    }
}

impl List for Members {
    fn of(mut members: Members, run: &Run) -> Result<Self, OverBudget> {
        let bytes = list_bytes(members.list.len() as u64);
        if members.list.capacity() > members.list.len() {
            // The allocator may copy the list.
            let _copy = run.ram.reserve(LISTS, bytes)?;
            members.list.shrink_to_fit();
        }
        members.held.resize(LISTS, bytes)?;
        Ok(members)
    }

    fn len(&self) -> usize {
        self.list.len()
    }

    fn open(&self, _: &Run) -> Result<Open<'_>, OverBudget> {
        Ok(Open {
            list: Cow::Borrowed(&self.list),
            _held: None,
        })
    }

    fn into_members(self, _: &Run) -> Result<Members, OverBudget> {
        Ok(self)
    }
}

/// A list as differences of one to five bytes, read from front to back.
#[derive(Debug)]
pub(crate) struct Packed {
    /// Differences to the member before, less one (the first: itself), as varints.
    bytes: Vec<u8>,
    len: usize,
    _held: Reservation,
}

impl Packed {
    /// The members, ascending.
    fn iter(&self) -> impl Iterator<Item = Degrees> {
        let (mut next, mut bytes) = (0, &self.bytes[..]);
        iter::from_fn(move || {
            let member = next + take_varint(&mut bytes)? as Degrees;
            next = member.wrapping_add(1);
            Some(member)
        })
    }
}

impl List for Packed {
    fn of(members: Members, run: &Run) -> Result<Self, OverBudget> {
        let size = packed_bytes(&members.list);
        let _held = run.ram.reserve(LISTS, size)?;
        let mut bytes = Vec::with_capacity(size as usize);
        for left in differences(&members.list) {
            push_varint(&mut bytes, left.into());
        }
        let len = members.list.len();
        drop(members);
        system::release_freed_memory();
        Ok(Self { bytes, len, _held })
    }

    fn len(&self) -> usize {
        self.len
    }

    fn open(&self, run: &Run) -> Result<Open<'_>, OverBudget> {
        let held = run
            .ram
            .reserve(LISTS, (self.len * size_of::<Degrees>()) as u64)?;
        let mut list = Vec::with_capacity(self.len);
        list.extend(self.iter());
        Ok(Open {
            list: Cow::Owned(list),
            _held: Some(held),
        })
    }

    fn into_members(self, run: &Run) -> Result<Members, OverBudget> {
        let held = run
            .ram
            .reserve(LISTS, (self.len * size_of::<Degrees>()) as u64)?;
        let mut list = Vec::with_capacity(self.len);
        list.extend(self.iter());
        Ok(Members { list, held })
    }
}

/// The bytes of an ascending list when it is packed.
pub(crate) fn packed_bytes(members: &[Degrees]) -> u64 {
    let bytes = |left: u32| u64::from((32 - (left | 1).leading_zeros()).div_ceil(7));
    differences(members).map(bytes).sum()
}

/// The differences of ascending members to the one before, less one; the first is itself.
fn differences(members: &[Degrees]) -> impl Iterator<Item = u32> {
    let mut next = 0;
    members.iter().map(move |&member| {
        let left = member - next;
        next = member.wrapping_add(1);
        left
    })
}

/// The live degree vectors before the first step of each phase and after each step; those of the
/// halves begin with the last common ones that lead to them.
pub(crate) type Live<L> = Phases<Vec<L>>;

impl<L: List> Live<L> {
    /// Finds the live degree vectors of every layer.
    pub(crate) fn new(plan: &Plan, run: &Run) -> Result<Self, FrontierError> {
        let steps = &plan.steps;
        let mut common: Vec<L> = forward(Members::new(vec![0], run)?, &steps.common, run)?;
        let Some(meet) = &plan.meet else {
            let complete = steps
                .common
                .last()
                .map_or(0, |step| POW3[step.slots_out] - 1);
            let mut members = taken(&mut common, run)?;
            members.list.retain(|&d| d == complete);
            common.push(L::of(members, run)?);
            backward(&mut common, &steps.common, run)?;
            return Ok(Self {
                common,
                ..Self::default()
            });
        };
        let branch = || {
            let branch = common
                .last()
                .expect("a layer before the first step")
                .open(run)?;
            Members::new(branch.to_vec(), run)
        };
        let mut first: Vec<L> = forward(branch()?, &steps.first, run)?;
        let mut second: Vec<L> = match steps.second == steps.first {
            true => first
                .iter()
                .map(|list| copied(list, run))
                .collect::<Result<_, _>>()?,
            false => forward(branch()?, &steps.second, run)?,
        };
        let (mut ours, mut theirs) = (taken(&mut first, run)?, taken(&mut second, run)?);
        meeting(meet, &mut ours.list, &mut theirs.list, run)?;
        first.push(L::of(ours, run)?);
        second.push(L::of(theirs, run)?);
        backward(&mut first, &steps.first, run)?;
        backward(&mut second, &steps.second, run)?;
        drop(taken(&mut common, run)?);
        let both = union(&first[0].open(run)?, &second[0].open(run)?);
        common.push(L::of(Members::new(both, run)?, run)?);
        backward(&mut common, &steps.common, run)?;
        Ok(Self {
            common,
            first,
            second,
        })
    }

    /// The list of every layer; the halves' first ones are parts of the last common one and left
    /// out.
    pub(crate) fn lists(&self) -> impl Iterator<Item = &L> {
        let halves = [&self.first, &self.second].into_iter();
        let halves = halves.flat_map(|half| half.iter().skip(1));
        self.common.iter().chain(halves)
    }

    /// The number of live degree vectors in all layers.
    pub(crate) fn vectors(&self) -> u64 {
        self.lists().map(|list| list.len() as u64).sum()
    }

    /// The most members of a list.
    pub(crate) fn longest(&self) -> u64 {
        self.lists()
            .map(|list| list.len() as u64)
            .max()
            .unwrap_or(0)
    }

    /// The most endpoints of a degree vector.
    pub(crate) fn most_endpoints(&self, run: &Run) -> Result<usize, FrontierError> {
        let mut most = 0;
        for list in self.lists() {
            let list = list.open(run)?;
            let parts = in_ranges(list.len(), run, |range| {
                dispatch::run(MostEndpoints(&list[range]))
            })?;
            most = parts.into_iter().fold(most, usize::max);
        }
        Ok(most)
    }
}

/// What is known of the live degree vectors of a count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Vectors of all layers.
    pub(crate) vectors: u64,
    /// The most endpoints of one.
    pub(crate) ends: usize,
    /// The most of a layer.
    pub(crate) longest: u64,
}

impl Found {
    pub(crate) fn of<L: List>(live: &Live<L>, run: &Run) -> Result<Self, FrontierError> {
        Ok(Self {
            vectors: live.vectors(),
            ends: live.most_endpoints(run)?,
            longest: live.longest(),
        })
    }
}

/// Takes the last list away.
fn taken<L: List>(lists: &mut Vec<L>, run: &Run) -> Result<Members, OverBudget> {
    let last = lists.pop().expect("a layer before the first step");
    last.into_members(run)
}

fn copied<L: List>(list: &L, run: &Run) -> Result<L, OverBudget> {
    L::of(Members::new(list.open(run)?.to_vec(), run)?, run)
}

/// The most endpoints of some degree vectors.
struct MostEndpoints<'a>(&'a [Degrees]);

impl Task for MostEndpoints<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        most_ends(self.0)
    }
}

/// Keeps of the last degree vectors of two halves those that face each other.
fn meeting(
    meet: &Meet,
    first: &mut Vec<Degrees>,
    second: &mut Vec<Degrees>,
    run: &Run,
) -> Result<(), FrontierError> {
    let slots = meet.facing.len();
    let facing = DigitMap::complement(&meet.facing);
    let canonical = |d: Degrees| match &meet.second_fold {
        Some(fold) => fold.canonical(d),
        None => d,
    };
    run.stop.check()?;
    let _held = reserve(run, 2 * Marks::bytes(slots))?;
    let (there, wanted) = (Marks::new(slots), Marks::new(slots));
    in_ranges(second.len(), run, |range| {
        second[range]
            .iter()
            .for_each(|&degrees| there.insert(degrees));
    })?;
    keep(
        first,
        run,
        || (),
        |(), d| {
            let opposite = canonical(facing.apply(d));
            let meets = there.contains(opposite);
            if meets {
                wanted.insert(opposite);
            }
            meets
        },
    )?;
    keep(second, run, || (), |(), d| wanted.contains(d))?;
    Ok(())
}

/// The members of two ascending lists, those of both once.
fn union(ours: &[Degrees], theirs: &[Degrees]) -> Vec<Degrees> {
    let (mut ours, mut theirs) = (ours.iter().peekable(), theirs.iter().peekable());
    let next = || match (ours.peek(), theirs.peek()) {
        (Some(a), Some(b)) if a == b => {
            theirs.next();
            ours.next().copied()
        }
        (Some(a), Some(b)) if a > b => theirs.next().copied(),
        (None, _) => theirs.next().copied(),
        _ => ours.next().copied(),
    };
    iter::from_fn(next).collect()
}

/// Keeps of a list the degree vectors that are wanted, in its place: its memory is kept, too. Each
/// thread has a state, which gets degree vectors in ascending order.
fn keep<S: Send>(
    list: &mut Vec<Degrees>,
    run: &Run,
    start: impl Fn() -> S + Sync,
    is_wanted: impl Fn(&mut S, Degrees) -> bool + Sync,
) -> Result<(), Stopped> {
    let compact = |state: &mut S, part: &mut [Degrees]| {
        let mut kept = 0;
        for i in 0..part.len() {
            part[kept] = part[i];
            kept += usize::from(is_wanted(state, part[i]));
        }
        kept
    };
    let kept = parallel::map(run, list.chunks_mut(PART), start, compact)?;
    let mut len = 0;
    for (part, kept) in kept.into_iter().enumerate() {
        let start = part * PART;
        list.copy_within(start..start + kept, len);
        len += kept;
    }
    list.truncate(len);
    Ok(())
}

/// Bytes of a list, with the gaps that freed lists leave.
pub(crate) fn list_bytes(members: u64) -> u64 {
    let bytes = members * size_of::<Degrees>() as u64;
    bytes + bytes / 7
}

/// The degree vectors that each step can reach.
pub(crate) fn forward<L: List>(
    start: Members,
    steps: &[Step],
    run: &Run,
) -> Result<Vec<L>, FrontierError> {
    let phase = "finding the reachable degree vectors";
    run.progress.start(phase, steps.len() as u64);
    let _held = reserve(run, Images::bytes(steps))?;
    let mut images = Images::new(steps);
    let mut lists = vec![L::of(start, run)?];
    for step in steps {
        run.stop.check()?;
        images.find(&lists[lists.len() - 1].open(run)?, step, run)?;
        let found = images.found();
        let lengths = found.lengths(run)?;
        let held = reserve(run, list_bytes(lengths.iter().sum::<usize>() as u64))?;
        let list = found.drain(&lengths, run)?;
        run.progress.worked(list.len() as u64);
        lists.push(L::of(Members { list, held }, run)?);
        run.progress.advance(1);
    }
    Ok(lists)
}

/// Removes from each list the degree vectors that cannot become any of the next one's.
pub(crate) fn backward<L: List>(
    lists: &mut Vec<L>,
    steps: &[Step],
    run: &Run,
) -> Result<(), FrontierError> {
    let phase = "dropping degree vectors that lead nowhere";
    run.progress.start(phase, steps.len() as u64);
    let _held = reserve(run, Preimages::bytes(steps))?;
    let mut preimages = Preimages::new(steps);
    let mut after = lists.split_off(steps.len());
    for step in steps.iter().rev() {
        run.stop.check()?;
        preimages.replace(&after[after.len() - 1].open(run)?, step, run)?;
        let before = preimages.of(step);
        let mut members = taken(lists, run)?;
        keep(
            &mut members.list,
            run,
            Looked::default,
            |looked, degrees| before.contains(looked, degrees),
        )?;
        after.push(L::of(members, run)?);
        run.progress.advance(1);
    }
    after.reverse();
    *lists = after;
    Ok(())
}

/// The most bytes of the sets with which the live degree vectors of a plan are found.
pub(crate) fn set_bytes(plan: &Plan) -> u64 {
    let meeting = plan.meet.as_ref();
    let meeting = meeting.map_or(0, |meet| 2 * Marks::bytes(meet.facing.len()));
    let phases = plan.steps.each().into_iter();
    phases
        .map(|steps| Images::bytes(steps))
        .fold(meeting, u64::max)
}

/// Memory for a set of all degree vectors of a frontier.
fn reserve(run: &Run, bytes: u64) -> Result<Reservation, OverBudget> {
    run.ram
        .reserve("counting: the set of degree vectors of one frontier", bytes)
}

/// A list in another order.
pub(crate) fn ordered(
    list: &[Degrees],
    order: &Order,
    slots: usize,
    run: &Run,
) -> Result<Vec<Degrees>, FrontierError> {
    let _held = reserve(run, Marks::bytes(slots) + 2 * size_of_val(list) as u64)?;
    let mut codes = Marks::new(slots);
    in_ranges(list.len(), run, |range| {
        for &degrees in &list[range] {
            codes.insert(order.code(degrees));
        }
    })?;
    let mut members = codes.drain(&codes.lengths(run)?, run)?;
    let parts = members.chunks_mut(PART);
    parallel::for_each(
        run,
        parts,
        || (),
        |(), part| {
            part.iter_mut()
                .for_each(|code| *code = order.degrees(*code));
        },
    )?;
    Ok(members)
}

/// Members of a list that a thread takes at a time: few enough to answer a stop at once.
pub(crate) const PART: usize = 1 << 13;

/// Calls `part` with ranges that cover `0..len`, on the threads of the run; the results are in the
/// order of the ranges.
pub(crate) fn in_ranges<T: Send>(
    len: usize,
    run: &Run,
    part: impl Fn(std::ops::Range<usize>) -> T + Sync,
) -> Result<Vec<T>, Stopped> {
    let ranges = parallel::ranges(len, len.div_ceil(PART));
    parallel::map(run, ranges, || (), |(), range| part(range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_lists_come_back() {
        let run = Run::serial();
        let lists: [&[u32]; 4] = [
            &[],
            &[0],
            &[0, 1, 2, 130, 131, 16_514, 3_486_784_400],
            &[4_294_967_294],
        ];
        for list in lists {
            let packed = Packed::of(Members::new(list.to_vec(), &run).unwrap(), &run).unwrap();
            assert_eq!(&packed.open(&run).unwrap()[..], list);
            assert_eq!(packed.len(), list.len());
            assert_eq!(packed.bytes.len() as u64, packed_bytes(list));
            for other in lists {
                let mut wanted = [list, other].concat();
                wanted.sort_unstable();
                wanted.dedup();
                assert_eq!(union(list, other), wanted);
            }
        }
    }
}
