//! Lengths of Huffman code words, limited to the longest that readers support.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::syzygy::compress::header::MAX_BITS;

/// The length in bits of each symbol's code word, given how often each occurs; 0 for symbols that
/// do not occur (D. A. Huffman, "A Method for the Construction of Minimum-Redundancy Codes", 1952).
///
/// If a code word is longer than [`MAX_BITS`], the counts of rare symbols are raised until none is.
pub(crate) fn code_lengths(counts: &[u64]) -> Vec<u8> {
    let mut least = 1;
    loop {
        let raised = counts
            .iter()
            .map(|&n| if n == 0 { 0 } else { n.max(least) });
        let lengths = huffman(&raised.collect::<Vec<_>>());
        if lengths.iter().all(|&bits| bits <= u32::from(MAX_BITS)) {
            return lengths.into_iter().map(|bits| bits as u8).collect();
        }
        least *= 2;
    }
}

fn huffman(counts: &[u64]) -> Vec<u32> {
    let present: Vec<usize> = (0..counts.len()).filter(|&s| counts[s] > 0).collect();
    let mut lengths = vec![0; counts.len()];
    if let [only] = present[..] {
        lengths[only] = 1;
        return lengths;
    }
    // Nodes of the code tree: the symbols that occur, then inner nodes, each after its children.
    let mut parents = vec![0; present.len()];
    let entries = present
        .iter()
        .enumerate()
        .map(|(node, &s)| Reverse((counts[s], node)));
    let mut open: BinaryHeap<_> = entries.collect();
    while let (Some(Reverse((one, a))), Some(Reverse((other, b)))) = (open.pop(), open.pop()) {
        let node = parents.len();
        parents.push(0);
        parents[a] = node;
        parents[b] = node;
        if open.is_empty() {
            break;
        }
        open.push(Reverse((one + other, node)));
    }
    let mut depths = vec![0u32; parents.len()];
    for node in (0..parents.len().saturating_sub(1)).rev() {
        depths[node] = depths[parents[node]] + 1;
    }
    for (node, &symbol) in present.iter().enumerate() {
        lengths[symbol] = depths[node];
    }
    lengths
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The fewest bits for a few symbols, by trying every set of lengths that a prefix code can
    /// have (Kraft's inequality).
    fn fewest(counts: &[u64], longest: u32) -> u64 {
        fn try_all(counts: &[u64], at: usize, budget: u64, longest: u32) -> Option<u64> {
            let Some(&count) = counts.get(at) else {
                return Some(0);
            };
            (1..=longest)
                .filter_map(|bits| {
                    let share = 1u64 << (longest - bits);
                    let rest = try_all(counts, at + 1, budget.checked_sub(share)?, longest)?;
                    Some(rest + count * u64::from(bits))
                })
                .min()
        }
        try_all(counts, 0, 1 << longest, longest).unwrap()
    }

    proptest! {
        #[test]
        fn no_code_has_fewer_bits(counts in prop::collection::vec(1u64..1000, 2..6)) {
            let lengths = code_lengths(&counts);
            let bits: u64 = counts.iter().zip(&lengths).map(|(n, &l)| n * u64::from(l)).sum();
            prop_assert_eq!(bits, fewest(&counts, 6));
            let share: f64 = lengths.iter().map(|&l| 0.5f64.powi(i32::from(l))).sum();
            prop_assert_eq!(share, 1.0);
        }
    }

    #[test]
    fn code_words_are_not_too_long() {
        let mut counts = vec![1u64, 1];
        while counts.len() < 60 {
            counts.push(counts[counts.len() - 1] + counts[counts.len() - 2]);
        }
        let lengths = code_lengths(&counts);
        assert!(lengths.iter().all(|&l| (1..=MAX_BITS).contains(&l)));
        assert_eq!(code_lengths(&[0, 7, 0]), [0, 1, 0]);
        assert!(code_lengths(&[]).is_empty());
    }
}
