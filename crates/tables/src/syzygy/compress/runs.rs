//! Runs of equal values as symbols for 1, 2, 4, ... 256 values. Re-Pair would find the same
//! symbols, but more slowly.

use crate::error::TableError;
use crate::store::buffer::Buffer;
use crate::syzygy::compress::header::LEAF;

/// The most values that a symbol stands for: readers store the number less one in a byte.
pub(crate) const MAX_SYMBOL_LENGTH: u32 = 256;
/// Values that are read at a time.
pub(crate) const CHUNK: usize = 1 << 16;

/// The longest run that [`for_each_run`] finds: longer ones are cut, which does not change their
/// symbols.
const LONGEST: usize = 1 << 16;

/// How often each value occurs, in all and in runs of eight and more.
pub(crate) struct RunCounts {
    all: [u64; 256],
    in_runs: [u64; 256],
}

impl RunCounts {
    /// Counts nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            all: [0; 256],
            in_runs: [0; 256],
        }
    }

    /// Counts a run.
    pub(crate) fn add(&mut self, value: u8, length: usize) {
        self.all[usize::from(value)] += length as u64;
        if length >= 8 {
            self.in_runs[usize::from(value)] += length as u64;
        }
    }
}

/// The symbols of runs.
pub(crate) struct RunSymbols {
    /// Both halves of each symbol, as in [`Header`](super::header::Header).
    pub(crate) symbols: Vec<(u16, u16)>,
    /// By value: the symbols of 1, 2, 4, ... of it.
    powers: Vec<Vec<u16>>,
}

impl RunSymbols {
    /// The symbols for some runs.
    pub(crate) fn of_runs(runs: impl Iterator<Item = (u8, usize)>) -> Self {
        let mut counts = RunCounts::new();
        runs.for_each(|(value, length)| counts.add(value, length));
        Self::new(&counts)
    }

    /// The symbols for counted values: one for each value that occurs; powers of two for values of
    /// which runs of eight and more make up at least a sixteenth of all values.
    pub(crate) fn new(counts: &RunCounts) -> Self {
        let total: u64 = counts.all.iter().sum();
        let mut symbols = Vec::new();
        let mut powers: Vec<Vec<u16>> = vec![Vec::new(); 256];
        for (value, own) in powers.iter_mut().enumerate() {
            if counts.all[value] == 0 {
                continue;
            }
            own.push(symbols.len() as u16);
            symbols.push((value as u16, LEAF));
        }
        for (own, &in_runs) in powers.iter_mut().zip(&counts.in_runs) {
            if in_runs * 16 < total || in_runs == 0 {
                continue;
            }
            while 1u32 << own.len() <= MAX_SYMBOL_LENGTH {
                let half = own[own.len() - 1];
                own.push(symbols.len() as u16);
                symbols.push((half, half));
            }
        }
        Self { symbols, powers }
    }

    /// The number of symbols of runs.
    pub(crate) fn count(&self, runs: impl Iterator<Item = (u8, usize)>) -> usize {
        let symbols = |(value, length)| {
            let top = self.powers[usize::from(value)].len() - 1;
            let rest: usize = length & ((1 << top) - 1);
            (length >> top) + rest.count_ones() as usize
        };
        runs.map(symbols).sum()
    }

    /// Appends the symbols of values.
    pub(crate) fn append(&self, values: &[u8], to: &mut Vec<u16>) {
        for (value, length) in runs(values) {
            self.append_run(value, length, to);
        }
    }

    /// Appends the symbols of a run.
    pub(crate) fn append_run(&self, value: u8, length: usize, to: &mut Vec<u16>) {
        let own = &self.powers[usize::from(value)];
        let top = own.len() - 1;
        to.extend(std::iter::repeat_n(own[top], length >> top));
        let mut rest = length & ((1 << top) - 1);
        while rest > 0 {
            let power = rest.ilog2();
            to.push(own[power as usize]);
            rest ^= 1 << power;
        }
    }
}

/// Calls `each(value, length)` for the runs of equal neighbours of values in a buffer, in order.
pub(crate) fn for_each_run(
    values: &Buffer,
    mut each: impl FnMut(u8, usize) -> Result<(), TableError>,
) -> Result<(), TableError> {
    // The run that the chunks so far end with.
    let mut last = (0, 0);
    values.for_each_chunk(CHUNK, |_, chunk| {
        for (value, length) in runs(chunk) {
            if value == last.0 {
                last.1 += length;
            } else {
                if last.1 > 0 {
                    each(last.0, last.1)?;
                }
                last = (value, length);
            }
            while last.1 > LONGEST {
                each(value, LONGEST)?;
                last.1 -= LONGEST;
            }
        }
        Ok(())
    })?;
    if last.1 > 0 {
        each(last.0, last.1)?;
    }
    Ok(())
}

/// The runs of equal neighbours: values and lengths.
pub(crate) fn runs(values: &[u8]) -> impl Iterator<Item = (u8, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        let value = *values.get(start)?;
        at += 1;
        while let Some(eight) = values[at..].first_chunk() {
            let differing = u64::from_le_bytes(*eight) ^ u64::from_le_bytes([value; 8]);
            if differing != 0 {
                at += differing.trailing_zeros() as usize / 8;
                return Some((value, at - start));
            }
            at += 8;
        }
        while values.get(at) == Some(&value) {
            at += 1;
        }
        Some((value, at - start))
    })
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Run;
    use proptest::prelude::*;

    use super::*;
    use crate::store::buffer::tests::places;

    proptest! {
        #[test]
        fn runs_are_those_of_equal_neighbours(
            parts in prop::collection::vec((0u8..3, 1usize..40), 0..60)
        ) {
            let values: Vec<u8> = parts.iter().flat_map(|&(v, n)| std::iter::repeat_n(v, n)).collect();
            let found: Vec<_> = runs(&values).collect();
            let equal: Vec<_> = values.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
            prop_assert_eq!(found, equal);
        }
    }

    /// Runs in a buffer are those of all its values, cut where they are too long.
    #[test]
    fn runs_of_a_buffer_cross_its_chunks() {
        let run = Run::serial();
        let mut values = vec![3; 5];
        for (value, length) in [(0, CHUNK - 6), (1, 3), (2, 2 * CHUNK + 9), (4, 1), (4, 80)] {
            values.extend(std::iter::repeat_n(value, length));
        }
        for place in places(&run) {
            let mut buffer = place.buffer(0).unwrap();
            buffer.append(&values).unwrap();
            let mut found = Vec::new();
            let each = |value, length| {
                assert!(length <= LONGEST);
                found.extend(std::iter::repeat_n(value, length));
                Ok(())
            };
            for_each_run(&buffer, each).unwrap();
            assert!(found == values);
            let mut count = 0;
            for_each_run(&buffer, |_, _| {
                count += 1;
                Ok(())
            })
            .unwrap();
            assert_eq!(count, runs(&values).count() + 2);
        }
    }

    #[test]
    fn symbols_are_counted_before_they_are_made() {
        let values: Vec<u8> = (1..300usize)
            .flat_map(|n| std::iter::repeat_n((n % 5) as u8, n * n % 700))
            .collect();
        let symbols = RunSymbols::of_runs(runs(&values));
        let mut made = Vec::new();
        symbols.append(&values, &mut made);
        assert_eq!(made.len(), symbols.count(runs(&values)));
    }
}
