//! Runs of equal values in few bytes, so that a large sample of a table with few runs takes little
//! memory.

use crate::syzygy::compress::runs::runs;

/// The least byte that is a digit of a length; all values are smaller.
const FIRST_DIGIT: u8 = 241;
/// The base of the digits.
const BASE: usize = 15;

/// Runs: each is its value, then its length less one in base 15, the lowest digit first, without
/// leading zeros. A run takes at most as many bytes as it has values.
#[derive(Debug, Default)]
pub(crate) struct RunList {
    bytes: Vec<u8>,
    /// The number of values.
    values: u64,
}

impl RunList {
    /// The runs of values, all at most [`AT_MOST`](crate::syzygy::values::dont_care::AT_MOST), in
    /// the memory of the values.
    pub(crate) fn of(mut values: Vec<u8>) -> Self {
        let count = values.len() as u64;
        let (mut from, mut to) = (0, 0);
        while from < values.len() {
            let (value, length) = first_run(&values[from..]);
            debug_assert!(value < FIRST_DIGIT);
            from += length;
            values[to] = value;
            to += 1;
            let mut rest = length - 1;
            while rest > 0 {
                values[to] = FIRST_DIGIT + (rest % BASE) as u8;
                to += 1;
                rest /= BASE;
            }
        }
        values.truncate(to);
        Self {
            bytes: values,
            values: count,
        }
    }

    /// Appends runs. If the last run and the first one of `more` have the same value, they remain
    /// two runs.
    pub(crate) fn append(&mut self, more: &Self) {
        self.bytes.extend_from_slice(&more.bytes);
        self.values += more.values;
    }

    /// The bytes that the runs take.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The number of values.
    pub(crate) fn values(&self) -> u64 {
        self.values
    }

    /// The runs: values and lengths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u8, usize)> {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || {
            let (&value, after) = rest.split_first()?;
            let digits = after.iter().take_while(|&&byte| byte >= FIRST_DIGIT);
            let digits = digits.count();
            let length = after[..digits].iter().rev().fold(0, |length, &digit| {
                length * BASE + usize::from(digit - FIRST_DIGIT)
            });
            rest = &after[digits..];
            Some((value, length + 1))
        })
    }
}

/// The first run of some values.
fn first_run(values: &[u8]) -> (u8, usize) {
    runs(values).next().unwrap_or((0, 0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Lists hold the runs of values, in no more bytes than the values; appended lists hold the runs of both.
        #[test]
        fn lists_hold_the_runs_of_values(
            parts in prop::collection::vec((236u8..241, 1usize..5000), 0..30),
            at in 0usize..100_000
        ) {
            let values: Vec<u8> = parts.iter().flat_map(|&(v, n)| std::iter::repeat_n(v, n)).collect();
            let list = RunList::of(values.clone());
            prop_assert!(list.bytes() <= values.len());
            prop_assert_eq!(list.values(), values.len() as u64);
            prop_assert!(list.iter().eq(runs(&values)));
            let (first, second) = values.split_at(at.min(values.len()));
            let mut both = RunList::of(first.to_vec());
            both.append(&RunList::of(second.to_vec()));
            prop_assert_eq!(both.values(), values.len() as u64);
            prop_assert!(both.iter().eq(runs(first).chain(runs(second))));
        }
    }

    /// The shortest runs with one more digit, and single values, which take as many bytes as there
    /// are values.
    #[test]
    fn lengths_of_every_number_of_digits_are_read() {
        for length in [
            1,
            2,
            15,
            16,
            17,
            225,
            226,
            3375,
            3376,
            50_625,
            50_626,
            1 << 20,
        ] {
            let list = RunList::of(vec![7; length]);
            assert_eq!(list.iter().collect::<Vec<_>>(), [(7, length)]);
        }
        let single: Vec<u8> = (0..240).collect();
        assert_eq!(RunList::of(single).bytes(), 240);
    }
}
