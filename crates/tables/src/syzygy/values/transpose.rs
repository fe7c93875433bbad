//! Two digits of numbers in base 64 exchanged, in place: what lies far apart comes to lie side by side.

use std::sync::Mutex;
use std::sync::atomic::AtomicU8;

use everymove_kernel::run::{Run, Stopped};

use crate::parallel::in_parallel;

/// Bytes that differ in two digits.
type Tile = [[u8; 64]; 64];

/// Exchanges the lowest six bits of all numbers with the six from `shift` on. `shift` is a multiple of six, not 0; the bytes
/// are a multiple of `64 << shift`.
pub(crate) fn exchange_digits(
    bytes: &mut [AtomicU8],
    shift: usize,
    run: &Run,
) -> Result<(), Stopped> {
    let parts: Vec<Mutex<&mut [AtomicU8]>> =
        bytes.chunks_mut(64 << shift).map(Mutex::new).collect();
    let tile = || Box::new([[0; 64]; 64]);
    in_parallel(&parts, run, tile, |tile, part| {
        let mut part = part.lock().unwrap_or_else(|e| e.into_inner());
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

/// Exchanges rows and columns, eight by eight.
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

/// Eight bytes of each of eight rows.
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

/// Exchanges halves, quarters and eighths of rows with those beside the diagonal (Warren, *Hacker's Delight*, 7-3).
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
    fn digits_change_places_and_back() {
        let run = Run::new(2, everymove_kernel::run::Ram::unlimited());
        for shift in [6, 12] {
            let byte = |number: usize| ((number * 2_654_435_761) >> 11) as u8;
            let mut bytes: Vec<AtomicU8> = (0..(3 * 64) << shift)
                .map(|number| AtomicU8::new(byte(number)))
                .collect();
            exchange_digits(&mut bytes, shift, &run).unwrap();
            for (number, found) in bytes.iter().enumerate() {
                let (low, high) = (number & 63, number >> shift & 63);
                let was = number - low - (high << shift) + high + (low << shift);
                assert_eq!(found.load(Ordering::Relaxed), byte(was));
            }
            exchange_digits(&mut bytes, shift, &run).unwrap();
            let same =
                |(number, found): (usize, &AtomicU8)| found.load(Ordering::Relaxed) == byte(number);
            assert!(bytes.iter().enumerate().all(same));
        }
    }
}
