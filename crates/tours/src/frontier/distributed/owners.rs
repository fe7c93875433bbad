//! Which process owns which block: by the degrees at a few squares of the frontier, the *key squares*.
//!
//! A step leaves most squares as they are. So most blocks before a step have the same owner as the blocks that it makes
//! of them, and few need to be sent. The key squares stay until one of them leaves the frontier.

use super::super::degrees::{Degrees, POW3};
use super::super::steps::{Action, Step};

/// Groups of blocks, by the degrees at the key squares, for each process: enough to make parts about equal.
const GROUPS: usize = 12;

/// What a block takes besides its states to be looked at for one block after the step, in states.
const BLOCK: u64 = 16;

/// A process may have this part of a part more than the others, if that saves sending: 1/16.
const UNEVEN: u64 = 16;

/// Slots of a half of a degree vector.
const HALF: u32 = 10;

/// The squares whose degrees decide who owns a block, along the steps.
#[derive(Clone)]
pub(super) struct KeySquares {
    /// Their slots.
    slots: Vec<u8>,
    /// For every slot, how many edges to it earlier steps could choose.
    offered: Vec<u8>,
    most: usize,
}

impl KeySquares {
    /// Before the first step, none.
    pub(super) fn new(processes: usize) -> Self {
        let most = (1..).find(|&squares| 3usize.pow(squares) >= GROUPS * processes);
        Self {
            slots: Vec::new(),
            offered: Vec::new(),
            most: most.unwrap_or(1) as usize,
        }
    }

    /// The slots of the key squares, and how many edges to each slot earlier steps could choose.
    pub(super) fn numbers(&self) -> (&[u8], &[u8]) {
        (&self.slots, &self.offered)
    }

    /// The inverse of [`numbers`](Self::numbers), for a frontier of some slots and another number of processes.
    pub(super) fn of_numbers(
        slots: Vec<u8>,
        offered: Vec<u8>,
        frontier: usize,
        processes: usize,
    ) -> Option<Self> {
        let fit = slots.iter().all(|&slot| usize::from(slot) < frontier);
        (fit && slots.len() <= frontier).then(|| Self {
            slots,
            offered,
            ..Self::new(processes)
        })
    }

    /// The key squares after a step.
    pub(super) fn after(&self, step: &Step) -> Self {
        let (apex, shift, edges) = match &step.action {
            Action::Eliminate(action) => {
                let edges = action.neighbours.clone();
                (u8::from(action.apex), u8::from(action.seen), edges)
            }
            Action::Edges(action) => {
                let edges = action.edges.iter().flat_map(|&(a, b)| [a, b]);
                (0, 0, edges.collect())
            }
        };
        let follow = |slot: u8| match slot {
            _ if slot < apex || shift == 0 => Some(slot),
            _ => (slot > apex).then(|| slot - shift),
        };
        let mut offered = vec![0; step.slots_out];
        let mut is_old = vec![false; step.slots_out];
        for slot in 0..step.slots_in as u8 {
            if let Some(after) = follow(slot).map(usize::from) {
                is_old[after] = true;
                offered[after] = self.offered.get(usize::from(slot)).copied().unwrap_or(0);
            }
        }
        let kept: Option<Vec<u8>> = self.slots.iter().map(|&slot| follow(slot)).collect();
        let slots = match kept {
            Some(kept) if kept.len() == self.most => kept,
            _ => {
                let known = (apex..step.slots_out as u8).rev();
                let mut known: Vec<u8> = known.filter(|&slot| is_old[usize::from(slot)]).collect();
                // Squares with few edges so far have the same degree in most blocks; the last ones stay longest.
                known.sort_by_key(|&slot| std::cmp::Reverse(offered[usize::from(slot)].min(2)));
                known.truncate(self.most);
                known
            }
        };
        for slot in edges {
            let offered = &mut offered[usize::from(slot)];
            *offered = offered.saturating_add(1);
        }
        Self {
            slots,
            offered,
            most: self.most,
        }
    }

    /// The key of the layer that has these squares.
    pub(super) fn key(&self) -> Key {
        Key::new(&self.slots)
    }
}

/// The number of the group of a degree vector: its degrees at some slots as the digits of a number.
pub(super) struct Key {
    groups: usize,
    /// The parts of the lower and of the upper slots.
    parts: [Vec<u16>; 2],
}

impl Key {
    fn new(slots: &[u8]) -> Self {
        let part = |first: u32| {
            let value = |digits: u32| {
                let places = (0..).zip(slots);
                let own = places.filter(|&(_, &slot)| (first..first + HALF).contains(&slot.into()));
                let of = |(place, &slot): (usize, &u8)| {
                    digits / POW3[(u32::from(slot) - first) as usize] % 3 * POW3[place]
                };
                own.map(of).sum::<u32>() as u16
            };
            (0..POW3[HALF as usize]).map(value).collect()
        };
        Self {
            groups: POW3[slots.len()] as usize,
            parts: [part(0), part(HALF)],
        }
    }

    /// The group of a degree vector.
    #[inline]
    fn group(&self, degrees: Degrees) -> usize {
        let half = POW3[HALF as usize];
        let [low, high] = &self.parts;
        usize::from(low[(degrees % half) as usize] + high[(degrees / half) as usize])
    }

    /// No work for any group.
    pub(super) fn no_work(&self) -> Vec<u64> {
        vec![0; self.groups]
    }

    /// Adds to the work of the groups that of a block with some states for the block of a degree vector.
    #[inline]
    pub(super) fn add_work(&self, work: &mut [u64], after: Degrees, states: u64) {
        work[self.group(after)] += states + BLOCK;
    }
}

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

    /// Owners by a key, given the work of each group with the blocks that each process has before the step: about as much work for
    /// each, and most groups where their work is.
    pub(super) fn new(key: Key, work: &[Vec<u64>]) -> Self {
        let of = |group: usize| work.iter().map(move |work| work[group]);
        let mut groups: Vec<(u64, usize)> = (0..key.groups)
            .map(|group| (of(group).sum(), group))
            .collect();
        groups.sort_unstable_by_key(|&(work, group)| (std::cmp::Reverse(work), group));
        let all: u64 = groups.iter().map(|&(work, _)| work).sum();
        let most = all.div_ceil(work.len() as u64);
        let most = most + most / UNEVEN;
        let mut load = vec![0; work.len()];
        let mut of_group = vec![0; key.groups];
        for (more, group) in groups {
            let most_of_it = (0..work.len()).max_by_key(|&process| work[process][group]);
            let least_loaded = (0..work.len()).min_by_key(|&process| load[process]);
            let owner = most_of_it.filter(|&process| load[process] + more <= most);
            let owner = owner.or(least_loaded).unwrap_or(0);
            load[owner] += more;
            of_group[group] = owner;
        }
        Self { key, of_group }
    }

    /// The owner of each group.
    pub(super) fn of_groups(&self) -> &[usize] {
        &self.of_group
    }

    /// The inverse of [`of_groups`](Self::of_groups).
    pub(super) fn of_groups_of(squares: &KeySquares, of_group: Vec<usize>) -> Option<Self> {
        let key = squares.key();
        (key.groups == of_group.len()).then_some(Self { key, of_group })
    }

    /// The owner of the block of a degree vector.
    #[inline]
    pub(super) fn of(&self, degrees: Degrees) -> usize {
        self.of_group[self.key.group(degrees)]
    }
}
