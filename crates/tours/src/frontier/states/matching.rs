//! Perfect matchings of an even number of endpoints, and their ranks.
//!
//! The 2k endpoints of the path segments on a frontier are joined in pairs; there are (2k-1)!!
//! ways. The *rank* of a matching numbers them from 0: the partner of the first endpoint is the
//! most significant digit, then the partner of the first endpoint that is left, and so on. So all
//! matchings in which endpoint 0 has the same partner are contiguous, which the
//! [maps](crate::frontier::maps) exploit.

/// The most endpoints a frontier may have: 19!! = 654,729,075 matchings still fit 32-bit ranks.
pub(crate) const MAX_ENDPOINTS: usize = 20;

/// The partner of every endpoint; entries beyond the number of endpoints are meaningless.
pub(crate) type Mates = [u8; MAX_ENDPOINTS + 4];

/// The number of perfect matchings of `endpoints` endpoints: 1, 1, 3, 15, 105, ... for 0, 2, 4, 6,
/// 8, ...
pub(crate) const fn matchings(endpoints: usize) -> usize {
    let mut product = 1;
    let mut odd = 1;
    while odd < endpoints {
        product *= odd;
        odd += 2;
    }
    product
}

/// The rank of a matching of `endpoints` endpoints.
pub(crate) fn rank(mates: &Mates, endpoints: usize) -> usize {
    let mut left = (1u32 << endpoints) - 1;
    let mut rank = 0;
    while left != 0 {
        let first = left.trailing_zeros();
        left &= left - 1;
        let choices = left.count_ones() as usize;
        let mate = mates[first as usize];
        rank = rank * choices + (left & ((1 << mate) - 1)).count_ones() as usize;
        left ^= 1 << mate;
    }
    rank
}

/// The matching of `endpoints` endpoints with a given rank.
pub(crate) fn unrank(mut rank: usize, endpoints: usize) -> Mates {
    let pairs = endpoints / 2;
    let mut digits = [0u8; MAX_ENDPOINTS / 2 + 2];
    for (pair, digit) in digits[..pairs].iter_mut().enumerate().rev() {
        let choices = endpoints - 1 - 2 * pair;
        *digit = (rank % choices) as u8;
        rank /= choices;
    }
    let mut mates = [0; MAX_ENDPOINTS + 4];
    let mut left = (1u32 << endpoints) - 1;
    for &digit in &digits[..pairs] {
        let first = left.trailing_zeros();
        left &= left - 1;
        let mut later = left;
        for _ in 0..digit {
            later &= later - 1;
        }
        let mate = later.trailing_zeros();
        left ^= 1 << mate;
        mates[first as usize] = mate as u8;
        mates[mate as usize] = first as u8;
    }
    mates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_run_through_all_matchings() {
        for endpoints in (0..=10).step_by(2) {
            let mut seen = std::collections::HashSet::new();
            for r in 0..matchings(endpoints) {
                let mates = unrank(r, endpoints);
                for (a, &b) in mates[..endpoints].iter().enumerate() {
                    assert_ne!(usize::from(b), a);
                    assert_eq!(usize::from(mates[usize::from(b)]), a);
                }
                assert_eq!(rank(&mates, endpoints), r);
                seen.insert(mates);
            }
            assert_eq!(seen.len(), matchings(endpoints));
        }
        assert_eq!(matchings(16), 2_027_025);
        assert_eq!(matchings(MAX_ENDPOINTS), 654_729_075);
    }

    #[test]
    fn the_first_partner_is_the_leading_digit() {
        for r in 0..matchings(8) {
            assert_eq!(usize::from(unrank(r, 8)[0]), 1 + r / matchings(6));
        }
    }
}
