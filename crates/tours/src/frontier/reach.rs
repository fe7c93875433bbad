//! Which degree vectors can occur: reached from the start, and still completable to degree 2 everywhere.
//!
//! Both passes use degrees alone, never at matchings, so they are cheap beside the count, which then never
//! touches a block that leads nowhere.

use std::borrow::Cow;

use everymove_kernel::parallel;
use everymove_kernel::run::{OverBudget, Reservation, Run, Stopped};

use super::FrontierError;
use super::bits::Marks;
use super::degrees::{Degrees, DigitMap, Order, POW3};
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
        let united = 2 * list_bytes((first[0].len() + second[0].len()) as u64);
        held.push(reserve(run, united)?);
        let mut union = [first[0].as_slice(), second[0].as_slice()].concat();
        union.sort_unstable();
        union.dedup();
        *last_mut(&mut common) = union;
        backward(&mut common, &meet.common, run)?;
        Ok(Self::Meet {
            common,
            first,
            second,
        })
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
    let _held = reserve(run, 2 * Marks::bytes(slots))?;
    let (there, wanted) = (Marks::new(slots), Marks::new(slots));
    second.iter().for_each(|&d| there.insert(d));
    first.retain(|&d| {
        let opposite = canonical(facing.apply(d));
        let meets = there.contains(opposite);
        if meets {
            wanted.insert(opposite);
        }
        meets
    });
    second.retain(|&d| wanted.contains(d));
    Ok(())
}

/// Bytes of a list, with the gaps that freed lists leave.
fn list_bytes(members: u64) -> u64 {
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
    for step in steps {
        let members = reachable(last(&layers), step, run)?;
        held.push(run.ram.reserve(
            "counting: the lists of degree vectors",
            list_bytes(members.len() as u64),
        )?);
        run.progress.advance(1);
        layers.push(members);
    }
    Ok(layers)
}

/// The degree vectors that a step can reach, ascending.
pub(super) fn reachable(
    before: &[Degrees],
    step: &Step,
    run: &Run,
) -> Result<Vec<Degrees>, FrontierError> {
    run.stop.check()?;
    let _marks = reserve(run, Marks::bytes(step.slots_out))?;
    let marks = Marks::new(step.slots_out);
    in_ranges(before.len(), run, |range| {
        for &degrees in &before[range] {
            step.any_after(degrees, |after| {
                marks.insert(match &step.fold {
                    Some(fold) => fold.canonical(after),
                    None => after,
                });
                false
            });
        }
    })?;
    let _list = reserve(run, list_bytes(marks.len() as u64))?;
    let members = marks.members(run)?;
    run.progress.worked(members.len() as u64);
    Ok(members)
}

/// Removes from each layer the degree vectors that cannot become any of the next layer's.
fn backward(layers: &mut Layers, steps: &[Step], run: &Run) -> Result<(), FrontierError> {
    let phase = "dropping degree vectors that lead nowhere";
    run.progress.start(phase, steps.len() as u64);
    for (i, step) in steps.iter().enumerate().rev() {
        let (before, after) = layers.split_at_mut(i + 1);
        let live = Live::new(&after[0], step.slots_out, run)?;
        live.keep_completable(&mut before[i], step, run)?;
        drop(live);
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
        in_ranges(list.len(), run, |range| {
            list[range]
                .iter()
                .for_each(|&degrees| marks.insert(degrees));
        })?;
        Ok(Self { marks, _held })
    }

    /// Whether a degree vector is in the set.
    #[inline]
    pub(super) fn contains(&self, degrees: Degrees) -> bool {
        self.marks.contains(degrees)
    }

    /// Keeps of the list before a step the degree vectors that it can make one of this set. The list is cut in its place and keeps its memory.
    pub(super) fn keep_completable(
        &self,
        list: &mut Vec<Degrees>,
        step: &Step,
        run: &Run,
    ) -> Result<(), FrontierError> {
        let _held = reserve(run, list.len() as u64 / 8)?;
        let live = |&degrees: &Degrees| {
            step.any_after(degrees, |after| {
                self.marks.contains(match &step.fold {
                    Some(fold) => fold.canonical(after),
                    None => after,
                })
            })
        };
        let mut kept = vec![0u64; list.len().div_ceil(64)];
        let parts = kept.chunks_mut(PART / 64).zip(list.chunks(PART));
        parallel::for_each(
            run,
            parts,
            || (),
            |(), (words, part)| {
                for (word, degrees) in words.iter_mut().zip(part.chunks(64)) {
                    let bits = (0..).zip(degrees);
                    *word = bits.fold(0, |word, (i, d)| word | u64::from(live(d)) << i);
                }
            },
        )?;
        let mut bits = kept
            .iter()
            .flat_map(|&word| (0..64).map(move |i| word >> i & 1 == 1));
        list.retain(|_| bits.next().unwrap_or(false));
        Ok(())
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
    let codes = Marks::new(slots);
    in_ranges(list.len(), run, |range| {
        for &degrees in &list[range] {
            codes.insert(order.code(degrees));
        }
    })?;
    let mut members = codes.members(run)?;
    for code in &mut members {
        *code = order.degrees(*code);
    }
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
