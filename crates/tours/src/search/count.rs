//! Counting tours by the class of their start.

use everymove_kernel::backtrack::Tally;

use super::cases::{Case, Cases};
use super::explore::Score;
use super::sink::Link;
use super::word::Word;

/// Nodes, and directed tours by the class of their start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) nodes: u64,
    by_class: Vec<u64>,
}

impl Totals {
    /// Directed tours that start in a class.
    pub(crate) fn of_class(&self, class: usize) -> u64 {
        self.by_class.get(class).copied().unwrap_or(0)
    }

    /// All directed tours.
    pub(crate) fn all(&self) -> u64 {
        self.by_class.iter().sum()
    }

    fn add(&mut self, class: usize, tours: u64) {
        if self.by_class.len() <= class {
            self.by_class.resize(class + 1, 0);
        }
        self.by_class[class] += tours;
    }
}

impl Tally for Totals {
    fn merge(&mut self, later: Self) {
        self.nodes += later.nodes;
        for (class, tours) in later.by_class.into_iter().enumerate() {
            self.add(class, tours);
        }
    }
}

/// Adds up the weights of the cases.
pub(crate) struct ByClass<'a, W>(pub(crate) &'a Cases<W>);

impl<W: Word> Score<W> for ByClass<'_, W> {
    type Tally = Totals;

    const LINKS: bool = false;

    #[inline(always)]
    fn tour(&self, case: &Case<W>, _: &[Link], end: usize, totals: &mut Totals) {
        totals.add(case.class, case.weight);
        if self.0.mirrored {
            let class = self.0.class_of[end];
            if class != case.class {
                totals.add(class, case.weight);
            }
        }
    }

    fn nodes(totals: &mut Totals, nodes: u64) {
        totals.nodes += nodes;
    }
}
