//! Symbols learnt from a part of a long sequence, found again in all of it, piece by piece.
//!
//! Pairs are replaced in the order in which they became symbols, as where they were learnt. A symbol that contains another is
//! younger than it, so that one walk through the symbols by age meets all pairs.

use rustc_hash::FxHashMap;

use crate::syzygy::compress::decode::LEAF;

/// The place of what became part of its left neighbour.
const HOLE: u16 = u16::MAX;
const NONE: u32 = u32::MAX;

/// What is needed to find symbols again.
pub(crate) struct Replay<'a> {
    symbols: &'a [(u16, u16)],
    by_halves: FxHashMap<(u16, u16), u16>,
}

impl<'a> Replay<'a> {
    /// For symbols by age, the oldest first.
    pub(crate) fn new(symbols: &'a [(u16, u16)]) -> Self {
        let mut by_halves = FxHashMap::default();
        for (symbol, &halves) in symbols.iter().enumerate() {
            if halves.1 != LEAF {
                by_halves.entry(halves).or_insert(symbol as u16);
            }
        }
        Self { symbols, by_halves }
    }

    /// Replaces all pairs in a piece.
    pub(crate) fn apply(&self, mut piece: Vec<u16>) -> Vec<u16> {
        let length = piece.len() as u32;
        let mut next: Vec<u32> = (1..=length).collect();
        let mut before: Vec<u32> = (0..length).map(|at| at.wrapping_sub(1)).collect();
        let mut open: Vec<Vec<u32>> = vec![Vec::new(); self.symbols.len()];
        for (at, pair) in piece.windows(2).enumerate() {
            if let Some(&symbol) = self.by_halves.get(&(pair[0], pair[1])) {
                open[usize::from(symbol)].push(at as u32);
            }
        }
        for symbol in 0..self.symbols.len() {
            let mut places = std::mem::take(&mut open[symbol]);
            let (left, right) = self.symbols[symbol];
            // From left to right, so that overlapping pairs go in the same way however they were met.
            places.sort_unstable();
            for first in places {
                let second = next[first as usize];
                let fits = second < length
                    && piece[first as usize] == left
                    && piece[second as usize] == right;
                if !fits {
                    continue;
                }
                piece[first as usize] = symbol as u16;
                piece[second as usize] = HOLE;
                let after = next[second as usize];
                next[first as usize] = after;
                let mut meet = |at: u32, halves: (u16, u16)| {
                    if let Some(&younger) = self.by_halves.get(&halves) {
                        open[usize::from(younger)].push(at);
                    }
                };
                if after < length {
                    before[after as usize] = first;
                    meet(first, (symbol as u16, piece[after as usize]));
                }
                let earlier = before[first as usize];
                if earlier != NONE {
                    meet(earlier, (piece[earlier as usize], symbol as u16));
                }
            }
        }
        piece.retain(|&symbol| symbol != HOLE);
        piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_replaced_by_age() {
        // 2 is 0 1, 3 is 2 2, 4 is 0 0, 5 is 4 3.
        let symbols = [(7, LEAF), (8, LEAF), (0, 1), (2, 2), (0, 0), (4, 3)];
        let replay = Replay::new(&symbols);
        assert_eq!(replay.apply(vec![0, 0, 0, 1, 0, 1, 0]), [5, 0]);
        assert_eq!(replay.apply(vec![0, 1, 0, 1, 0, 1]), [3, 2]);
        assert_eq!(replay.apply(vec![1]), [1]);
        assert!(replay.apply(Vec::new()).is_empty());
    }
}
