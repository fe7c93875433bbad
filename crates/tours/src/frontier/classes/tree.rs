//! The classes of the first half's layers: which slots decide them, and the degree vectors in the
//! order of the classes.
//!
//! A slot is *settled* after a step if no later step adds an edge to it. From there on its degree
//! is the same in every successor, so layers fall into independent parts by the degrees of their
//! settled slots, and more slots are settled with every step. The *key* of a layer is a list of
//! settled slots; the keys of later layers begin with it, so that classes are nested as a tree.

use std::ops::Range;
use std::sync::Arc;

use everymove_kernel::run::{Reservation, Run};

use crate::frontier::FrontierError;
use crate::frontier::choose::sizes::{Counts, Filling, Size};
use crate::frontier::states::matching::matchings;
use crate::frontier::step::weights::transfer;
use crate::frontier::step::{Action, Step};
use crate::frontier::vectors::degrees::{Degrees, Order, POW3, masks};
use crate::frontier::vectors::index::Class;
use crate::frontier::vectors::index::Vectors;
use crate::frontier::vectors::live::{LISTS, List, Members, ordered};

/// Makes the order of the vectors of the layer after some steps, of a number of slots and with
/// these in its key; `None` if they ascend.
pub(crate) type Arrange<'a> = dyn Fn(usize, usize, &[u8]) -> Option<Order> + 'a;

/// The layers of a half in the order of their classes.
pub(crate) struct Tree {
    /// Layer 0 is before the first step.
    levels: Vec<Level>,
}

struct Level {
    /// The order of the list, if it does not ascend; then all of it is one class.
    order: Option<Arc<Order>>,
    /// How many slots the key has.
    key: usize,
    list: Vec<Degrees>,
    _held: Reservation,
}

/// A class of a layer: the degrees of the layer's key as a number in base 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) level: usize,
    pub(crate) number: u32,
}

impl Tree {
    /// Orders the live degree vectors before the first step and after each, by keys of at most
    /// `slots` slots.
    pub(crate) fn new<L: List>(
        steps: &[Step],
        layers: Vec<L>,
        slots: usize,
        arrange: &Arrange<'_>,
        run: &Run,
    ) -> Result<Self, FrontierError> {
        let keys = keys(steps, slots);
        let mut levels = Vec::new();
        for (i, (list, key)) in layers.into_iter().zip(keys).enumerate() {
            let width = match i {
                0 => steps.first().map_or(0, |step| step.slots_in),
                _ => steps[i - 1].slots_out,
            };
            let Members { mut list, held } = list.into_members(run)?;
            let order = arrange(i, width, &key);
            if let Some(order) = &order {
                list = ordered(&list, order, width, run)?;
            }
            levels.push(Level {
                order: order.map(Arc::new),
                key: key.len(),
                list,
                _held: held,
            });
        }
        Ok(Self { levels })
    }

    /// The only class of the layer before the first step.
    pub(crate) fn root(&self) -> Part {
        Part {
            level: 0,
            number: 0,
        }
    }

    /// The number of the last layer.
    pub(crate) fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// How many slots the key of a layer has.
    pub(crate) fn key_slots(&self, level: usize) -> usize {
        self.levels[level].key
    }

    /// The first layer whose key has at least `slots` slots; the last one if there is none.
    pub(crate) fn level_with(&self, slots: usize) -> usize {
        let found = self.levels.iter().position(|level| level.key >= slots);
        found.unwrap_or(self.depth())
    }

    /// The classes of the next layer that a class becomes, those with the most degree vectors
    /// first.
    pub(crate) fn children(&self, part: Part) -> Vec<Part> {
        let level = part.level + 1;
        let more = POW3[self.levels[level].key - self.levels[part.level].key];
        let mut children: Vec<Part> = (part.number * more..(part.number + 1) * more)
            .map(|number| Part { level, number })
            .filter(|&child| !self.range(child).is_empty())
            .collect();
        children.sort_by_key(|&child| std::cmp::Reverse(self.range(child).len()));
        children
    }

    /// All classes of a layer, ascending.
    pub(crate) fn parts(&self, level: usize) -> Vec<Part> {
        let numbers = 0..POW3[self.levels[level].key];
        numbers
            .map(|number| Part { level, number })
            .filter(|&part| !self.range(part).is_empty())
            .collect()
    }

    /// Whether `part` is `above` or comes from it.
    pub(crate) fn is_below(&self, part: Part, above: Part) -> bool {
        let fewer = self.levels[part.level].key - self.levels[above.level].key;
        part.number / POW3[fewer] == above.number
    }

    /// The class of an earlier layer from which a class comes.
    pub(crate) fn above(&self, part: Part, level: usize) -> Part {
        let fewer = self.levels[part.level].key - self.levels[level].key;
        Part {
            level,
            number: part.number / POW3[fewer],
        }
    }

    /// The classes by shorter keys from which a class comes, the shortest key first.
    pub(crate) fn path(&self, part: Part) -> impl Iterator<Item = Part> {
        let levels = (0..part.level).filter(|&level| {
            let key = self.levels[level].key;
            key > 0 && key < self.levels[level + 1].key
        });
        levels.map(move |level| self.above(part, level))
    }

    /// The matchings of all degree vectors of a class and of the classes of later layers that come
    /// from it: at least as many as states, and about in proportion to the time that the class
    /// takes.
    pub(crate) fn matchings_below(&self, part: Part) -> u64 {
        let levels = part.level..self.levels.len();
        let sums = levels.map(|level| {
            let more = POW3[self.levels[level].key - self.levels[part.level].key];
            let range = self.between(level, part.number * more, (part.number + 1) * more);
            let vectors = self.levels[level].list[range].iter();
            let sizes = vectors.map(|&d| matchings(masks(d).ends.count_ones() as usize) as u64);
            sizes.fold(0, u64::saturating_add)
        });
        sums.fold(0, u64::saturating_add)
    }

    /// The degree vectors of a class.
    pub(crate) fn vectors(&self, part: Part, run: &Run) -> Result<Vectors, FrontierError> {
        let level = &self.levels[part.level];
        let list = &level.list[self.range(part)];
        let held = run.ram.reserve(LISTS, size_of_val(list) as u64)?;
        let class = level.order.as_ref().map(|order| Class {
            order: order.clone(),
            number: part.number,
        });
        Ok(Vectors {
            list: list.to_vec(),
            class,
            held: Some(held),
        })
    }

    fn range(&self, part: Part) -> Range<usize> {
        self.between(part.level, part.number, part.number + 1)
    }

    /// The positions of the classes of a layer from number `first` to before `end`.
    fn between(&self, level: usize, first: u32, end: u32) -> Range<usize> {
        let level = &self.levels[level];
        let class = |degrees| level.order.as_ref().map_or(0, |order| order.class(degrees));
        let before = |number| level.list.partition_point(|&d| class(d) < number);
        before(first)..before(end)
    }
}

/// The estimated sizes of the classes of a half.
pub(crate) struct ClassSizes {
    /// For each layer, how many slots its key has, and the sizes by the number of the class.
    levels: Vec<(usize, Vec<Size>)>,
}

impl ClassSizes {
    /// Estimates the classes by keys of at most `slots` slots, given the size and weights of the
    /// layer before the first step.
    pub(crate) fn new<L: List>(
        steps: &[Step],
        layers: &[L],
        slots: usize,
        (root, start): (Size, Vec<f64>),
        run: &Run,
    ) -> Result<Self, FrontierError> {
        let keys = keys(steps, slots);
        let mut levels = vec![(0, vec![root])];
        transfer(start, steps, layers, run, |i, list, weights| {
            let key = &keys[i + 1];
            let order = Order::new(steps[i].slots_out, key);
            let mut sizes = vec![Size::default(); POW3[key.len()] as usize];
            let filling = Filling::of(steps[i].slots_out, list, weights, Counts::Exact);
            for (&degrees, &weight) in list.iter().zip(weights) {
                let class = match key.is_empty() {
                    true => 0,
                    false => order.class(degrees) as usize,
                };
                sizes[class].add(filling.size(degrees, weight));
            }
            levels.push((key.len(), sizes));
            Ok(())
        })?;
        Ok(Self { levels })
    }

    /// Bytes of the sizes of all classes by keys of at most `slots` slots.
    pub(crate) fn bytes(steps: &[Step], slots: usize) -> u64 {
        let classes = keys(steps, slots)
            .into_iter()
            .map(|key| u64::from(POW3[key.len()]));
        classes.sum::<u64>() * size_of::<Size>() as u64
    }

    /// About the most bytes that are in memory at once if keys have at most `slots` slots.
    pub(crate) fn bytes_at_once(&self, slots: usize) -> f64 {
        self.below(slots, 0, 0)
    }

    /// The number of classes at the first layer whose key has at least `slots` slots.
    pub(crate) fn classes(&self, slots: usize) -> u64 {
        let found = self.levels.iter().find(|(key, _)| *key >= slots);
        let Some((key, sizes)) = found.or(self.levels.last()) else {
            return 0;
        };
        let class = |number| Size::sum(&sizes[members(number, key - slots.min(*key))]);
        let numbers = 0..POW3[slots.min(*key)];
        numbers.filter(|&n| class(n).bytes > 0.0).count() as u64
    }

    /// About the states of all layers after the first.
    pub(crate) fn states(&self) -> f64 {
        let layers = self.levels.iter().skip(1);
        layers.map(|(_, sizes)| Size::sum(sizes).states).sum()
    }

    /// About the states of the layers from `level` on that belong to a class of that layer by keys
    /// of at most `slots` slots.
    pub(crate) fn states_of(&self, slots: usize, level: usize, number: u32) -> f64 {
        let key = self.levels[level].0.min(slots);
        let layers = level..self.levels.len();
        let states = layers.map(|later| {
            let (full, sizes) = &self.levels[later];
            Size::sum(&sizes[members(number, full - key)]).states
        });
        states.sum()
    }

    /// About the most bytes at once below a class, its own included.
    fn below(&self, slots: usize, level: usize, number: u32) -> f64 {
        let size = |level: usize, number: u32| {
            let (full, sizes) = &self.levels[level];
            Size::sum(&sizes[members(number, full - full.min(&slots))]).bytes
        };
        let own = size(level, number);
        let Some(&(next, _)) = self.levels.get(level + 1) else {
            return own;
        };
        let more = next.min(slots) - self.levels[level].0.min(slots);
        let children: Vec<u32> = members(number, more).map(|child| child as u32).collect();
        let used = children
            .iter()
            .filter(|&&child| size(level + 1, child) > 0.0);
        let kept = if used.clone().count() > 1 { own } else { 0.0 };
        let most = used.map(|&child| {
            let below = kept + self.below(slots, level + 1, child);
            below.max(own + size(level + 1, child))
        });
        most.fold(own, f64::max)
    }
}

/// The numbers that a class has by keys of `more` slots more.
fn members(number: u32, more: usize) -> Range<usize> {
    let parts = POW3[more] as usize;
    number as usize * parts..(number as usize + 1) * parts
}

/// The key of every layer, as its slots: of all settled slots, at most `most`, the first that are
/// settled first.
fn keys(steps: &[Step], most: usize) -> Vec<Vec<u8>> {
    let last = steps.last().map_or(0, |step| step.slots_out);
    // The slot of every final slot, layer by layer from the last, and the number of the last step
    // that adds to it.
    let mut slots: Vec<Option<u8>> = (0..last as u8).map(Some).collect();
    let mut places = vec![slots.clone()];
    let mut settled = vec![0; last];
    for (i, step) in steps.iter().enumerate().rev() {
        for (place, &slot) in settled.iter_mut().zip(&slots) {
            let touched = slot.is_some_and(|slot| touches(step, slot));
            if *place == 0 && (touched || step.fold.is_some()) {
                *place = i + 1;
            }
        }
        for slot in &mut slots {
            *slot = slot.and_then(|slot| before(step, slot));
        }
        places.push(slots.clone());
    }
    places.reverse();
    // Slots that no step touches are settled from the first step on after which they are there.
    let from = |f: usize| {
        let exists = places.iter().position(|layer| layer[f].is_some());
        settled[f].max(exists.unwrap_or(steps.len())).max(1)
    };
    let mut order: Vec<usize> = (0..last).collect();
    order.sort_by_key(|&f| (from(f), f));
    order.truncate(most);
    let key = |i: usize| {
        let slots = order.iter().filter(|&&f| from(f) <= i);
        slots.filter_map(|&f| places[i][f]).collect()
    };
    (0..=steps.len()).map(key).collect()
}

/// Whether a step may add an edge to a slot, numbered after the step.
fn touches(step: &Step, slot: u8) -> bool {
    match &step.action {
        Action::Eliminate(action) => action.neighbours.contains(&slot),
        Action::Edges(action) => action.edges.iter().any(|&(a, b)| a == slot || b == slot),
    }
}

/// The number before a step of the slot with this number after it; `None` if it is new.
fn before(step: &Step, slot: u8) -> Option<u8> {
    let slot = match &step.action {
        Action::Eliminate(action) if action.seen && !(action.apex && slot == 0) => slot + 1,
        _ => slot,
    };
    (usize::from(slot) < step.slots_in).then_some(slot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Kind};
    use crate::frontier::step::plan::Plan;
    use crate::frontier::step::strip::Strip;

    #[test]
    fn corner_slots_are_settled_first() {
        for cols in 8..=9u8 {
            let board = Board::knight(9, u32::from(cols)).unwrap();
            let strip = Strip::new(&board, Kind::Open, None);
            let plan = Plan::by_classes(&strip, &board, &everymove_kernel::run::Stop::default())
                .unwrap()
                .unwrap();
            let keys = keys(&plan.steps.first, 5);
            let sizes: Vec<usize> = keys.iter().map(Vec::len).collect();
            assert_eq!(&sizes[..6], [0, 0, 1, 3, 5, 5]);
            // After the row: the apex, the next row, the row after that.
            let (near, far) = (1, 1 + cols);
            assert_eq!(
                keys[usize::from(cols)],
                [far, near, far + 1, near + 1, far + 2]
            );
        }
    }
}
