//! Rows: 64 values, by square of the word piece, and their minimum over moves.

use crate::position::geometry::{Symmetry, TRANSFORMED};
use crate::position::material::Kind;

/// Values by square of the word piece.
pub(super) type Row = [u8; 64];

/// The value that changes no minimum: that of illegal positions.
pub(super) const NEUTRAL: u8 = 255;

/// A rank of eight neutral values.
const NEUTRAL_RANK: u64 = u64::MAX;

/// Eight bits as eight bytes, 0 or 255.
static BYTES_OF_BITS: [u64; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut bit = 0;
        while bit < 8 {
            if bits >> bit & 1 != 0 {
                table[bits] |= 0xff << (8 * bit);
            }
            bit += 1;
        }
        bits += 1;
    }
    table
};

/// Returns a set of squares as ranks of bytes: 255 for its members, 0 for the others.
#[inline]
fn mask_ranks(set: u64) -> [u64; 8] {
    std::array::from_fn(|rank| BYTES_OF_BITS[usize::from((set >> (8 * rank)) as u8)])
}

#[inline]
fn to_ranks(row: &Row) -> [u64; 8] {
    let (ranks, _) = row.as_chunks::<8>();
    std::array::from_fn(|rank| u64::from_le_bytes(ranks[rank]))
}

#[inline]
fn from_ranks(ranks: &[u64; 8]) -> Row {
    let mut row = [0; 64];
    for (to, rank) in row.as_chunks_mut::<8>().0.iter_mut().zip(ranks) {
        *to = rank.to_le_bytes();
    }
    row
}

/// Replaces each value of a row by that of another row if this is smaller.
#[inline]
pub(super) fn merge(row: &mut Row, other: &Row) {
    for (value, other) in row.iter_mut().zip(other) {
        *value = (*value).min(*other);
    }
}

/// As [`merge`] for the squares that are not in `except`.
#[inline]
pub(super) fn merge_except(row: &mut Row, other: &Row, except: u64) {
    let mask = from_ranks(&mask_ranks(except));
    for ((value, other), mask) in row.iter_mut().zip(other).zip(&mask) {
        *value = (*value).min(*other | mask);
    }
}

/// As [`merge`], the other row being indexed by the images of the squares under a symmetry.
#[inline]
pub(super) fn merge_turned(row: &mut Row, other: &Row, symmetry: Symmetry) {
    let images = &TRANSFORMED[usize::from(symmetry)];
    for (value, &image) in row.iter_mut().zip(images) {
        *value = (*value).min(other[usize::from(image & 63)]);
    }
}

/// Merges, for each square, the values of the squares that the word piece reaches from it. The
/// values of the occupied squares are [`NEUTRAL`].
pub(super) fn merge_moves(row: &mut Row, kind: Kind, values: &Row, occupied: u64) {
    let values = to_ranks(values);
    let mut best = to_ranks(row);
    match kind {
        Kind::King => leap(&mut best, &values, &KING),
        Kind::Knight => leap(&mut best, &values, &KNIGHT),
        Kind::Rook => straight(&mut best, &values, &mask_ranks(occupied)),
        Kind::Bishop => diagonal(&mut best, &values, &mask_ranks(occupied)),
        Kind::Queen => {
            let blocked = mask_ranks(occupied);
            straight(&mut best, &values, &blocked);
            diagonal(&mut best, &values, &blocked);
        }
        Kind::Pawn => unreachable!("a pawn is no word piece"),
    }
    *row = from_ranks(&best);
}

/// Ranks and files of the steps of a leaper.
type Leaps = [(i8, i8); 8];

const KING: Leaps = [
    (1, -1),
    (1, 0),
    (1, 1),
    (0, -1),
    (0, 1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];
const KNIGHT: Leaps = [
    (2, -1),
    (2, 1),
    (1, -2),
    (1, 2),
    (-1, -2),
    (-1, 2),
    (-2, -1),
    (-2, 1),
];

#[inline]
fn min(one: u64, other: u64) -> u64 {
    let (one, other) = (one.to_le_bytes(), other.to_le_bytes());
    u64::from_le_bytes(std::array::from_fn(|i| one[i].min(other[i])))
}

/// Returns, for each file, the value of the file that many files to the east, neutral beyond the
/// edge.
#[inline]
fn from_east(rank: u64, files: i8) -> u64 {
    let shift = 8 * u32::from(files.unsigned_abs());
    match files {
        0 => rank,
        1.. => rank >> shift | NEUTRAL_RANK << (64 - shift),
        _ => rank << shift | NEUTRAL_RANK >> (64 - shift),
    }
}

#[inline]
fn leap(best: &mut [u64; 8], values: &[u64; 8], leaps: &Leaps) {
    for &(up, east) in leaps {
        for (from, best) in (0i8..).zip(best.iter_mut()) {
            let to = from + up;
            if (0..8).contains(&to) {
                *best = min(*best, from_east(values[to as usize], east));
            }
        }
    }
}

/// Merges the values on the rays that lead a rank up and down at each step and `east` files to the
/// east.
#[inline]
fn vertical(best: &mut [u64; 8], values: &[u64; 8], blocked: &[u64; 8], east: i8) {
    for up in [true, false] {
        let mut beyond = NEUTRAL_RANK;
        for place in 1..8 {
            let (from, to) = match up {
                true => (7 - place, 8 - place),
                false => (place, place - 1),
            };
            beyond = from_east(min(values[to], beyond | blocked[to]), east);
            best[from] = min(best[from], beyond);
        }
    }
}

fn diagonal(best: &mut [u64; 8], values: &[u64; 8], blocked: &[u64; 8]) {
    vertical(best, values, blocked, 1);
    vertical(best, values, blocked, -1);
}

fn straight(best: &mut [u64; 8], values: &[u64; 8], blocked: &[u64; 8]) {
    vertical(best, values, blocked, 0);
    for rank in 0..8 {
        for sign in [1, -1] {
            // Kogge and Stone: rays of 1, 2, 4 and 8 squares.
            let (mut ray, mut stop) = (values[rank], blocked[rank]);
            for files in [sign, 2 * sign, 4 * sign] {
                ray = min(ray, from_east(ray, files) | stop);
                stop |= from_east(stop, files);
            }
            best[rank] = min(best[rank], from_east(ray, sign));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::position::geometry::{attacks, squares, transform};

    proptest! {
        /// Minima over moves agree with the squares that a piece attacks from each square.
        #[test]
        fn minima_are_those_of_the_attacked_squares(
            bytes in proptest::collection::vec(any::<u8>(), 64),
            some: u64,
            more: u64,
        ) {
            let occupied = some & more;
            let mut values: Row = bytes.try_into().unwrap();
            for square in squares(occupied) {
                values[usize::from(square)] = NEUTRAL;
            }
            for kind in [Kind::King, Kind::Queen, Kind::Rook, Kind::Bishop, Kind::Knight] {
                let mut row = [200; 64];
                merge_moves(&mut row, kind, &values, occupied);
                for from in 0..64u8 {
                    let targets = attacks(kind, 1 << from, !occupied) & !occupied;
                    let least = squares(targets).map(|to| values[usize::from(to)]).min();
                    let expected = least.unwrap_or(NEUTRAL).min(200);
                    prop_assert_eq!(row[usize::from(from)], expected, "{:?} {}", kind, from);
                }
            }
        }

        /// Merging under a symmetry and with exceptions agrees with doing so square by square.
        #[test]
        fn rows_are_merged_square_by_square(
            bytes in proptest::collection::vec(any::<u8>(), 128),
            except: u64,
        ) {
            let values: Row = bytes[..64].try_into().unwrap();
            let start: Row = bytes[64..].try_into().unwrap();
            let mut row = start;
            merge_except(&mut row, &values, except);
            for square in 0..64 {
                let kept = except >> square & 1 != 0;
                let expected = if kept { start[square] } else { start[square].min(values[square]) };
                prop_assert_eq!(row[square], expected);
            }
            for symmetry in 0..8 {
                let mut row = start;
                merge_turned(&mut row, &values, symmetry);
                for square in 0..64u8 {
                    let value = values[usize::from(transform(square, symmetry))];
                    let at = usize::from(square);
                    prop_assert_eq!(row[at], start[at].min(value));
                }
            }
        }
    }
}
