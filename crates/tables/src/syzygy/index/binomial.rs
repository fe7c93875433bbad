//! Binomial coefficients, and combinations in colexicographic order (D. E. Knuth, *The Art of
//! Computer Programming*, volume 4A, section 7.2.1.3).
//!
//! Syzygy indexes a group of like pieces by the combination of squares that they occupy: squares
//! `s1 < s2 < ... < sk` have index `C(s1, 1) + C(s2, 2) + ... + C(sk, k)`. This index does not
//! depend on how many squares there are, so that one list of combinations for each `k` serves every
//! group.

use std::sync::OnceLock;

/// The most squares to choose from.
const SQUARES: usize = 64;
/// The most pieces of a group: a table has at most six pieces, two of them kings.
const MAX_PIECES: usize = 4;
/// Squares that a group of like pieces can choose from at most: all but that of a pawn which leads
/// alone.
const FREE_SQUARES: usize = SQUARES - 1;

/// `BINOMIALS[n][k]` is the number of combinations of `k` out of `n`.
static BINOMIALS: [[u64; MAX_PIECES + 1]; SQUARES + 1] = {
    let mut table = [[0; MAX_PIECES + 1]; SQUARES + 1];
    let mut n = 0;
    while n <= SQUARES {
        table[n][0] = 1;
        let mut k = 1;
        while k <= MAX_PIECES && n > 0 {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// The number of combinations of `k` (at most 4) out of `n` (at most 64).
#[inline]
pub(crate) fn binomial(n: u64, k: u64) -> u64 {
    BINOMIALS[n as usize][k as usize]
}

/// All combinations of `k` (0 to 4) out of 63, by index, each in ascending order; entries beyond
/// `k` are 0. Computed once.
///
/// The first `C(n, k)` of them are those out of `n`.
pub(crate) fn combinations(k: usize) -> &'static [[u8; MAX_PIECES]] {
    static LISTS: [OnceLock<Vec<[u8; MAX_PIECES]>>; MAX_PIECES + 1] =
        [const { OnceLock::new() }; MAX_PIECES + 1];
    LISTS[k].get_or_init(|| all_combinations(k))
}

fn all_combinations(k: usize) -> Vec<[u8; MAX_PIECES]> {
    let count = binomial(FREE_SQUARES as u64, k as u64) as usize;
    let mut list = Vec::with_capacity(count);
    let mut at = [0, 1, 2, 3];
    at[k..].fill(0);
    for _ in 0..count {
        list.push(at);
        // The successor: the first element that can grow without reaching the next one, with all
        // before it reset.
        let grows = (0..k).find(|&i| i + 1 == k || at[i] + 1 < at[i + 1]);
        if let Some(grows) = grows {
            at[grows] += 1;
            for (i, own) in at[..grows].iter_mut().enumerate() {
                *own = i as u8;
            }
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_quotients_of_factorials() {
        for n in 0..=64u64 {
            for k in 0..=4 {
                let product =
                    (0..k).fold(1u64, |product, i| product * n.saturating_sub(i) / (i + 1));
                assert_eq!(binomial(n, k), product, "{k} out of {n}");
            }
        }
    }

    /// A combination's index is the sum of its binomial coefficients, and each combination is
    /// listed once.
    #[test]
    fn combinations_are_listed_by_their_index() {
        for k in 0..=4usize {
            let list = combinations(k);
            assert_eq!(list.len() as u64, binomial(63, k as u64));
            for (index, at) in list.iter().enumerate() {
                let own = &at[..k];
                assert!(own.is_sorted_by(|a, b| a < b) && own.iter().all(|&s| s < 63));
                let terms = own.iter().zip(1..).map(|(&s, i)| binomial(s.into(), i));
                assert_eq!(terms.sum::<u64>(), index as u64);
            }
        }
    }
}
