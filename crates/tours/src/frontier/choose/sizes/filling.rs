//! How large a block will be, by the number of sets of edges that lead to it.
//!
//! Edge sets that have the same matching are one state. Matchings are not equally likely, and of
//! two blocks with w edge sets for n matchings each the one of more endpoints has fewer states: by
//! the blocks of eight boards of 6x7 to 9x8 squares the odds that a matching occurs are (w / n ·
//! e^(0.58 - 0.73 p))^0.64 with p pairs of endpoints.
//!
//! On long boards the number of edge sets grows with every row, but those that differ only in rows
//! far behind the frontier have the same matchings. Once a layer of s slots has 2^(s - 4) edge sets
//! for each of its matchings, more of them fill it no further (measured on boards of 5x20 to 8x12).

use crate::frontier::choose::sizes::Counts;
use crate::frontier::states::matching::{MAX_ENDPOINTS, matchings};
use crate::frontier::vectors::degrees::{Degrees, masks};

/// The largest count of a block is about this many times the mean.
const SPREAD: f64 = 8.0;

/// The smallest counts that need more than 8, 16, 32 and 64 bits.
const BITS_8: f64 = (1_u64 << 8) as f64;
const BITS_16: f64 = (1_u64 << 16) as f64;
const BITS_32: f64 = (1_u64 << 32) as f64;
const BITS_64: f64 = (1_u128 << 64) as f64;

/// Bytes of a block besides its counts: its place.
const BYTES_A_BLOCK: f64 = 20.0;

/// What blocks take, estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Size {
    /// Bytes in memory.
    pub(crate) bytes: f64,
    /// States.
    pub(crate) states: f64,
}

impl Size {
    pub(crate) fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.states += other.states;
    }

    /// The sum of some sizes.
    pub(crate) fn sum<'a>(sizes: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        sizes.into_iter().for_each(|&size| all.add(size));
        all
    }
}

/// How full the blocks of a layer are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filling {
    counts: Counts,
    /// For each number of pairs of endpoints, what the odds of a matching are for each set of
    /// edges, before the power is taken.
    odds: [f64; MAX_ENDPOINTS / 2 + 1],
}

impl Filling {
    /// Of a layer of `slots` slots with these degree vectors, to which these numbers of edge sets
    /// lead.
    pub(crate) fn of(slots: usize, list: &[Degrees], weights: &[f64], counts: Counts) -> Self {
        let all: f64 = list.iter().map(|&d| bins(pairs(d))).sum();
        let each = weights.iter().sum::<f64>() / all;
        let most = (slots as f64 - 4.0).exp2();
        // The part of the edge sets that counts.
        let part = if each > most { most / each } else { 1.0 };
        let odds = |pairs| part / bins(pairs as u32) * (0.58 - 0.73 * pairs as f64).exp();
        Self {
            counts,
            odds: std::array::from_fn(odds),
        }
    }

    /// About the size of a block that `weight` sets of edges lead to, in the smallest of its three
    /// forms.
    pub(crate) fn size(self, degrees: Degrees, weight: f64) -> Size {
        let pairs = pairs(degrees);
        let bins = bins(pairs);
        // Seven digits are enough, and take less time.
        let odds = ((weight * self.odds[pairs as usize]) as f32).powf(0.64);
        let states = weight.min(bins / (1.0 + 1.0 / f64::from(odds)));
        if states <= 0.0 {
            return Size {
                bytes: BYTES_A_BLOCK,
                states: 0.0,
            };
        }
        let width = match weight / states * SPREAD {
            _ if self.counts == Counts::Residues => 8.0,
            ..=BITS_8 => 1.0,
            ..=BITS_16 => 2.0,
            ..=BITS_32 => 4.0,
            ..=BITS_64 => 8.0,
            _ => 16.0,
        };
        let bytes = (bins * width)
            .min(bins / 8.0 + states * width)
            .min(states * (width + 4.0));
        Size {
            bytes: bytes + BYTES_A_BLOCK,
            states,
        }
    }
}

/// The pairs of endpoints of a degree vector.
fn pairs(degrees: Degrees) -> u32 {
    masks(degrees).ends.count_ones() / 2
}

/// The number of matchings of the endpoints of `pairs` pairs.
fn bins(pairs: u32) -> f64 {
    matchings(2 * pairs as usize) as f64
}
