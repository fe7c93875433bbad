//! The squares of the frontier whose degrees decide who owns a block.

use super::super::degrees::{Degrees, POW3};
use super::super::steps::{Action, Fold, Step};

/// Groups of blocks, by the degrees at the key squares, for each process: enough to make parts about equal.
const GROUPS: usize = 12;

/// Slots of a half of a degree vector.
const HALF: u8 = 10;

/// The squares whose degrees decide who owns a block, along the steps.
#[derive(Clone)]
pub(super) struct KeySquares {
    /// Their slots.
    slots: Vec<u8>,
    /// For every slot, how many edges to it earlier steps could choose.
    offered: Vec<u8>,
    most: usize,
    origin: Origin,
}

/// How key squares were chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// While squares leave the frontier.
    Squares,
    /// For steps that only add edges.
    Edges,
    /// In another run, perhaps for another number of processes.
    Saved,
}

impl KeySquares {
    /// Before the first step, none.
    pub(super) fn new(processes: usize) -> Self {
        let most = (1..).find(|&squares| 3usize.pow(squares) >= GROUPS * processes);
        Self {
            slots: Vec::new(),
            offered: Vec::new(),
            most: most.unwrap_or(1) as usize,
            origin: Origin::Squares,
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
            origin: Origin::Saved,
            ..Self::new(processes)
        })
    }

    /// The key squares after the first of some steps.
    ///
    /// They stay until one of them leaves the frontier. Before the last steps, if those only add edges, they are chosen once more,
    /// mirror images together, so that few of these steps touch one.
    pub(super) fn after(&self, steps: &[Step]) -> Self {
        let (step, later) = (&steps[0], &steps[1..]);
        let changes = Changes::of(step);
        let mut offered = vec![0; step.slots_out];
        let mut known = Vec::new();
        for slot in 0..step.slots_in as u8 {
            if let Some(after) = changes.follow(slot) {
                let before = self.offered.get(usize::from(slot)).copied();
                offered[usize::from(after)] = before.unwrap_or(0);
                known.push(after);
            }
        }
        let kept: Option<Vec<u8>> = self
            .slots
            .iter()
            .map(|&slot| changes.follow(slot))
            .collect();
        let mut origin = match self.origin {
            Origin::Edges => Origin::Edges,
            Origin::Squares | Origin::Saved => Origin::Squares,
        };
        let slots = if self.are_chosen_for_edges(steps) {
            origin = Origin::Edges;
            rarely_touched(later, &offered, self.most)
        } else if let Some(kept) = kept.filter(|kept| kept.len() >= self.most) {
            kept
        } else {
            known.retain(|&slot| slot >= changes.apex);
            known.reverse();
            // Squares with few edges so far have the same degree in most blocks; the last ones stay longest.
            known.sort_by_key(|&slot| std::cmp::Reverse(offered[usize::from(slot)].min(2)));
            known.truncate(self.most);
            known
        };
        for slot in changes.touched {
            let offered = &mut offered[usize::from(slot)];
            *offered = offered.saturating_add(1);
        }
        Self {
            slots,
            offered,
            most: self.most,
            origin,
        }
    }

    /// Whether they are chosen once more with the first of some steps, since the others only add edges.
    fn are_chosen_for_edges(&self, steps: &[Step]) -> bool {
        let mut later = steps[1..].iter();
        let adds_edges = |step: &Step| matches!(step.action, Action::Edges(_));
        self.origin != Origin::Edges && later.len() > 0 && later.all(adds_edges)
    }

    /// The key squares after the first of some steps, if it leaves them and their degrees, and thereby the owners of all blocks, as they are.
    /// If it counts mirror images together, `is_alike` says whether they have the same owner, given the place of the mirror image of
    /// each key square.
    pub(super) fn through(
        &self,
        steps: &[Step],
        is_alike: impl Fn(&[usize]) -> bool,
    ) -> Option<Self> {
        let is_short = self.slots.len() < self.most;
        if is_short || self.origin == Origin::Saved || self.are_chosen_for_edges(steps) {
            return None;
        }
        let step = &steps[0];
        let changes = Changes::of(step);
        let slots = self.slots.iter().map(|&slot| changes.follow(slot));
        let slots: Vec<u8> = slots.collect::<Option<_>>()?;
        if slots.iter().any(|slot| changes.touched.contains(slot)) {
            return None;
        }
        let after = self.after(steps);
        let is_same = match &step.fold {
            Some(fold) => after.images(fold).is_some_and(|images| is_alike(&images)),
            None => true,
        };
        is_same.then_some(after)
    }

    /// The place among the key squares of the mirror image of each; `None` if one is no key square.
    pub(super) fn images(&self, fold: &Fold) -> Option<Vec<usize>> {
        let image = |&slot: &u8| {
            let image = fold.to[usize::from(slot)];
            self.slots.iter().position(|&other| other == image)
        };
        self.slots.iter().map(image).collect()
    }

    /// The key of the layer that has these squares.
    pub(super) fn key(&self) -> Key {
        Key::new(&self.slots)
    }
}

/// What a step changes.
struct Changes {
    /// The slots of the apex.
    apex: u8,
    /// The squares that leave the window.
    leaving: u8,
    /// The slots, after the step, of the squares that get edges.
    touched: Vec<u8>,
}

impl Changes {
    fn of(step: &Step) -> Self {
        match &step.action {
            Action::Eliminate(action) => Self {
                apex: u8::from(action.apex),
                leaving: u8::from(action.seen),
                touched: action.neighbours.clone(),
            },
            Action::Edges(action) => Self {
                apex: 0,
                leaving: 0,
                touched: action.edges.iter().flat_map(|&(a, b)| [a, b]).collect(),
            },
        }
    }

    /// The slot after the step of the square or apex of a slot before it; `None` if it leaves.
    fn follow(&self, slot: u8) -> Option<u8> {
        match slot {
            _ if slot < self.apex || self.leaving == 0 => Some(slot),
            _ => (slot > self.apex).then(|| slot - self.leaving),
        }
    }
}

/// At least `most` slots, mirror images together, of which few of some steps that only add edges touch any.
fn rarely_touched(steps: &[Step], offered: &[u8], most: usize) -> Vec<u8> {
    let touched: Vec<Vec<u8>> = steps.iter().map(|step| Changes::of(step).touched).collect();
    let image = |slot: u8| {
        let fold = steps.iter().find_map(|step| step.fold.as_ref());
        fold.map_or(slot, |fold| fold.to[usize::from(slot)])
    };
    let mut slots = Vec::new();
    while slots.len() < most {
        let left = (0..offered.len() as u8)
            .rev()
            .filter(|slot| !slots.contains(slot));
        let best = left.min_by_key(|&slot| {
            let is_key = |other: &u8| [slot, image(slot)].contains(other) || slots.contains(other);
            let steps = touched.iter().filter(|touched| touched.iter().any(is_key));
            (
                steps.count(),
                std::cmp::Reverse(offered[usize::from(slot)].min(2)),
            )
        });
        let Some(best) = best else { break };
        slots.push(best);
        if image(best) != best {
            slots.push(image(best));
        }
    }
    slots
}

/// The number of the group of a degree vector: its degrees at some slots as the digits of a number.
pub(super) struct Key {
    slots: usize,
    /// The parts of the lower and of the upper slots.
    parts: [Vec<u16>; 2],
}

impl Key {
    pub(super) fn new(slots: &[u8]) -> Self {
        // The parts of the vectors of one slot more are those of one slot less, with each degree of the new slot.
        let part = |half: std::ops::Range<u8>| {
            half.fold(vec![0], |parts: Vec<u16>, slot| {
                let place = slots.iter().position(|&other| other == slot);
                let value = place.map_or(0, |place| POW3[place] as u16);
                let with = |degree| parts.iter().map(move |part| part + degree * value);
                (0..3).flat_map(with).collect()
            })
        };
        Self {
            slots: slots.len(),
            parts: [part(0..HALF), part(HALF..2 * HALF)],
        }
    }

    /// How many groups there are.
    pub(super) fn groups(&self) -> usize {
        POW3[self.slots] as usize
    }

    /// The group of a degree vector.
    #[inline]
    pub(super) fn group(&self, degrees: Degrees) -> usize {
        let half = POW3[usize::from(HALF)];
        let [low, high] = &self.parts;
        usize::from(low[(degrees % half) as usize] + high[(degrees / half) as usize])
    }

    /// The group of the mirror images of a group, given the place of the mirror image of each key square.
    pub(super) fn image(&self, group: usize, images: &[usize]) -> usize {
        let digits = images.iter().enumerate();
        let moved = digits.map(|(place, &image)| group as u32 / POW3[place] % 3 * POW3[image]);
        moved.sum::<u32>() as usize
    }
}
