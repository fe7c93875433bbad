//! What an answer cost, in counters.

use std::collections::BTreeMap;

/// What an answer cost, in units that do not depend on the machine: `nodes`, `states`,
/// `transitions`, `bytes`.
///
/// The same question gives the same work for any number of threads unless a counter's documentation
/// says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work(BTreeMap<&'static str, u64>);

impl Work {
    /// Work with a single counter.
    pub fn of(unit: &'static str, amount: u64) -> Self {
        let mut work = Self::default();
        work.add(unit, amount);
        work
    }

    /// Adds to a counter.
    pub fn add(&mut self, unit: &'static str, amount: u64) {
        *self.0.entry(unit).or_default() += amount;
    }

    /// Keeps the larger of a counter and `amount`, for peaks.
    pub fn at_least(&mut self, unit: &'static str, amount: u64) {
        let entry = self.0.entry(unit).or_default();
        *entry = (*entry).max(amount);
    }

    /// A counter's value, 0 if it was never touched.
    pub fn get(&self, unit: &str) -> u64 {
        self.0.get(unit).copied().unwrap_or(0)
    }

    /// All counters in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.0.iter().map(|(&unit, &amount)| (unit, amount))
    }

    /// Adds every counter of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (unit, amount) in other.iter() {
            self.add(unit, amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_adds_up() {
        let mut work = Work::of("nodes", 3);
        work.merge(&Work::of("nodes", 4));
        work.at_least("peak", 5);
        work.at_least("peak", 2);
        assert_eq!(work.iter().collect::<Vec<_>>(), [("nodes", 7), ("peak", 5)]);
    }
}
