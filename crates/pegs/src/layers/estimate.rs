//! The sizes of a split's tables and layers, computed before any of them is made.
//!
//! The words of a layer are a sum over the canonical heads, that is over the orbits of heads, of a number that depends
//! only on the pegs and the class of the head. By the lemma of Burnside (Cauchy, Frobenius) it is the mean over the
//! symmetries of the sum over the heads that the symmetry keeps; those are the unions of its cycles, and their numbers
//! by pegs and class follow cycle by cycle.

use std::collections::HashMap;

use everymove_kernel::run::{OverBudget, Run};

use super::split::{choose_tail, table_bytes};
use crate::board::Board;
use crate::invariant::Class;
use crate::position::{Hole, Position};
use crate::symmetry::Symmetry;

/// Bytes of the tables and of every layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Bytes of the tables of the split.
    pub(crate) tables: u64,
    /// Bytes of the layout of a layer.
    pub(crate) layout: u64,
    /// Bytes of each layer with its layout, by pegs.
    pub(crate) layers: Vec<u64>,
}

/// With more invariants than this, the classes of heads and tails are too many to be counted one by one.
const MOST_INVARIANTS: usize = 12;

/// A number of sets of holes for each number of pegs and class.
type Counts = HashMap<(usize, u64), u128>;

impl Sizes {
    /// The sizes for positions of a class up to `group`, which must keep the class; `None` for boards with too many
    /// invariants that they are not computed, which are small or have few jumps.
    pub(crate) fn new(board: &Board, group: &[Symmetry], class: Class) -> Option<Self> {
        if board.invariants().basis().len() > MOST_INVARIANTS {
            return None;
        }
        let tail = choose_tail(board, group);
        let head: Vec<Hole> = board.complement(tail).holes().collect();
        let orbits =
            |set: &[Hole], symmetry: Option<&Symmetry>| counts(board, &cycles(set, symmetry));
        let tails = orbits(&tail.holes().collect::<Vec<_>>(), None);
        let order = group.len() as u128;
        let mut words = vec![0u128; board.holes() + 1];
        let mut heads = 0u128;
        for symmetry in group {
            for ((pegs, of_head), count) in orbits(&head, Some(symmetry)) {
                heads += count;
                for (&(tail_pegs, of_tail), &tails) in &tails {
                    if of_head ^ of_tail == class.0 {
                        words[pegs + tail_pegs] += count * tails.div_ceil(64);
                    }
                }
            }
        }
        let clamped = |n: u128| u64::try_from(n).unwrap_or(u64::MAX);
        let layouts = 4 * (heads / order + 1);
        let layer = |words: u128| clamped(layouts + 8 * (words / order));
        Some(Self {
            tables: table_bytes(tail.pegs(), head.len(), group.len()),
            layout: clamped(layouts),
            layers: words.into_iter().map(layer).collect(),
        })
    }

    /// Bytes of the tables and of all layers with these numbers of pegs.
    pub(crate) fn all(&self, pegs: std::ops::RangeInclusive<usize>) -> u64 {
        let layers = self.layers[pegs].iter();
        layers.fold(self.tables, |sum, &bytes| sum.saturating_add(bytes))
    }

    /// Refuses work that needs `need` bytes, before it starts.
    ///
    /// # Errors
    /// [`OverBudget`] naming `what` if the budget has not that much left, or if a layer has more words than can be
    /// numbered.
    pub(crate) fn require(&self, what: &str, need: u64, run: &Run) -> Result<(), OverBudget> {
        let numbered = 8 * u64::from(u32::MAX);
        if self.layers.iter().any(|&bytes| bytes > numbered) {
            let (what, limit) = (what.to_owned(), run.ram.limit());
            return Err(OverBudget { what, need, limit });
        }
        run.ram.require(what, need)
    }

    /// Bytes of the largest layer with one of these numbers of pegs.
    pub(crate) fn largest(&self, pegs: std::ops::RangeInclusive<usize>) -> u64 {
        self.layers[pegs].iter().copied().max().unwrap_or(0)
    }
}

/// The cycles of a symmetry on a set of holes that it keeps; without one, the holes themselves.
fn cycles(holes: &[Hole], symmetry: Option<&Symmetry>) -> Vec<Position> {
    let mut cycles: Vec<Position> = Vec::new();
    for &hole in holes {
        if cycles.iter().any(|cycle| cycle.has(hole)) {
            continue;
        }
        let mut cycle = Position::single(hole);
        let mut at = hole;
        while let Some(next) = symmetry
            .map(|symmetry| symmetry.hole(at))
            .filter(|next| !cycle.has(*next))
        {
            cycle = cycle.with(next);
            at = next;
        }
        cycles.push(cycle);
    }
    cycles
}

/// The unions of some disjoint sets of holes, counted by pegs and class.
fn counts(board: &Board, sets: &[Position]) -> Counts {
    let mut counts = Counts::from([((0, 0), 1)]);
    for &set in sets {
        let class = board.class(set).0;
        for ((pegs, other), count) in counts.clone() {
            *counts
                .entry((pegs + set.pegs(), other ^ class))
                .or_default() += count;
        }
    }
    counts
}
