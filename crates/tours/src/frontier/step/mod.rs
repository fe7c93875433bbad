//! The steps of the elimination, as relations between degree vectors.
//!
//! Frontier slots, in order: the apex if the tour is open (a vertex joined to every square, so that
//! an open tour is a cycle through it), then the squares of the window, the contiguous run of
//! squares in elimination order that earlier squares have edges to. A step either takes the first
//! square out of the window, choosing all its edges to later squares, or chooses from a few edges
//! between squares of the window.

pub(crate) mod plan;
pub(crate) mod pull;
pub(crate) mod strip;
pub(crate) mod weights;

use std::sync::Arc;

use crate::frontier::states::edit::Edit;
use crate::frontier::vectors::degrees::{Degrees, DigitMap, Masks, POW3, masks};

/// One step, from a frontier of `slots_in` slots to one of `slots_out`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) slots_in: usize,
    pub(crate) slots_out: usize,
    pub(crate) action: Action,
    /// After the step, mirror images are counted together.
    pub(crate) fold: Option<Arc<Fold>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Eliminate(Eliminate),
    Edges(Edges),
}

/// The window's first square leaves with all its edges chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Eliminate {
    /// Slot 0 is the apex.
    pub(crate) apex: bool,
    /// The square was in the window before (an earlier square has an edge to it).
    pub(crate) seen: bool,
    /// Slots (after the step) that the square has edges to.
    pub(crate) neighbours: Vec<u8>,
    /// The edge to the apex must be taken: the tour begins here.
    pub(crate) starts: bool,
    /// No square lies beyond the window, so a cycle may close if it visits everything.
    pub(crate) last: bool,
}

/// Some of these edges, at most two, between slots of the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edges {
    pub(crate) edges: Vec<(u8, u8)>,
    /// All of them must be taken.
    pub(crate) forced: bool,
}

/// A mirror symmetry of the frontier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fold {
    /// The image of each slot.
    pub(crate) to: Vec<u8>,
    pub(crate) mirror: DigitMap,
}

impl Fold {
    pub(crate) fn new(to: Vec<u8>) -> Self {
        let mirror = DigitMap::permutation(&to);
        Self { to, mirror }
    }

    /// The smaller of a degree vector and its mirror image.
    pub(crate) fn canonical(&self, degrees: Degrees) -> Degrees {
        degrees.min(self.mirror.apply(degrees))
    }
}

/// The new number of each endpoint when slot `s` becomes slot `to[s]`.
pub(crate) fn renumbering(to: &[u8], ends: u32) -> Vec<u8> {
    let slots = (0..to.len()).filter(|&s| ends >> s & 1 == 1);
    let after: u32 = slots.clone().map(|s| 1u32 << to[s]).sum();
    slots
        .map(|s| (after & ((1 << to[s]) - 1)).count_ones() as u8)
        .collect()
}

/// How a predecessor's matchings become the successor's: one edit, or two in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    One(Edit),
    Two(Edit, Edit),
}

/// The edit that an edge between slots `a` and `b` makes; `None` if both would exceed degree 2 or
/// the only segment would close.
fn edge_edit(before: Masks, after: Masks, a: u8, b: u8) -> Option<Edit> {
    match (before.degree(a), before.degree(b)) {
        (0, 0) => Some(Edit::insert(after.ends_below(a), after.ends_below(b))),
        (1, 0) => Some(Edit::Move {
            from: before.ends_below(a),
            to: after.ends_below(b),
        }),
        (0, 1) => Some(Edit::Move {
            from: before.ends_below(b),
            to: after.ends_below(a),
        }),
        (1, 1) if before.ends.count_ones() > 2 => {
            Some(Edit::contract(before.ends_below(a), before.ends_below(b)))
        }
        _ => None,
    }
}

/// The masks without the edge `a`-`b`, or `None` if one of the two has no edge.
fn without(after: Masks, a: u8, b: u8) -> Option<Masks> {
    (after.degree(a) > 0 && after.degree(b) > 0).then(|| after.less(a).less(b))
}

impl Step {
    /// Calls `found` for every degree vector before the step that can become `out`, with the change
    /// of matchings. Vectors that no partial tour has may be among them.
    pub(crate) fn for_each_before(&self, out: Degrees, found: impl FnMut(Degrees, Change)) {
        match &self.action {
            Action::Eliminate(action) => action.for_each_before(out, self, found),
            Action::Edges(action) => action.for_each_before(out, found),
        }
    }

    /// Calls `found` for every degree vector after the step that `before` can become, until it
    /// returns true; returns whether it did: what [`crate::frontier::images`] and
    /// [`Self::for_each_before`] are compared with.
    #[cfg(test)]
    pub(crate) fn any_after(&self, before: Degrees, found: impl FnMut(Degrees) -> bool) -> bool {
        match &self.action {
            Action::Eliminate(action) => action.any_after(before, self, found),
            Action::Edges(action) => action.any_after(before, found),
        }
    }

    /// Whether a cycle may close with this step, if it visits everything.
    pub(crate) fn may_close(&self) -> bool {
        matches!(&self.action, Action::Eliminate(action) if action.last)
    }

    /// The degree vector in which every slot has degree 2.
    fn complete(&self) -> Degrees {
        POW3[self.slots_out] - 1
    }
}

impl Eliminate {
    fn for_each_before(&self, out: Degrees, step: &Step, mut found: impl FnMut(Degrees, Change)) {
        let after = masks(out);
        let closes = self.last && out == step.complete();
        let may_stop = !self.starts;
        if self.seen
            && may_stop
            && let Some(before) = self.put_back(out, 2, step)
        {
            found(before, Change::One(Edit::Keep));
        }
        for (i, &a) in self.neighbours.iter().enumerate() {
            let a_is_apex = self.apex && a == 0;
            if after.degree(a) == 0 {
                continue;
            }
            let single = after.less(a);
            let one = out - POW3[usize::from(a)];
            if self.seen
                && (may_stop || a_is_apex)
                && let Some(before) = self.put_back(one, 1, step)
            {
                let number = u8::from(self.apex && single.ends & 1 == 1);
                let edit = if single.degree(a) == 0 {
                    Some(Edit::Move {
                        from: number,
                        to: after.ends_below(a),
                    })
                } else if single.ends.count_ones() > 1 {
                    let other = single.ends_below(a) + u8::from(!a_is_apex);
                    Some(Edit::contract(number, other))
                } else {
                    closes.then_some(Edit::Close)
                };
                if let Some(edit) = edit {
                    found(before, Change::One(edit));
                }
            }
            for &b in &self.neighbours[i + 1..] {
                if single.degree(b) == 0 || !(may_stop || a_is_apex || self.apex && b == 0) {
                    continue;
                }
                let double = single.less(b);
                let Some(before) = self.put_back(one - POW3[usize::from(b)], 0, step) else {
                    continue;
                };
                let edit = edge_edit(double, after, a, b).or(closes.then_some(Edit::Close));
                if let Some(edit) = edit {
                    found(before, Change::One(edit));
                }
            }
        }
    }

    /// The degree vector before the step, given the one after it without the square's new edges and
    /// the degree that the square had; `None` if a square that entered the window with this
    /// step has an edge.
    fn put_back(&self, rest: Degrees, degree: u32, step: &Step) -> Option<Degrees> {
        let (apex, window) = if self.apex {
            (rest % 3, rest / 3)
        } else {
            (0, rest)
        };
        // What has an edge beyond the window before may exceed 32 bits here.
        let window = match (self.seen, degree) {
            (true, _) => u64::from(degree) + 3 * u64::from(window),
            (false, 0) => u64::from(window),
            (false, _) => return None,
        };
        let before = if self.apex {
            u64::from(apex) + 3 * window
        } else {
            window
        };
        (before < u64::from(POW3[step.slots_in])).then_some(before as Degrees)
    }

    #[cfg(test)]
    fn any_after(
        &self,
        before: Degrees,
        step: &Step,
        mut found: impl FnMut(Degrees) -> bool,
    ) -> bool {
        let (apex, window) = if self.apex {
            (before % 3, before / 3)
        } else {
            (0, before)
        };
        let (degree, window) = if self.seen {
            (window % 3, window / 3)
        } else {
            (0, window)
        };
        let rest = if self.apex { apex + 3 * window } else { window };
        let left = masks(rest);
        let free = |slot: u8| left.done >> slot & 1 == 0;
        // Edges to the only ends that are left close a cycle.
        let early =
            |ends: u32, out: Degrees| left.ends == ends && !(self.last && out == step.complete());
        let needs_apex = |a: u8, b: u8| !self.starts || a == 0 || b == 0;
        match degree {
            2 => !self.starts && found(rest),
            1 => self.neighbours.iter().any(|&a| {
                let out = rest + POW3[usize::from(a)];
                free(a) && needs_apex(a, a) && !early(1 << a, out) && found(out)
            }),
            _ => self.neighbours.iter().enumerate().any(|(i, &a)| {
                let one = rest + POW3[usize::from(a)];
                free(a)
                    && self.neighbours[i + 1..].iter().any(|&b| {
                        let out = one + POW3[usize::from(b)];
                        free(b) && needs_apex(a, b) && !early(1 << a | 1 << b, out) && found(out)
                    })
            }),
        }
    }
}

impl Edges {
    fn for_each_before(&self, out: Degrees, mut found: impl FnMut(Degrees, Change)) {
        let after = masks(out);
        let weight = |(a, b): (u8, u8)| POW3[usize::from(a)] + POW3[usize::from(b)];
        if !self.forced {
            found(out, Change::One(Edit::Keep));
        }
        for &(a, b) in &self.edges {
            if self.forced && self.edges.len() > 1 {
                break;
            }
            if let Some(before) = without(after, a, b)
                && let Some(edit) = edge_edit(before, after, a, b)
            {
                found(out - weight((a, b)), Change::One(edit));
            }
        }
        if let [first, second] = self.edges[..]
            && let Some(change) = both(after, first, second)
        {
            found(out - weight(first) - weight(second), change);
        }
    }

    #[cfg(test)]
    fn any_after(&self, before: Degrees, mut found: impl FnMut(Degrees) -> bool) -> bool {
        let add = |degrees: Degrees, m: Masks, (a, b): (u8, u8)| {
            let two = 1 << a | 1 << b;
            (m.done & two == 0 && m.ends != two)
                .then(|| degrees + POW3[usize::from(a)] + POW3[usize::from(b)])
        };
        let m = masks(before);
        let some = !self.forced
            && (found(before)
                || self
                    .edges
                    .iter()
                    .any(|&edge| add(before, m, edge).is_some_and(&mut found)));
        if some || (!self.forced && self.edges.len() < 2) {
            return some;
        }
        // Taking both may be early in one order only.
        let in_turn = |degrees, &edge: &(u8, u8)| add(degrees, masks(degrees), edge);
        let forward = self.edges.iter().try_fold(before, in_turn);
        let backward = self.edges.iter().try_rfold(before, in_turn);
        forward.is_some_and(&mut found) || backward.is_some_and(found)
    }
}

/// The two edits of taking both edges, in the order that keeps the matchings between them small.
fn both(after: Masks, first: (u8, u8), second: (u8, u8)) -> Option<Change> {
    let in_order = |(a, b): (u8, u8), (c, d): (u8, u8)| {
        let between = without(after, c, d)?;
        let before = without(between, a, b)?;
        Some((
            edge_edit(before, between, a, b)?,
            edge_edit(between, after, c, d)?,
        ))
    };
    let one = in_order(first, second);
    let other = in_order(second, first);
    match (one, other) {
        (Some((Edit::Insert { .. }, _)), Some((e, f))) | (None, Some((e, f))) => {
            Some(Change::Two(e, f))
        }
        (Some((e, f)), _) => Some(Change::Two(e, f)),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;

    use super::*;
    use crate::board::{Board, Kind};
    use crate::frontier::step::strip::{Images, Strip};

    /// Forwards and backwards are one relation, also on the widest frontiers: 9 columns take 20
    /// slots.
    #[test]
    fn what_comes_before_becomes_what_comes_after() {
        let mut rng = SplitMix64::new(3);
        for (rows, cols) in [(5, 5), (8, 6), (9, 9), (9, 8)] {
            let board = Board::knight(rows, cols).unwrap();
            for kind in [Kind::Open, Kind::Closed] {
                let strip = Strip::new(&board, kind, None);
                let steps = strip
                    .elimination(
                        strip.rows(),
                        Images::Apart,
                        &everymove_kernel::run::Stop::default(),
                    )
                    .unwrap();
                for step in &steps {
                    let most = u64::from(POW3[step.slots_out]);
                    for i in 0..200u64 {
                        // The largest vectors, too: there sums are nearest to overflow.
                        let out = match i % 2 {
                            0 => rng.below(most) as Degrees,
                            _ => (most - 1 - rng.below(most.min(1000))) as Degrees,
                        };
                        step.for_each_before(out, |before, _| {
                            assert!(before < POW3[step.slots_in]);
                            let becomes = step.any_after(before, |after| after == out);
                            assert!(becomes, "{rows}x{cols} {kind:?} {before} {out}");
                        });
                    }
                    for _ in 0..100 {
                        let before = rng.below(u64::from(POW3[step.slots_in])) as Degrees;
                        step.any_after(before, |out| {
                            let mut found = false;
                            step.for_each_before(out, |b, _| found |= b == before);
                            assert!(found, "{rows}x{cols} {kind:?} {before} {out}");
                            false
                        });
                    }
                }
            }
        }
    }
}
