//! Which process owns which block: by the degrees at a few squares of the frontier, the *key squares*.
//!
//! A step leaves most squares as they are. So most blocks before a step have the same owner as the blocks that it makes
//! of them, and few need to be sent; none, if it leaves all key squares as they are.

use std::cmp::Reverse;

use super::super::degrees::{Degrees, masks};
use super::super::matching::matchings;
use super::super::steps::Step;
use super::key_squares::{Key, KeySquares};

/// The share that is everything.
const ALL: u64 = 1 << 32;

/// A process may have this part of a part more than the others, if that saves sending: 1/16.
const UNEVEN: u64 = 16;

/// Who owns the blocks of a layer.
pub(super) struct Owners {
    key: Key,
    of_group: Vec<usize>,
}

impl Owners {
    /// Process 0 owns all.
    pub(super) fn first() -> Self {
        Self {
            key: Key::new(&[]),
            of_group: vec![0],
        }
    }

    /// Owners by the key of some squares after a step. `work` has, for each process, the loads of every group that come from its blocks before the
    /// step ([`WorkOfGroups::numbers`]). Every process gets about the same of each load, and most groups stay where their states are. Mirror images have the same owner if the step counts them
    /// together and all mirror images of the squares are among them.
    pub(super) fn new(squares: &KeySquares, step: &Step, work: &[Vec<u64>]) -> Self {
        let key = squares.key();
        let work: Vec<&[Loads]> = work.iter().map(|work| work.as_chunks().0).collect();
        let all = work.iter().copied().flatten().fold([0; 3], plus);
        let share = |work: Loads| {
            let share =
                |i: usize| u128::from(work[i]) * u128::from(ALL) / u128::from(all[i].max(1));
            [0, 1, 2].map(|i| share(i) as u64)
        };
        let images = step.fold.as_ref().and_then(|fold| squares.images(fold));
        let image = |group| {
            images
                .as_ref()
                .map_or(group, |images| key.image(group, images))
        };
        let of = |group: usize| {
            let other = image(group);
            let both = move |work: &&[Loads]| match other == group {
                true => work[group],
                false => plus(work[group], &work[other]),
            };
            work.iter().map(both)
        };
        let groups = (0..key.groups()).filter(|&group| group <= image(group));
        let whole = |group| of(group).fold([0; 3], |all, work| plus(all, &work));
        let mut groups: Vec<_> = groups.map(|group| (share(whole(group)), group)).collect();
        groups.sort_unstable_by_key(|&(share, group)| (Reverse(largest(share)), group));
        let most = ALL / work.len() as u64;
        let most = most + most / UNEVEN;
        let mut load = vec![[0; 3]; work.len()];
        let mut of_group = vec![0; key.groups()];
        for (more, group) in groups {
            let with = |process: usize| largest(plus(load[process], &more));
            let states = of(group).map(|[_, states, _]| states).enumerate();
            let owner = match states.max_by_key(|&(_, states)| states) {
                Some((process, _)) if with(process) <= most => process,
                _ => (0..work.len())
                    .min_by_key(|&process| with(process))
                    .unwrap_or(0),
            };
            load[owner] = plus(load[owner], &more);
            of_group[group] = owner;
            of_group[image(group)] = owner;
        }
        Self { key, of_group }
    }

    /// The same owners after the first of some steps, by the key squares after it, if it leaves those and their degrees as they are.
    pub(super) fn through(
        &self,
        squares: &KeySquares,
        steps: &[Step],
    ) -> Option<(Self, KeySquares)> {
        let is_alike = |images: &[usize]| {
            let owners = self.of_group.iter().enumerate();
            let mut pairs = owners.map(|(group, owner)| (self.key.image(group, images), owner));
            pairs.all(|(image, owner)| self.of_group[image] == *owner)
        };
        let squares = squares.through(steps, is_alike)?;
        let owners = Self {
            key: squares.key(),
            of_group: self.of_group.clone(),
        };
        Some((owners, squares))
    }

    /// The owner of each group.
    pub(super) fn of_groups(&self) -> &[usize] {
        &self.of_group
    }

    /// The inverse of [`of_groups`](Self::of_groups).
    pub(super) fn of_groups_of(squares: &KeySquares, of_group: Vec<usize>) -> Option<Self> {
        let key = squares.key();
        (key.groups() == of_group.len()).then_some(Self { key, of_group })
    }

    /// The owner of the block of a degree vector.
    #[inline]
    pub(super) fn of(&self, degrees: Degrees) -> usize {
        self.of_group[self.key.group(degrees)]
    }
}

/// The loads of a process, of which each is to be about the same for all: the blocks that it makes, counted once for each block of which
/// they are made; their states, of which no block has more than half of its matchings; and the states of blocks with many endpoints,
/// which become more in later steps than others.
type Loads = [u64; 3];

fn plus(a: Loads, b: &Loads) -> Loads {
    [0, 1, 2].map(|i| a[i] + b[i])
}

fn largest(loads: Loads) -> u64 {
    loads.into_iter().max().unwrap_or(0)
}

/// The work that a step makes of some blocks, for each group of the blocks after it.
pub(super) struct WorkOfGroups<'a> {
    key: &'a Key,
    slots: usize,
    work: Vec<Loads>,
}

impl<'a> WorkOfGroups<'a> {
    /// None; the frontier has `slots` slots.
    pub(super) fn none(key: &'a Key, slots: usize) -> Self {
        let work = vec![[0; 3]; key.groups()];
        Self { key, slots, work }
    }

    /// Adds that of a block with some states for the block of a degree vector.
    #[inline]
    pub(super) fn add(&mut self, after: Degrees, states: u64) {
        let endpoints = masks(after).ends.count_ones() as usize;
        let made = states.min(matchings(endpoints).div_ceil(2) as u64);
        let many = if endpoints > self.slots / 2 + 1 {
            made
        } else {
            0
        };
        let work = &mut self.work[self.key.group(after)];
        *work = plus(*work, &[1, made, many]);
    }

    /// Adds all of another.
    pub(super) fn add_all(&mut self, other: &Self) {
        let sums = self.work.iter_mut().zip(&other.work);
        sums.for_each(|(sum, more)| *sum = plus(*sum, more));
    }

    /// The loads of every group.
    pub(super) fn numbers(self) -> Vec<u64> {
        self.work.into_flattened()
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;
    use everymove_kernel::run::Run;

    use super::super::super::degrees::POW3;
    use super::super::super::plan::Plan;
    use super::super::super::reach::{Layers, Reach};
    use super::super::super::steps::Action;
    use super::*;
    use crate::board::{Board, Kind};

    /// Takes owners of blocks through the steps of a phase, with work chosen at random. Where owners stay, so do all blocks that are made.
    /// Returns how many steps that only add edges leave all owners, and how many do not.
    fn steps_that_leave_owners(
        steps: &[Step],
        lists: &Layers,
        processes: usize,
        (squares, owners): &mut (KeySquares, Owners),
    ) -> [usize; 2] {
        let mut rng = SplitMix64::new(processes as u64);
        let mut leaving = [0, 0];
        for (i, step) in steps.iter().enumerate() {
            let through = owners.through(squares, &steps[i..]);
            if matches!(step.action, Action::Edges(_)) {
                leaving[usize::from(through.is_none())] += 1;
            }
            if let Some((after, squares_after)) = through {
                for &degrees in &lists[i] {
                    step.any_after(degrees, |made| {
                        let made = step.fold.as_ref().map_or(made, |fold| fold.canonical(made));
                        assert_eq!(owners.of(degrees), after.of(made), "step {i}");
                        false
                    });
                }
                (*squares, *owners) = (squares_after, after);
                continue;
            }
            *squares = squares.after(&steps[i..]);
            let key = squares.key();
            let mut some = || (0..3 * key.groups()).map(|_| rng.below(100)).collect();
            let work: Vec<Vec<u64>> = (0..processes).map(|_| some()).collect();
            *owners = Owners::new(squares, step, &work);
            assert!(owners.of_groups().iter().all(|&owner| owner < processes));
        }
        leaving
    }

    #[test]
    fn blocks_stay_where_their_owners_stay() {
        let run = Run::serial();
        // With more processes there are more key squares, of which a step touches one more often.
        for (rows, cols, kind, most) in [
            (6, 6, Kind::Closed, 0),
            (7, 6, Kind::Closed, 3),
            (6, 5, Kind::Open, 2),
            (7, 5, Kind::Open, 3),
        ] {
            let board = Board::knight(rows, cols).unwrap();
            let plan = Plan::new(&board, kind, None).unwrap();
            let (Plan::Meet(meet), reach) = (&plan, Reach::new(&plan, &run).unwrap()) else {
                panic!("two halves");
            };
            let [common, first, _] = reach.halves();
            for processes in [2, 3, 7] {
                let mut at = (KeySquares::new(processes), Owners::first());
                let phases = [(&meet.common, common), (&meet.first, first)];
                let leaving = phases.map(|(steps, lists)| {
                    steps_that_leave_owners(steps, lists, processes, &mut at)
                });
                let [left, others] = [0, 1].map(|i| leaving[0][i] + leaving[1][i]);
                assert!(
                    left > 0 && others <= most,
                    "{rows}x{cols} {kind} {processes}: {left} {others}"
                );
            }
        }
    }

    #[test]
    fn groups_are_the_degrees_at_the_key_squares() {
        let key = Key::new(&[11, 0, 4]);
        for degrees in (0..POW3[13]).step_by(7) {
            let degree = |slot: usize| degrees / POW3[slot] % 3;
            let group = degree(11) + 3 * degree(0) + 9 * degree(4);
            assert_eq!(key.group(degrees), group as usize);
            let image = degree(4) + 3 * degree(0) + 9 * degree(11);
            assert_eq!(key.image(group as usize, &[2, 1, 0]), image as usize);
        }
    }

    #[test]
    fn loads_are_shared_evenly() {
        let mut rng = SplitMix64::new(3);
        let board = Board::knight(6, 6).unwrap();
        let Plan::Meet(meet) = Plan::new(&board, Kind::Closed, None).unwrap() else {
            panic!("two halves");
        };
        for processes in [2, 3, 5] {
            let squares = (0..8).fold(KeySquares::new(processes), |squares, i| {
                squares.after(&meet.common[i..])
            });
            let groups = squares.key().groups();
            let mut some = || (0..3 * groups).map(|_| rng.below(1000)).collect();
            let work: Vec<Vec<u64>> = (0..processes).map(|_| some()).collect();
            let owners = Owners::new(&squares, &meet.common[7], &work);
            let mut loads = vec![[0; 3]; processes];
            for work in &work {
                for (loads_of_group, &owner) in work.as_chunks().0.iter().zip(owners.of_groups()) {
                    loads[owner] = plus(loads[owner], loads_of_group);
                }
            }
            for i in 0..3 {
                let all: u64 = loads.iter().map(|loads| loads[i]).sum();
                let most = loads.iter().map(|loads| loads[i]).max().unwrap();
                assert!(most * processes as u64 * 10 < all * 12, "{loads:?}");
            }
        }
    }
}
