//! The live degree vectors of a count, of which one list at a time is unpacked.

use everymove_kernel::freed_memory;
use everymove_kernel::run::Run;

use super::super::FrontierError;
use super::super::degrees::{POW3, masks};
use super::super::estimate::{Counts, Sizes};
use super::super::plan::Plan;
use super::super::reach::{Completable, Reached, meeting};
use super::super::steps::Step;
use super::packed::Packed;

/// The live degree vectors before the first step and after each step; those of the halves begin with the last common ones
/// that lead to them.
pub(in super::super) struct PackedLists {
    pub(in super::super) common: Vec<Packed>,
    pub(in super::super) first: Vec<Packed>,
    pub(in super::super) second: Vec<Packed>,
}

impl PackedLists {
    /// Finds the live degree vectors of every layer.
    pub(in super::super) fn new(plan: &Plan, run: &Run) -> Result<Self, FrontierError> {
        let start = Packed::new(&[0], run)?;
        let meet = match plan {
            Plan::OneWay(steps) => {
                let mut common = forward(start, steps, run)?;
                let complete = steps.last().map_or(0, |step| POW3[step.slots_out] - 1);
                let last = last_mut(&mut common);
                let complete: Vec<_> = last.iter().filter(|&d| d == complete).collect();
                *last = Packed::new(&complete, run)?;
                backward(&mut common, steps, run)?;
                return Ok(Self {
                    common,
                    first: vec![],
                    second: vec![],
                });
            }
            Plan::Meet(meet) => meet,
        };
        let mut common = forward(start, &meet.common, run)?;
        let branch = last(&common).unpack_within(run)?;
        let mut first = forward(Packed::new(&branch.members, run)?, &meet.first, run)?;
        let mut second = forward(Packed::new(&branch.members, run)?, &meet.second, run)?;
        drop(branch);
        let mut ours = last(&first).unpack_within(run)?;
        let mut theirs = last(&second).unpack_within(run)?;
        meeting(meet, &mut ours.members, &mut theirs.members, run)?;
        *last_mut(&mut first) = Packed::new(&ours.members, run)?;
        drop(ours);
        *last_mut(&mut second) = Packed::new(&theirs.members, run)?;
        drop(theirs);
        backward(&mut first, &meet.first, run)?;
        backward(&mut second, &meet.second, run)?;
        *last_mut(&mut common) = Packed::union(&first[0], &second[0], run)?;
        backward(&mut common, &meet.common, run)?;
        Ok(Self {
            common,
            first,
            second,
        })
    }

    /// The number of live degree vectors in all layers.
    pub(in super::super) fn len(&self) -> u64 {
        let halves = [&self.first, &self.second];
        let halves = halves.into_iter().flat_map(|half| half.iter().skip(1));
        let lists = self.common.iter().chain(halves);
        lists.map(|list| list.len() as u64).sum()
    }

    /// The most members of a list.
    pub(in super::super) fn longest(&self) -> u64 {
        let lengths = self.all().map(|list| list.len() as u64);
        lengths.max().unwrap_or(0)
    }

    /// The most endpoints of a member.
    pub(in super::super) fn most_endpoints(&self) -> usize {
        let of = |list: &Packed| list.iter().map(|d| masks(d).ends.count_ones()).max();
        self.all().filter_map(of).max().unwrap_or(0) as usize
    }

    /// Every list, also the first ones of the halves.
    pub(super) fn all(&self) -> impl Iterator<Item = &Packed> {
        let lists = [&self.common, &self.first, &self.second];
        lists.into_iter().flatten()
    }

    /// The estimated sizes of the layers.
    pub(super) fn sizes(
        &self,
        plan: &Plan,
        counts: Counts,
        run: &Run,
    ) -> Result<Sizes, FrontierError> {
        let lists = match plan {
            Plan::OneWay(_) => [&self.common; 3],
            Plan::Meet(_) => [&self.common, &self.first, &self.second],
        };
        Sizes::of_lists(plan, lists, counts, run)
    }
}

fn last(lists: &[Packed]) -> &Packed {
    lists.last().expect("a list before the first step")
}

fn last_mut(lists: &mut [Packed]) -> &mut Packed {
    lists.last_mut().expect("a list before the first step")
}

/// The degree vectors that each step can reach.
fn forward(start: Packed, steps: &[Step], run: &Run) -> Result<Vec<Packed>, FrontierError> {
    let phase = "finding the reachable degree vectors";
    run.progress.start(phase, steps.len() as u64);
    let mut list = start.unpack_within(run)?;
    let mut lists = vec![start];
    let mut reached = Reached::new(steps, run)?;
    for step in steps {
        list.replace(reached.after(&list.members, step, run)?)?;
        lists.push(Packed::new(&list.members, run)?);
        freed_memory::release();
        run.progress.advance(1);
    }
    Ok(lists)
}

/// Removes from each list the degree vectors that cannot become any of the next one's.
fn backward(lists: &mut [Packed], steps: &[Step], run: &Run) -> Result<(), FrontierError> {
    let phase = "dropping degree vectors that lead nowhere";
    run.progress.start(phase, steps.len() as u64);
    let mut next = last(lists).unpack_within(run)?;
    let mut completable = Completable::new(steps, run)?;
    for (i, step) in steps.iter().enumerate().rev() {
        completable.replace(&next.members, step, run)?;
        // One list at a time is unpacked.
        drop(next);
        next = lists[i].unpack_within(run)?;
        completable.keep(&mut next.members, step, run)?;
        lists[i] = Packed::new(&next.members, run)?;
        freed_memory::release();
        run.progress.advance(1);
    }
    Ok(())
}
