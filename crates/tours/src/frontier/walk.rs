//! Back and forth through stored layers: the numbering of all tours.
//!
//! Number the ways into a state by its predecessors in the fixed order of [`Step::for_each_before`]
//! and [`Edit::for_each_before`]: first those through the first predecessor, as that one numbers them, then those through
//! the second. So a tour's number is a sum of offsets along its states, and the tour of a number is
//! found by walking back from the last layer.
//!
//! [`Step::for_each_before`]: crate::frontier::step::Step::for_each_before
//! [`Edit::for_each_before`]: crate::frontier::states::edit::Edit::for_each_before

use crate::frontier::states::block::Layer;
use crate::frontier::states::edit::Edit;
use crate::frontier::states::matching::{Mates, rank, unrank};
use crate::frontier::step::{Action, Change, Eliminate, Step};
use crate::frontier::vectors::degrees::{Degrees, POW3, masks};

/// All layers of an elimination without folding.
pub(crate) struct Walk {
    pub(crate) steps: Vec<Step>,
    /// The layers before the first step and after each.
    pub(crate) layers: Vec<Layer>,
}

/// A state: a degree vector and the rank of the matching of its endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    degrees: Degrees,
    rank: u32,
}

/// The later end of an edge: a square by its number, or the apex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Apex,
    Square(usize),
}

/// An edge from the square that was eliminated at step `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: End,
}

impl Walk {
    /// The number of tours.
    pub(crate) fn total(&self) -> u128 {
        self.layers.last().map_or(0, |layer| layer.sum)
    }

    /// The edges of the tour numbered `index`, which is below the total.
    pub(crate) fn edges(&self, mut index: u128) -> Vec<Edge> {
        let mut edges = Vec::new();
        let mut state = self.last();
        for (i, step) in self.steps.iter().enumerate().rev() {
            let mut before = None;
            self.for_each_before(i, state, |candidate, count| {
                if before.is_none() {
                    if index < count {
                        before = Some(candidate);
                    } else {
                        index -= count;
                    }
                }
            });
            let before = before.expect("the ways into a state are those into its predecessors");
            edges.extend(taken((i, false), step, before.degrees, state.degrees));
            state = before;
        }
        edges
    }

    /// The number of the tour with these edges; `None` if they are no tour of the board.
    pub(crate) fn index(&self, edges: &[Edge]) -> Option<u128> {
        let mut state = State {
            degrees: 0,
            rank: 0,
        };
        let mut index = 0u128;
        for (i, step) in self.steps.iter().enumerate() {
            let Action::Eliminate(action) = &step.action else {
                return None;
            };
            let chosen = edges.iter().filter(|edge| edge.from == i);
            let slots = chosen.map(|edge| slot_of(i, action, edge.to));
            let degrees = after(state.degrees, action, slots)?;
            let mut next = None;
            step.for_each_before(degrees, |before, change| {
                if let Change::One(edit) = change
                    && before == state.degrees
                {
                    next = apply(edit, before, state.rank);
                }
            });
            let next = State {
                degrees,
                rank: next?,
            };
            let mut offset = Some(0u128);
            let mut found = false;
            self.for_each_before(i, next, |candidate, count| {
                found |= candidate == state && count > 0;
                if !found {
                    offset = offset.and_then(|sum| sum.checked_add(count));
                }
            });
            if !found {
                return None;
            }
            index += offset?;
            state = next;
        }
        (state == self.last()).then_some(index)
    }

    /// The state of a complete tour.
    fn last(&self) -> State {
        let slots = self.steps.last().map_or(0, |step| step.slots_out);
        State {
            degrees: POW3[slots] - 1,
            rank: 0,
        }
    }

    /// Calls `each` with every state before step `i` that can become `state`, and its count, in a
    /// fixed order.
    fn for_each_before(&self, i: usize, state: State, mut each: impl FnMut(State, u128)) {
        let layer = &self.layers[i];
        let ends = |degrees| masks(degrees).ends.count_ones() as usize;
        let mates: Mates = unrank(state.rank as usize, ends(state.degrees));
        self.steps[i].for_each_before(state.degrees, |degrees, change| {
            let Ok(position) = layer.degrees.binary_search(&degrees) else {
                return;
            };
            let Change::One(edit) = change else { return };
            let block = layer.block(position);
            let endpoints = ends(degrees);
            edit.for_each_before(endpoints, &mates, |before| {
                let rank = rank(&before, endpoints) as u32;
                let count = block.get(rank);
                if count > 0 {
                    each(State { degrees, rank }, count);
                }
            });
        });
    }
}

/// The rank after an edit; `None` if a cycle would close.
fn apply(edit: Edit, before: Degrees, r: u32) -> Option<u32> {
    let endpoints = masks(before).ends.count_ones() as usize;
    let mates = edit.apply(endpoints, &unrank(r as usize, endpoints))?;
    Some(if edit == Edit::Close {
        0
    } else {
        rank(&mates, edit.endpoints_after(endpoints)) as u32
    })
}

/// A degree vector without the digit of the square that leaves.
fn without_first(before: Degrees, action: &Eliminate) -> Degrees {
    match (action.apex, action.seen) {
        (true, true) => before % 3 + before / 9 * 3,
        (false, true) => before / 3,
        (_, false) => before,
    }
}

/// The degree vector after the square has left with edges to `slots`; `None` if a degree would not
/// be 2.
fn after(
    before: Degrees,
    action: &Eliminate,
    slots: impl Iterator<Item = Option<u8>>,
) -> Option<Degrees> {
    let mut rest = without_first(before, action);
    for slot in slots {
        let slot = slot?;
        let digit = POW3[usize::from(slot)];
        if rest / digit % 3 == 2 || !action.neighbours.contains(&slot) {
            return None;
        }
        rest += digit;
    }
    Some(rest)
}

/// The edges that a step took between two degree vectors, when `eliminated` squares were eliminated
/// before it. Where the step chooses from edges, slot 0 is the apex if there is one.
pub(crate) fn taken(
    (eliminated, apex): (usize, bool),
    step: &Step,
    before: Degrees,
    after: Degrees,
) -> Vec<Edge> {
    match &step.action {
        Action::Eliminate(action) => {
            let rest = without_first(before, action);
            let grew = |&&slot: &&u8| {
                let digit = POW3[usize::from(slot)];
                after / digit % 3 != rest / digit % 3
            };
            let edge = |&slot: &u8| Edge {
                from: eliminated,
                to: end(slot, action.apex, eliminated + 1),
            };
            action.neighbours.iter().filter(grew).map(edge).collect()
        }
        Action::Edges(action) => {
            let weight = |&(a, b): &(u8, u8)| POW3[usize::from(a)] + POW3[usize::from(b)];
            let edges = &action.edges;
            let subset = |bits: u32| {
                let numbered = (0..).zip(edges);
                numbered.filter_map(move |(i, edge)| (bits >> i & 1 == 1).then_some(edge))
            };
            let took = |&bits: &u32| subset(bits).map(weight).sum::<Degrees>() == after - before;
            let bits = (0..1 << edges.len()).find(took).unwrap_or(0);
            let ends = |&(a, b): &(u8, u8)| [a, b].map(|slot| end(slot, apex, eliminated));
            let edges = subset(bits).map(ends);
            let edge = |ends: [End; 2]| match ends {
                [End::Square(from), to] | [to, End::Square(from)] => Some(Edge { from, to }),
                [End::Apex, End::Apex] => None,
            };
            edges.filter_map(edge).collect()
        }
    }
}

/// What a slot is of a window that begins with square `first`.
fn end(slot: u8, apex: bool, first: usize) -> End {
    match (apex, usize::from(slot)) {
        (true, 0) => End::Apex,
        (_, slot) => End::Square(first + slot - usize::from(apex)),
    }
}

/// The slot after step `i` of an edge's later end.
fn slot_of(i: usize, action: &Eliminate, to: End) -> Option<u8> {
    let slot = match to {
        End::Apex => return action.apex.then_some(0),
        End::Square(number) => number.checked_sub(i + 1)? + usize::from(action.apex),
    };
    u8::try_from(slot).ok()
}
