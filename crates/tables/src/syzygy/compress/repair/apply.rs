//! Applies the symbols that were found in a part of a long sequence to all of it, chunk by chunk.
//!
//! Pairs are replaced in the order in which they became symbols, as in the part that was searched. A symbol has a higher number than
//! its halves, so that one pass over the symbols in ascending order replaces all pairs.

use rustc_hash::FxHashMap;

use crate::syzygy::compress::decode::LEAF;

/// Marks an entry that was merged into its left neighbour.
const GAP: u16 = u16::MAX;
const NONE: u32 = u32::MAX;

/// The symbols by their halves.
pub(crate) struct PairApplier<'a> {
    symbols: &'a [(u16, u16)],
    by_halves: FxHashMap<(u16, u16), u16>,
}

impl<'a> PairApplier<'a> {
    /// For symbols of which each comes after its halves.
    pub(crate) fn new(symbols: &'a [(u16, u16)]) -> Self {
        let mut by_halves = FxHashMap::default();
        for (symbol, &halves) in symbols.iter().enumerate() {
            if halves.1 != LEAF {
                by_halves.entry(halves).or_insert(symbol as u16);
            }
        }
        Self { symbols, by_halves }
    }

    /// Replaces all pairs in a chunk.
    pub(crate) fn apply(&self, mut chunk: Vec<u16>) -> Vec<u16> {
        let length = chunk.len() as u32;
        let mut next: Vec<u32> = (1..=length).collect();
        let mut before: Vec<u32> = (0..length).map(|at| at.wrapping_sub(1)).collect();
        let mut open: Vec<Vec<u32>> = vec![Vec::new(); self.symbols.len()];
        for (at, pair) in chunk.windows(2).enumerate() {
            if let Some(&symbol) = self.by_halves.get(&(pair[0], pair[1])) {
                open[usize::from(symbol)].push(at as u32);
            }
        }
        for symbol in 0..self.symbols.len() {
            let mut positions = std::mem::take(&mut open[symbol]);
            let (left, right) = self.symbols[symbol];
            // From left to right, so that of overlapping pairs always the same ones are replaced.
            positions.sort_unstable();
            for first in positions {
                let second = next[first as usize];
                let fits = second < length
                    && chunk[first as usize] == left
                    && chunk[second as usize] == right;
                if !fits {
                    continue;
                }
                chunk[first as usize] = symbol as u16;
                chunk[second as usize] = GAP;
                let after = next[second as usize];
                next[first as usize] = after;
                let mut enqueue = |at: u32, halves: (u16, u16)| {
                    if let Some(&larger) = self.by_halves.get(&halves) {
                        open[usize::from(larger)].push(at);
                    }
                };
                if after < length {
                    before[after as usize] = first;
                    enqueue(first, (symbol as u16, chunk[after as usize]));
                }
                let earlier = before[first as usize];
                if earlier != NONE {
                    enqueue(earlier, (chunk[earlier as usize], symbol as u16));
                }
            }
        }
        chunk.retain(|&symbol| symbol != GAP);
        chunk
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_replaced_in_ascending_order() {
        // 2 is 0 1, 3 is 2 2, 4 is 0 0, 5 is 4 3.
        let symbols = [(7, LEAF), (8, LEAF), (0, 1), (2, 2), (0, 0), (4, 3)];
        let applier = PairApplier::new(&symbols);
        assert_eq!(applier.apply(vec![0, 0, 0, 1, 0, 1, 0]), [5, 0]);
        assert_eq!(applier.apply(vec![0, 1, 0, 1, 0, 1]), [3, 2]);
        assert_eq!(applier.apply(vec![1]), [1]);
        assert!(applier.apply(Vec::new()).is_empty());
    }
}
