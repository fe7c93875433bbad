//! Swaps two base-64 digits of the indices of a byte array, in place: a transposition of 64 by 64
//! tiles.

use std::sync::atomic::AtomicU8;

use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Stopped};

/// The bytes whose indices differ only in the two digits.
type Tile = [[u8; 64]; 64];

/// Swaps digit 0 of all indices (their lowest six bits) with the digit at `shift` bits, a multiple
/// of six above 0. The number of bytes is a multiple of `64 << shift`.
pub(crate) fn swap_digits(bytes: &mut [AtomicU8], shift: usize, run: &Run) -> Result<(), Stopped> {
    let parts = bytes.chunks_mut(64 << shift);
    let tile = || Box::new([[0; 64]; 64]);
    parallel::for_each(run, parts, tile, |tile, part| {
        for first in (0..1 << shift).step_by(64) {
            for (high, row) in tile.iter_mut().enumerate() {
                let from = first + (high << shift);
                for (byte, own) in row.iter_mut().zip(&mut part[from..from + 64]) {
                    *byte = *own.get_mut();
                }
            }
            transpose(tile);
            for (high, row) in tile.iter().enumerate() {
                let from = first + (high << shift);
                for (byte, own) in row.iter().zip(&mut part[from..from + 64]) {
                    *own.get_mut() = *byte;
                }
            }
        }
    })?;
    Ok(())
}

/// Swaps rows and columns, in blocks of eight by eight.
fn transpose(tile: &mut Tile) {
    for i in (0..64).step_by(8) {
        for j in (i..64).step_by(8) {
            let upper = transposed(block(tile, i, j));
            let lower = transposed(block(tile, j, i));
            put(tile, j, i, upper);
            put(tile, i, j, lower);
        }
    }
}

/// Eight bytes of each of eight rows, the first byte of a row lowest.
fn block(tile: &Tile, row: usize, column: usize) -> [u64; 8] {
    std::array::from_fn(|i| {
        let bytes = &tile[row + i][column..column + 8];
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    })
}

fn put(tile: &mut Tile, row: usize, column: usize, block: [u64; 8]) {
    for (i, own) in block.into_iter().enumerate() {
        tile[row + i][column..column + 8].copy_from_slice(&own.to_le_bytes());
    }
}

/// Transposes an 8 by 8 block of bytes in three rounds of swaps (H. S. Warren, *Hacker's Delight*,
/// section 7-3).
fn transposed(mut rows: [u64; 8]) -> [u64; 8] {
    for (apart, mask) in [
        (4, 0x0000_0000_ffff_ffff),
        (2, 0x0000_ffff_0000_ffff),
        (1, 0x00ff_00ff_00ff_00ffu64),
    ] {
        let bits = 8 * apart;
        for i in (0..8).filter(|i| i & apart == 0) {
            let (low, high) = (rows[i], rows[i + apart]);
            rows[i] = low & mask | (high & mask) << bits;
            rows[i + apart] = low >> bits & mask | high & !mask;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn digits_are_swapped_and_swapped_back() {
        let run = Run::new(2, everymove_kernel::run::Ram::unlimited());
        for shift in [6, 12] {
            let byte = |number: usize| ((number * 2_654_435_761) >> 11) as u8;
            let mut bytes: Vec<AtomicU8> = (0..(3 * 64) << shift)
                .map(|number| AtomicU8::new(byte(number)))
                .collect();
            swap_digits(&mut bytes, shift, &run).unwrap();
            for (number, found) in bytes.iter().enumerate() {
                let (low, high) = (number & 63, number >> shift & 63);
                let was = number - low - (high << shift) + high + (low << shift);
                assert_eq!(found.load(Ordering::Relaxed), byte(was));
            }
            swap_digits(&mut bytes, shift, &run).unwrap();
            let same =
                |(number, found): (usize, &AtomicU8)| found.load(Ordering::Relaxed) == byte(number);
            assert!(bytes.iter().enumerate().all(same));
        }
    }
}
