//! How much memory a count will take, before it starts.

use super::degrees::masks;
use super::matching::{MAX_ENDPOINTS, matchings};
use super::reach::Reach;

/// The share of the matchings of 0, 2, 4, ... endpoints that occur in the fullest layers: measured on the last layers
/// of the halves of 7x8 and 8x8 boards, where it hardly depends on the board.
const FILL: [f64; MAX_ENDPOINTS / 2 + 1] = [
    1.0, 1.0, 0.96, 0.86, 0.65, 0.38, 0.144, 0.034, 0.003, 1e-4, 1e-6,
];

/// Bytes a state, counts of one to four bytes and their share of bitmaps: measured on the same boards.
const BYTES_A_STATE: f64 = 2.3;

/// Bytes a block for its place.
const BYTES_A_BLOCK: f64 = 24.0;

/// About the largest number of bytes that two neighbouring layers take.
pub(super) fn peak_bytes(reach: &Reach) -> u64 {
    let sizes: Vec<f64> = reach
        .layers()
        .map(|layer| {
            let mut by_ends = [0usize; MAX_ENDPOINTS / 2 + 1];
            for &degrees in layer {
                by_ends[masks(degrees).ends.count_ones() as usize / 2] += 1;
            }
            let states = |(pairs, &blocks): (usize, &usize)| {
                blocks as f64 * FILL[pairs] * matchings(2 * pairs) as f64
            };
            let states: f64 = by_ends.iter().enumerate().map(states).sum();
            states * BYTES_A_STATE + layer.len() as f64 * BYTES_A_BLOCK
        })
        .collect();
    sizes
        .windows(2)
        .map(|pair| pair[0] + pair[1])
        .fold(0.0, f64::max) as u64
}
