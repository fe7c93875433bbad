//! The index of a sub-table's leading group: three pieces, two kings, or pawns, up to the
//! symmetries of the board.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use crate::position::geometry::{TRANSFORMED, attacks};
use crate::position::material::Kind;
use crate::syzygy::index::binomial::{binomial, combinations};

/// Placements of three different pieces, up to the eight symmetries of the board.
pub(crate) const THREE_PIECE_COUNT: u64 = 31_332;
/// Placements of two kings that are not adjacent, up to the eight symmetries of the board.
pub(crate) const KING_PAIR_COUNT: u64 = 462;

/// The squares of the triangle a1-d1-d4 in the order of their Syzygy index: the six below the
/// diagonal a1-h8, then the four on it.
const TRIANGLE: [u8; 10] = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27];

/// Where a square is relative to the diagonal a1-h8: below (0), on it (1), above (2).
fn side_of_diagonal(square: u8) -> u8 {
    match (square >> 3).cmp(&(square & 7)) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 2,
    }
}

fn on_diagonal(square: u8) -> bool {
    side_of_diagonal(square) == 1
}

/// The index of a square in [`TRIANGLE`].
fn triangle_index(square: u8) -> u64 {
    let index = TRIANGLE.iter().position(|&s| s == square);
    index.expect("the first square of a normalised placement is in the triangle") as u64
}

/// The index of a square among the 28 below the diagonal, counted rank by rank.
fn below_diagonal_index(square: u8) -> u64 {
    let (rank, file) = (u64::from(square >> 3), u64::from(square & 7));
    7 * rank - rank * rank.saturating_sub(1) / 2 + file - rank - 1
}

/// Transforms the squares of all pieces so that the first piece is in the triangle a1-d1-d4 and the
/// first of the `leading` pieces that is off the diagonal a1-h8 is below it.
pub(crate) fn normalise(squares: &mut [u8], leading: usize) {
    let mut symmetry = 0;
    if squares[0] & 7 > 3 {
        symmetry |= 1;
    }
    if squares[0] >> 3 > 3 {
        symmetry |= 2;
    }
    let images = &TRANSFORMED[symmetry];
    let side = |s: &u8| side_of_diagonal(images[usize::from(*s & 63)]);
    let off_diagonal = squares[..leading].iter().map(side).find(|&side| side != 1);
    if off_diagonal == Some(2) {
        symmetry |= 4;
    }
    let images = &TRANSFORMED[symmetry];
    for square in squares {
        *square = images[usize::from(*square & 63)];
    }
}

/// The index of a normalised placement of three different pieces.
fn three_piece_index(squares: [u8; 3]) -> u64 {
    let [a, b, c] = squares;
    // Each piece has only the squares that the pieces before it leave free.
    let before_b = u64::from(b > a);
    let before_c = u64::from(c > a) + u64::from(c > b);
    let rank = |s: u8| u64::from(s >> 3);
    if !on_diagonal(a) {
        triangle_index(a) * 63 * 62 + (u64::from(b) - before_b) * 62 + u64::from(c) - before_c
    } else if !on_diagonal(b) {
        6 * 63 * 62 + rank(a) * 28 * 62 + below_diagonal_index(b) * 62 + u64::from(c) - before_c
    } else if !on_diagonal(c) {
        6 * 63 * 62
            + 4 * 28 * 62
            + rank(a) * 7 * 28
            + (rank(b) - before_b) * 28
            + below_diagonal_index(c)
    } else {
        6 * 63 * 62
            + 4 * 28 * 62
            + 4 * 7 * 28
            + rank(a) * 7 * 6
            + (rank(b) - before_b) * 6
            + (rank(c) - before_c)
    }
}

/// A bijection between the normalised placements of a leading group of pieces and
/// `0..placements.len()`.
#[derive(Debug)]
pub(crate) struct LeadingIndex {
    /// By [`key`]: the index, or `u16::MAX`.
    indices: Vec<u16>,
    /// By index: the normalised squares; entries beyond the pieces are 0.
    pub(crate) placements: Vec<[u8; 4]>,
    /// The indices in rows that differ only in the last piece's square, which ascends.
    pub(crate) rows: Vec<Range<usize>>,
}

impl LeadingIndex {
    fn from_pairs(pieces: u32, pairs: impl Iterator<Item = (u64, [u8; 4])>) -> Self {
        let mut indices = vec![u16::MAX; 16 * 64usize.pow(pieces - 1)];
        let mut placements = Vec::new();
        for (index, squares) in pairs {
            let index = index as usize;
            if placements.len() <= index {
                placements.resize(index + 1, [u8::MAX; 4]);
            }
            placements[index] = squares;
            indices[key(&squares[..pieces as usize])] = index as u16;
        }
        let rest = pieces as usize - 1;
        let mut end = 0;
        let rows = placements.chunk_by(|a, b| a[..rest] == b[..rest]);
        let rows = rows.map(|row| {
            let start = end;
            end += row.len();
            start..end
        });
        Self {
            indices,
            rows: rows.collect(),
            placements,
        }
    }

    /// The index of a normalised placement; `None` if no position has it (two kings that are
    /// adjacent).
    #[inline]
    pub(crate) fn index(&self, squares: &[u8]) -> Option<u64> {
        let index = self.indices[key(squares)];
        (index != u16::MAX).then_some(u64::from(index))
    }
}

/// The normalised squares as a number: the first, which is one of the 16 from a1 to d4, then the
/// others in base 64.
#[inline]
fn key(squares: &[u8]) -> usize {
    let first = usize::from((squares[0] >> 3 & 3) << 2 | squares[0] & 3);
    let others = squares[1..].iter();
    others.fold(first, |key, &s| key << 6 | usize::from(s))
}

/// The placements of three different pieces.
pub(crate) static THREE_PIECES: LazyLock<LeadingIndex> = LazyLock::new(|| {
    let all =
        (0..64u8).flat_map(|a| (0..64u8).flat_map(move |b| (0..64u8).map(move |c| [a, b, c])));
    let normalised = all.filter(|&[a, b, c]| {
        let mut squares = [a, b, c];
        normalise(&mut squares, 3);
        a != b && a != c && b != c && squares == [a, b, c]
    });
    let pairs = normalised.map(|at| (three_piece_index(at), [at[0], at[1], at[2], 0]));
    LeadingIndex::from_pairs(3, pairs)
});

/// The placements of two kings: ordered by the first king's index in the triangle and the second
/// king's square; placements with both kings on the diagonal a1-h8 come after all others.
pub(crate) static TWO_KINGS: LazyLock<LeadingIndex> = LazyLock::new(|| {
    let mut pairs = Vec::new();
    for both_on_diagonal in [false, true] {
        for a in TRIANGLE {
            for b in 0..64u8 {
                let adjacent = a == b || attacks(Kind::King, 1 << a, 0) >> b & 1 != 0;
                let diagonal = on_diagonal(a) && on_diagonal(b);
                let mirrored = on_diagonal(a) && side_of_diagonal(b) == 2;
                if !adjacent && !mirrored && diagonal == both_on_diagonal {
                    pairs.push((pairs.len() as u64, [a, b, 0, 0]));
                }
            }
        }
    }
    LeadingIndex::from_pairs(2, pairs.into_iter())
});

/// The rank of a pawn's square among the 48: 47 for a2, 46 for h2, 45 for a3, ..., 0 for e7.
///
/// Files nearer to the edge of the board rank higher, and within a file the squares nearer to the
/// first rank.
pub(crate) fn pawn_rank(square: u8) -> u64 {
    let (file, rank) = (u64::from(square & 7), u64::from(square >> 3));
    let (file, right) = if file > 3 { (7 - file, 1) } else { (file, 0) };
    47 - (12 * file + 2 * (rank - 1) + right)
}

/// The square with a rank; the inverse of [`pawn_rank`].
fn pawn_square(rank: u64) -> u8 {
    let index = (47 - rank) as u8;
    let (file, row, right) = (index / 12, index % 12 / 2, index % 2);
    8 * (row + 1) + if right == 1 { 7 - file } else { file }
}

/// Puts the leading pawn (that of the highest [`pawn_rank`] among the first `leading` squares)
/// first, mirrors all squares if it is on files e to h, and sorts the other `leading` pawns by
/// rank. Returns the leading pawn's file, 0 (a) to 3 (d).
pub(crate) fn normalise_pawns(squares: &mut [u8], leading: usize) -> usize {
    let first = (0..leading)
        .max_by_key(|&i| pawn_rank(squares[i]))
        .unwrap_or(0);
    squares.swap(0, first);
    if squares[0] & 7 > 3 {
        for square in squares.iter_mut() {
            *square ^= 7;
        }
    }
    squares[1..leading].sort_unstable_by_key(|&s| pawn_rank(s));
    usize::from(squares[0] & 7)
}

/// The index of normalised leading pawns among the placements with the leading pawn on the same
/// file.
pub(crate) fn leading_pawn_index(squares: &[u8]) -> u64 {
    let others = squares.len() as u64 - 1;
    let file = squares[0] & 7;
    // Placements whose leading pawn is on a lower rank of the board come before.
    let lower = (1..squares[0] >> 3).map(|rank| pawn_rank(rank * 8 + file));
    let before: u64 = lower.map(|rank| binomial(rank, others)).sum();
    let rest = squares.iter().enumerate().skip(1);
    let rest = rest.map(|(i, &s)| binomial(pawn_rank(s), i as u64));
    before + rest.sum::<u64>()
}

/// The number of placements of `pawns` leading pawns (1 to 4) with the leading one on a file (0 to
/// 3).
pub(crate) fn leading_pawn_count(pawns: usize, file: usize) -> u64 {
    let first = (1..7u8).map(|rank| pawn_rank(rank * 8 + file as u8));
    first.map(|rank| binomial(rank, pawns as u64 - 1)).sum()
}

/// All placements of `pawns` leading pawns (1 to 4) with the leading one on a file (0 to 3), by
/// index; computed once.
pub(crate) fn pawn_placements(pawns: usize, file: usize) -> &'static [[u8; 4]] {
    static ALL: [[OnceLock<Vec<[u8; 4]>>; 4]; 4] = [const { [const { OnceLock::new() }; 4] }; 4];
    ALL[pawns - 1][file].get_or_init(|| all_pawn_placements(pawns, file))
}

fn all_pawn_placements(pawns: usize, file: usize) -> Vec<[u8; 4]> {
    let others = pawns - 1;
    let mut placements = Vec::new();
    for rank in 1..7u8 {
        let first = rank * 8 + file as u8;
        let count = binomial(pawn_rank(first), others as u64) as usize;
        for combination in &combinations(others)[..count] {
            let mut squares = [first, 0, 0, 0];
            for (square, &rank) in squares[1..].iter_mut().zip(&combination[..others]) {
                *square = pawn_square(u64::from(rank));
            }
            placements.push(squares);
        }
    }
    placements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_indices_have_no_gaps() {
        for row in &THREE_PIECES.rows {
            assert!(THREE_PIECES.placements[row.clone()].is_sorted_by(|a, b| a[2] < b[2]));
        }
        assert_eq!(THREE_PIECES.placements.len() as u64, THREE_PIECE_COUNT);
        assert_eq!(TWO_KINGS.placements.len() as u64, KING_PAIR_COUNT);
        for leading in [&*THREE_PIECES, &*TWO_KINGS] {
            assert!(leading.placements.iter().all(|at| at[0] != u8::MAX));
            assert_eq!(leading.rows.last().unwrap().end, leading.placements.len());
        }
    }

    #[test]
    fn pawn_placements_have_their_own_index() {
        for pawns in 1..=4 {
            for file in 0..4 {
                let placements = pawn_placements(pawns, file);
                assert_eq!(placements.len() as u64, leading_pawn_count(pawns, file));
                for (index, squares) in placements.iter().enumerate() {
                    let mut normal = *squares;
                    assert_eq!(normalise_pawns(&mut normal[..pawns], pawns), file);
                    assert_eq!(normal, *squares);
                    assert_eq!(leading_pawn_index(&squares[..pawns]), index as u64);
                }
            }
        }
        assert_eq!(pawn_rank(8), 47);
        assert_eq!(pawn_rank(15), 46);
        assert_eq!(pawn_rank(52), 0);
    }
}
