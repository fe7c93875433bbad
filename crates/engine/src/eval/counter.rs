//! Counts of terms: added up with their weights, or listed for the tuner.

use shakmaty::Color;

use super::weights::{Pair, Weights};

/// Receives the counts of terms: a sum of weights, or the tuner's list.
pub(crate) trait TermCounter {
    /// Adds `n` to the count of a term: positive for White, negative for Black.
    fn add(&mut self, term: usize, n: i32);
}

/// Counts the terms of one side.
pub(crate) struct SideCounter<'a, A> {
    terms: &'a mut A,
    sign: i32,
}

impl<'a, A: TermCounter> SideCounter<'a, A> {
    #[inline(always)]
    pub(super) fn new(terms: &'a mut A, side: Color) -> Self {
        let sign = if side.is_white() { 1 } else { -1 };
        Self { terms, sign }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, term: usize, n: i32) {
        self.terms.add(term, self.sign * n);
    }
}

/// The sum of the weights of the counted terms.
pub(super) struct Sum<'a> {
    pub(super) weights: &'a Weights,
    pub(super) total: Pair,
}

impl TermCounter for Sum<'_> {
    #[inline(always)]
    fn add(&mut self, term: usize, n: i32) {
        self.total += self.weights[term] * n;
    }
}
