//! Blocks with few states beside their matchings: summed up as a list of ranks and counts instead
//! of a vector.
//!
//! A vector over the matchings of 18 endpoints has 34,459,425 entries; on the 8x8 board the blocks
//! that have them have at most 515 states.

use crate::frontier::states::block::{Block, Cell};
use crate::frontier::states::maps::{LOST, Maps};
use crate::frontier::states::matching::matchings;
use crate::frontier::step::Change;

/// Vectors are planned for blocks of up to this many endpoints, whatever the frontier.
const SMALL: usize = 14;

/// Blocks with nearly all slots as endpoints have few states: 2,377 on average of those with 16 of
/// 18 slots on the 8x8 board, at most 168,434 of 2,027,025. So vectors are planned for this many
/// endpoints less than there are slots.
const FULL: usize = 4;

/// A list is made where there are at least this many matchings for each state before the step: it
/// is then also the smallest form of the block.
const SHARE: u64 = 64;

/// Blocks of fewer matchings always have a vector, which fits the first-level cache.
const LEAST: usize = 10_395;

/// Where no vector is planned, lists of up to this many states before the step are made, and longer
/// ones where there are at least `SHARE_OF_LONG` matchings for each state: a vector over the
/// matchings of 20 endpoints has 654,729,075 entries, and on the 9x9 board some of their blocks
/// have more states than this.
const SHORT: u64 = 1 << 20;

const SHARE_OF_LONG: u64 = 8;

/// The most endpoints for which vectors of sums are planned, on a frontier of this many slots.
pub(crate) fn planned(slots: usize) -> usize {
    SMALL.max(slots.saturating_sub(FULL))
}

/// The entries of a thread's vector of sums that are planned for blocks of this many endpoints.
pub(crate) fn entries(endpoints: usize, slots: usize) -> u64 {
    matchings(endpoints.min(planned(slots))) as u64
}

/// Whether a block of this many endpoints is listed, to which this many states before the step may
/// lead.
pub(crate) fn is_listed(endpoints: usize, slots: usize, states: u64) -> bool {
    let matchings = matchings(endpoints) as u64;
    let is_small = match endpoints > planned(slots) {
        true => states <= SHORT || states * SHARE_OF_LONG < matchings,
        false => states * SHARE < matchings,
    };
    matchings >= LEAST as u64 && is_small
}

/// Calls `each` with the images of the states of a block under a change, and their counts; some
/// more than once.
pub(crate) fn images<C: Cell>(
    block: Block<'_>,
    maps: &Maps,
    change: Change,
    endpoints: usize,
    each: &mut dyn FnMut(u32, C),
) {
    let mut found = |rank: u32, count: C| {
        if rank != LOST && count != C::default() {
            each(rank, count);
        }
    };
    match change {
        Change::One(edit) => {
            let map = maps.edit(edit, endpoints);
            block.for_each_by_call(&mut |rank, count| found(map.image(rank), count));
        }
        Change::Two(first, second) => {
            let between = first.endpoints_after(endpoints);
            let (first, second) = (maps.edit(first, endpoints), maps.edit(second, between));
            block.for_each_by_call(&mut |rank, count| match first.image(rank) {
                LOST => (),
                image => found(second.image(image), count),
            });
        }
    }
}

/// Sorts a list by rank and adds up the counts of each.
pub(crate) fn merge<C: Cell>(list: &mut Vec<(u32, C)>) {
    list.sort_unstable_by_key(|&(rank, _)| rank);
    list.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 = earlier.1.plus(later.1);
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use everymove_kernel::rng::SplitMix64;

    use super::*;
    use crate::frontier::states::block::{Builder, Layer};
    use crate::frontier::states::edit::Edit;
    use crate::frontier::step::pull::through::{pull, pull_two};

    /// A layer of one block of `endpoints` endpoints, of which one matching in `share` has a count.
    fn layer(endpoints: usize, share: u64) -> Layer {
        let mut rng = SplitMix64::new(share);
        let of = |rng: &mut SplitMix64| match rng.below(share) {
            0 => 1 + rng.below(300),
            _ => 0,
        };
        let mut counts: Vec<u64> = (0..matchings(endpoints)).map(|_| of(&mut rng)).collect();
        let mut builder = Builder::default();
        builder.take(&mut counts, &mut Vec::new()).unwrap();
        let mut layer = Layer::empty(Arc::default());
        layer.blocks = builder.blocks;
        layer.chunks = vec![builder.chunk];
        layer
    }

    /// Every form of a block through every kind of change: the list is the vector without its
    /// zeros.
    #[test]
    fn lists_are_vectors_without_zeros() {
        let maps = Maps::new(1 << 20);
        let insert = Edit::Insert { a: 1, b: 4 };
        let contract = Edit::Contract { a: 0, b: 3 };
        let moved = Edit::Move { from: 2, to: 0 };
        for share in [1, 3, 50, 400] {
            for endpoints in [8, 10] {
                let before = layer(endpoints, share);
                for change in [
                    Change::One(Edit::Keep),
                    Change::One(insert),
                    Change::One(contract),
                    Change::One(moved),
                    Change::Two(insert, contract),
                    Change::Two(contract, moved),
                ] {
                    let after = match change {
                        Change::One(edit) => edit.endpoints_after(endpoints),
                        Change::Two(e, f) => f.endpoints_after(e.endpoints_after(endpoints)),
                    };
                    let mut sums = vec![0u64; matchings(after) + 1];
                    match change {
                        Change::One(edit) => {
                            pull(before.block(0), maps.edit(edit, endpoints), &mut sums);
                        }
                        Change::Two(e, f) => {
                            pull_two(before.block(0), &maps, e, f, endpoints, &mut sums);
                        }
                    }
                    let mut list: Vec<(u32, u64)> = Vec::new();
                    images(
                        before.block(0),
                        &maps,
                        change,
                        endpoints,
                        &mut |rank, count| {
                            list.push((rank, count));
                        },
                    );
                    merge(&mut list);
                    sums.pop();
                    let not_zero = (0..).zip(sums).filter(|&(_, count)| count > 0);
                    assert!(list.iter().copied().eq(not_zero), "{change:?} {share}");
                }
            }
        }
    }

    /// Where no vector is planned, a list takes less memory than the vectors, whatever the width of
    /// its sums.
    #[test]
    fn lists_of_many_states_are_smaller_than_vectors() {
        let lists = [10_000_000, 80_000_000].map(|states| is_listed(20, 20, states));
        assert_eq!(lists, [true, true]);
        assert!(!is_listed(20, 20, 90_000_000));
        assert!(!is_listed(16, 20, 100_000));
        for (endpoints, slots) in [(16, 18), (18, 18), (18, 20), (20, 20)] {
            let matchings = matchings(endpoints) as u64;
            let most = (matchings / SHARE_OF_LONG).max(SHORT.min(matchings));
            let largest = (0..=most)
                .rev()
                .find(|&n| is_listed(endpoints, slots, n))
                .unwrap();
            let (list, vectors) = (
                size_of::<(u32, u128)>(),
                2 * (size_of::<u128>() + size_of::<u32>()),
            );
            assert!(largest * list as u64 <= matchings * vectors as u64);
        }
    }

    #[test]
    fn a_listed_block_is_the_one_made_of_a_vector() {
        for width in [8, 16, 31, 40] {
            let mut rng = SplitMix64::new(width);
            let mut counts = vec![0u64; LEAST];
            let ranks = (0..LEAST / 100).map(|_| rng.below(LEAST as u64) as usize);
            ranks.for_each(|rank| counts[rank] = large_count(width, rank));
            let occurring = |(rank, count): (u32, &u64)| (*count > 0).then_some((rank, *count));
            let list: Vec<_> = (0..).zip(&counts).filter_map(occurring).collect();
            let (mut one, mut other) = (Builder::default(), Builder::default());
            one.take_list(&list).unwrap();
            other.take(&mut counts, &mut Vec::new()).unwrap();
            assert_eq!(format!("{:?}", one.blocks), format!("{:?}", other.blocks));
            assert_eq!((one.states, one.sum), (other.states, other.sum));
            assert_eq!(one.chunk.ranks, other.chunk.ranks);
            assert_eq!(one.chunk.counts, other.chunk.counts);
        }
    }

    fn large_count(width: u64, rank: usize) -> u64 {
        (1 << (width - 1)) + rank as u64
    }
}
