//! Which degree vectors can occur: reached from the start, and still completable to degree 2 everywhere.
//!
//! Both passes use degrees alone, never at matchings, so they are cheap beside the count, which then never
//! touches a block that leads nowhere.

use std::borrow::Cow;
use std::iter;

use everymove_kernel::dispatch::{self, Task};
use everymove_kernel::parallel;
use everymove_kernel::run::{OverBudget, Reservation, Run, Stopped};

use super::FrontierError;
use super::degrees::{Degrees, DigitMap, Order, POW3, most_ends};
use super::images::{Images, Looked, Preimages};
use super::marks::Marks;
use super::plan::{Meet, Plan};
use super::steps::Step;

/// The live degree vectors before the first step and after each step, ascending.
pub(super) type Layers = Vec<Vec<Degrees>>;

/// Degree vectors of consecutive layers, ascending.
pub(super) trait Lists {
    /// Those of a layer.
    fn list(&self, layer: usize) -> Cow<'_, [Degrees]>;
}

impl Lists for Layers {
    fn list(&self, layer: usize) -> Cow<'_, [Degrees]> {
        Cow::Borrowed(&self[layer])
    }
}

/// The live degree vectors of a plan.
#[derive(Clone)]
pub(super) enum Reach {
    OneWay(Layers),
    /// The layers of the common beginning, then of each half; the halves' layer 0 is the last common one.
    Meet {
        common: Layers,
        first: Layers,
        second: Layers,
    },
}

impl Reach {
    /// Finds the live degree vectors of every layer.
    pub(super) fn new(plan: &Plan, run: &Run) -> Result<Self, FrontierError> {
        match plan {
            Plan::OneWay(steps) => Self::one_way(steps, run),
            Plan::Meet(meet) => Self::of_meet(meet, run),
        }
    }

    /// Finds the live degree vectors of an elimination of the whole board.
    pub(super) fn one_way(steps: &[Step], run: &Run) -> Result<Self, FrontierError> {
        let mut held = Vec::new();
        let mut layers = forward(vec![0], steps, run, &mut held)?;
        let complete = steps.last().map_or(0, |step| POW3[step.slots_out] - 1);
        last_mut(&mut layers).retain(|&d| d == complete);
        backward(&mut layers, steps, run)?;
        Ok(Self::OneWay(layers))
    }

    /// Finds the live degree vectors of two halves.
    pub(super) fn of_meet(meet: &Meet, run: &Run) -> Result<Self, FrontierError> {
        let mut held = Vec::new();
        let mut common = forward(vec![0], &meet.common, run, &mut held)?;
        // Both halves begin with a copy of the last common list.
        held.push(reserve(run, 2 * list_bytes(last(&common).len() as u64))?);
        let mut first = forward(last(&common).clone(), &meet.first, run, &mut held)?;
        let mut second = if meet.second == meet.first {
            let copied: usize = first.iter().map(Vec::len).sum();
            held.push(reserve(run, list_bytes(copied as u64))?);
            first.clone()
        } else {
            forward(last(&common).clone(), &meet.second, run, &mut held)?
        };
        meeting(meet, last_mut(&mut first), last_mut(&mut second), run)?;
        backward(&mut first, &meet.first, run)?;
        backward(&mut second, &meet.second, run)?;
        let united = list_bytes((first[0].len() + second[0].len()) as u64);
        held.push(reserve(run, united)?);
        let halves = [&first[0], &second[0]].map(|list| list.iter().copied());
        *last_mut(&mut common) = union(halves).collect();
        backward(&mut common, &meet.common, run)?;
        Ok(Self::Meet {
            common,
            first,
            second,
        })
    }

    /// The layers of the common beginning, of the first half and of the second.
    ///
    /// # Panics
    /// If the plan has no halves.
    pub(super) fn halves(&self) -> [&Layers; 3] {
        match self {
            Self::Meet {
                common,
                first,
                second,
            } => [common, first, second],
            Self::OneWay(_) => unreachable!("two halves were asked for"),
        }
    }

    /// The same, taken.
    ///
    /// # Panics
    /// If the plan has no halves.
    pub(super) fn into_halves(self) -> [Layers; 3] {
        match self {
            Self::Meet {
                common,
                first,
                second,
            } => [common, first, second],
            Self::OneWay(_) => unreachable!("two halves were asked for"),
        }
    }

    /// Every layer.
    pub(super) fn layers(&self) -> impl Iterator<Item = &Vec<Degrees>> {
        let lists: [&[Vec<Degrees>]; 3] = match self {
            Self::OneWay(layers) => [layers, &[], &[]],
            Self::Meet {
                common,
                first,
                second,
            } => [common, &first[1..], &second[1..]],
        };
        lists.into_iter().flatten()
    }

    /// The most endpoints of a degree vector.
    pub(super) fn most_endpoints(&self, run: &Run) -> Result<usize, Stopped> {
        let mut most = 0;
        for list in self.layers() {
            let parts = in_ranges(list.len(), run, |range| {
                dispatch::run(MostEndpoints(&list[range]))
            })?;
            most = parts.into_iter().fold(most, usize::max);
        }
        Ok(most)
    }

    /// Takes the memory of the lists from the budget.
    pub(super) fn reserve(&self, run: &Run) -> Result<Reservation, OverBudget> {
        run.ram.reserve(
            "counting: the lists of degree vectors",
            list_bytes(self.len()),
        )
    }

    /// The number of live degree vectors in all layers.
    pub(super) fn len(&self) -> u64 {
        self.layers().map(|layer| layer.len() as u64).sum()
    }
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
pub(super) fn meeting(
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
    let there = Live::new(second, slots, run)?;
    let _held = reserve(run, Marks::bytes(slots))?;
    let wanted = Marks::new(slots);
    keep(first, run, |d| {
        let opposite = canonical(facing.apply(d));
        let meets = there.contains(opposite);
        if meets {
            wanted.insert(opposite);
        }
        meets
    })?;
    keep(second, run, |d| wanted.contains(d))?;
    Ok(())
}

/// The members of two ascending lists, those of both once.
pub(super) fn union<I: Iterator<Item = Degrees> + Clone>(
    lists: [I; 2],
) -> impl Iterator<Item = Degrees> + Clone {
    let [mut ours, mut theirs] = lists.map(Iterator::peekable);
    iter::from_fn(move || match (ours.peek(), theirs.peek()) {
        (Some(a), Some(b)) if a == b => {
            theirs.next();
            ours.next()
        }
        (Some(a), Some(b)) if a > b => theirs.next(),
        (None, _) => theirs.next(),
        _ => ours.next(),
    })
}

/// Keeps of a list the degree vectors that are wanted, in its place: its memory is kept, too.
pub(super) fn keep(
    list: &mut Vec<Degrees>,
    run: &Run,
    is_wanted: impl Fn(Degrees) -> bool + Sync,
) -> Result<(), Stopped> {
    keep_by(list, run, || (), |(), degrees| is_wanted(degrees))
}

/// The same, with a state of each thread, which gets degree vectors in ascending order.
fn keep_by<S: Send>(
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
pub(super) fn list_bytes(members: u64) -> u64 {
    let bytes = members * size_of::<Degrees>() as u64;
    bytes + bytes / 7
}

fn last(layers: &Layers) -> &Vec<Degrees> {
    layers.last().expect("a layer before the first step")
}

fn last_mut(layers: &mut Layers) -> &mut Vec<Degrees> {
    layers.last_mut().expect("a layer before the first step")
}

/// The degree vectors that each step can reach.
///
/// The lists take their memory from the budget until `held` is dropped.
fn forward(
    start: Vec<Degrees>,
    steps: &[Step],
    run: &Run,
    held: &mut Vec<Reservation>,
) -> Result<Layers, FrontierError> {
    let mut layers = vec![start];
    let phase = "finding the reachable degree vectors";
    run.progress.start(phase, steps.len() as u64);
    let mut reached = Reached::new(steps, run)?;
    for step in steps {
        let members = reached.after(last(&layers), step, run)?;
        held.push(run.ram.reserve(
            "counting: the lists of degree vectors",
            list_bytes(members.len() as u64),
        )?);
        run.progress.advance(1);
        layers.push(members);
    }
    Ok(layers)
}

/// The set of the degree vectors that a step can reach, empty between two steps.
pub(super) struct Reached {
    images: Images,
    _held: Reservation,
}

impl Reached {
    /// Memory for each of some steps.
    pub(super) fn new(steps: &[Step], run: &Run) -> Result<Self, OverBudget> {
        let _held = reserve(run, Images::bytes(steps))?;
        let images = Images::new(steps);
        Ok(Self { images, _held })
    }

    /// The degree vectors that a step can reach, ascending.
    pub(super) fn after(
        &mut self,
        before: &[Degrees],
        step: &Step,
        run: &Run,
    ) -> Result<Vec<Degrees>, FrontierError> {
        run.stop.check()?;
        self.images.find(before, step, run)?;
        let found = self.images.found();
        let lengths = found.lengths(run)?;
        let _list = reserve(run, list_bytes(lengths.iter().sum::<usize>() as u64))?;
        let members = found.drain(&lengths, run)?;
        run.progress.worked(members.len() as u64);
        Ok(members)
    }
}

/// Removes from each layer the degree vectors that cannot become any of the next layer's.
fn backward(layers: &mut Layers, steps: &[Step], run: &Run) -> Result<(), FrontierError> {
    let phase = "dropping degree vectors that lead nowhere";
    run.progress.start(phase, steps.len() as u64);
    let mut completable = Completable::new(steps, run)?;
    for (i, step) in steps.iter().enumerate().rev() {
        let (before, after) = layers.split_at_mut(i + 1);
        completable.replace(&after[0], step, run)?;
        completable.keep(&mut before[i], step, run)?;
        // The allocator may copy the list.
        let _copy = reserve(run, list_bytes(before[i].len() as u64))?;
        before[i].shrink_to_fit();
        run.progress.advance(1);
    }
    Ok(())
}

/// The live degree vectors after a step, as a set.
pub(super) struct Live {
    marks: Marks,
    _held: Reservation,
}

impl Live {
    /// The set of the members of a list of a frontier of `slots` slots.
    pub(super) fn new(list: &[Degrees], slots: usize, run: &Run) -> Result<Self, FrontierError> {
        run.stop.check()?;
        let _held = reserve(run, Marks::bytes(slots))?;
        let marks = Marks::new(slots);
        let live = Self { marks, _held };
        live.insert(list, run)?;
        Ok(live)
    }

    fn insert(&self, list: &[Degrees], run: &Run) -> Result<(), Stopped> {
        in_ranges(list.len(), run, |range| {
            let part = list[range].iter();
            part.for_each(|&degrees| self.marks.insert(degrees));
        })?;
        Ok(())
    }

    /// Whether a degree vector is in the set.
    #[inline]
    pub(super) fn contains(&self, degrees: Degrees) -> bool {
        self.marks.contains(degrees)
    }
}

/// The degree vectors that a step can make one of the live ones after it.
pub(super) struct Completable {
    preimages: Preimages,
    _held: Reservation,
}

impl Completable {
    /// Memory for each of some steps.
    pub(super) fn new(steps: &[Step], run: &Run) -> Result<Self, OverBudget> {
        let _held = reserve(run, Preimages::bytes(steps))?;
        let preimages = Preimages::new(steps);
        Ok(Self { preimages, _held })
    }

    /// Takes the live degree vectors after a step.
    pub(super) fn replace(
        &mut self,
        live: &[Degrees],
        step: &Step,
        run: &Run,
    ) -> Result<(), Stopped> {
        run.stop.check()?;
        self.preimages.replace(live, step, run)
    }

    /// Keeps of the list before that step the degree vectors that can become one of those. The list is cut in its place and keeps its memory.
    pub(super) fn keep(
        &self,
        list: &mut Vec<Degrees>,
        step: &Step,
        run: &Run,
    ) -> Result<(), Stopped> {
        let before = self.preimages.of(step);
        keep_by(list, run, Looked::default, |looked, degrees| {
            before.contains(looked, degrees)
        })
    }
}

/// The most bytes of the sets with which the live degree vectors of a plan are found.
pub(super) fn set_bytes(plan: &Plan) -> u64 {
    match plan {
        Plan::OneWay(steps) => Images::bytes(steps),
        Plan::Meet(meet) => {
            let phases = [&meet.common, &meet.first, &meet.second].into_iter();
            let meeting = 2 * Marks::bytes(meet.facing.len());
            phases
                .map(|steps| Images::bytes(steps))
                .fold(meeting, u64::max)
        }
    }
}

/// Memory for a set of all degree vectors of a frontier.
fn reserve(run: &Run, bytes: u64) -> Result<Reservation, OverBudget> {
    run.ram
        .reserve("counting: the set of degree vectors of one frontier", bytes)
}

/// A list in another order.
pub(super) fn ordered(
    list: &[Degrees],
    order: &Order,
    slots: usize,
    run: &Run,
) -> Result<Vec<Degrees>, FrontierError> {
    let what = "counting: the set of degree vectors of one frontier";
    let bytes = Marks::bytes(slots) + 2 * size_of_val(list) as u64;
    let _held = run.ram.reserve(what, bytes)?;
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
pub(super) const PART: usize = 1 << 13;

/// Calls `part` with ranges that cover `0..len`, on the threads of the run; the results are in the order of the ranges.
pub(super) fn in_ranges<T: Send>(
    len: usize,
    run: &Run,
    part: impl Fn(std::ops::Range<usize>) -> T + Sync,
) -> Result<Vec<T>, Stopped> {
    let ranges = parallel::ranges(len, len.div_ceil(PART));
    parallel::map(run, ranges, || (), |(), range| part(range))
}
