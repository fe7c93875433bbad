//! Runs of equal values as symbols for 1, 2, 4, ... 256 values. Re-Pair would find the same symbols, but more slowly.

use crate::syzygy::compress::decode::LEAF;

/// The most values that a symbol stands for: readers store the number less one in a byte.
pub(crate) const MAX_SYMBOL_LENGTH: u32 = 256;
/// Values that are converted to symbols at a time.
pub(crate) const CHUNK: usize = 1 << 16;

/// The symbols of runs.
pub(crate) struct RunSymbols {
    /// Both halves of each symbol, as in [`Header`](super::decode::Header).
    pub(crate) symbols: Vec<(u16, u16)>,
    /// By value: the symbols of 1, 2, 4, ... of it.
    powers: Vec<Vec<u16>>,
}

impl RunSymbols {
    /// The symbols for some values: one for each value that occurs; powers of two for values of which runs of eight and more make up at
    /// least a sixteenth of all values.
    pub(crate) fn new(values: &[u8]) -> Self {
        let mut counts = [0u64; 256];
        let mut in_runs = [0u64; 256];
        for (value, length) in runs(values) {
            counts[usize::from(value)] += length as u64;
            if length >= 8 {
                in_runs[usize::from(value)] += length as u64;
            }
        }
        let mut symbols = Vec::new();
        let mut powers: Vec<Vec<u16>> = vec![Vec::new(); 256];
        for (value, own) in powers.iter_mut().enumerate() {
            if counts[value] == 0 {
                continue;
            }
            own.push(symbols.len() as u16);
            symbols.push((value as u16, LEAF));
        }
        for (value, own) in powers.iter_mut().enumerate() {
            if in_runs[value] * 16 < values.len() as u64 || in_runs[value] == 0 {
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

    /// The number of symbols for every `every`-th chunk of values.
    pub(crate) fn count(&self, values: &[u8], every: usize) -> u64 {
        let mut count = 0;
        for chunk in values.chunks(CHUNK).step_by(every) {
            for (value, length) in runs(chunk) {
                let top = self.powers[usize::from(value)].len() - 1;
                let rest = length & ((1 << top) - 1);
                count += (length >> top) as u64 + u64::from(rest.count_ones());
            }
        }
        count
    }

    /// Appends the symbols of values.
    pub(crate) fn append(&self, values: &[u8], to: &mut Vec<u16>) {
        for (value, length) in runs(values) {
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
    use proptest::prelude::*;

    use super::*;

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
}
