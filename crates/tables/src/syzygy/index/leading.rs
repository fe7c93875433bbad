//! The numbers of a sub-table's leading group: three men, two kings, or pawns, up to the symmetries of the board.

use std::sync::{LazyLock, OnceLock};

use crate::position::geometry::{attacks, transform};
use crate::position::material::Kind;
use crate::syzygy::index::binomial::{binomial, combinations};

/// Placements of three different men, up to the eight symmetries.
pub(crate) const THREE: u64 = 31_332;
/// Placements of two kings that do not touch.
pub(crate) const KINGS: u64 = 462;

/// The squares a1-d1-d4 as Syzygy counts them: the six below the diagonal, then the four on it.
const TRIANGLE: [u8; 10] = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27];

/// How many squares of which side of the diagonal a square is on: below (0), on it (1), above (2).
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

/// The place of a square of the triangle.
fn in_triangle(square: u8) -> u64 {
    let place = TRIANGLE.iter().position(|&s| s == square);
    place.expect("normalised squares begin in the triangle") as u64
}

/// The 28 squares below the diagonal, row by row.
fn below_diagonal(square: u8) -> u64 {
    let (row, file) = (u64::from(square >> 3), u64::from(square & 7));
    7 * row - row * row.saturating_sub(1) / 2 + file - row - 1
}

/// Turns and mirrors men so that the first stands in the triangle a1-d1-d4 and, of the leading men, the first that is off
/// the diagonal is below it.
pub(crate) fn normalise(at: &mut [u8], leading: usize) {
    let mut m = 0;
    if at[0] & 7 > 3 {
        m |= 1;
    }
    if at[0] >> 3 > 3 {
        m |= 2;
    }
    let turned = |s: &u8| side_of_diagonal(transform(*s, m));
    let off = at[..leading].iter().map(turned).find(|&side| side != 1);
    if off == Some(2) {
        m |= 4;
    }
    for square in at {
        *square = transform(*square, m);
    }
}

/// The number of three normalised men.
fn number_of_three(at: [u8; 3]) -> u64 {
    let [a, b, c] = at;
    let beyond_b = u64::from(b > a);
    let beyond_c = u64::from(c > a) + u64::from(c > b);
    let row = |s: u8| u64::from(s >> 3);
    if !on_diagonal(a) {
        in_triangle(a) * 63 * 62 + (u64::from(b) - beyond_b) * 62 + u64::from(c) - beyond_c
    } else if !on_diagonal(b) {
        6 * 63 * 62 + row(a) * 28 * 62 + below_diagonal(b) * 62 + u64::from(c) - beyond_c
    } else if !on_diagonal(c) {
        6 * 63 * 62 + 4 * 28 * 62 + row(a) * 7 * 28 + (row(b) - beyond_b) * 28 + below_diagonal(c)
    } else {
        6 * 63 * 62
            + 4 * 28 * 62
            + 4 * 7 * 28
            + row(a) * 7 * 6
            + (row(b) - beyond_b) * 6
            + (row(c) - beyond_c)
    }
}

/// A numbering of some men: from squares in base 64 to the number, and back.
#[derive(Debug)]
pub(crate) struct Numbering {
    /// By normalised squares.
    numbers: Vec<u32>,
    /// By number.
    pub(crate) squares: Vec<[u8; 4]>,
}

impl Numbering {
    fn from_pairs(men: u32, pairs: impl Iterator<Item = (u64, [u8; 4])>) -> Self {
        let mut numbers = vec![u32::MAX; 64usize.pow(men)];
        let mut squares = Vec::new();
        for (number, at) in pairs {
            let number = number as usize;
            if squares.len() <= number {
                squares.resize(number + 1, [u8::MAX; 4]);
            }
            squares[number] = at;
            numbers[key(&at[..men as usize])] = number as u32;
        }
        Self { numbers, squares }
    }

    /// The number of normalised men; none if no position has them (kings that touch).
    #[inline]
    pub(crate) fn number(&self, at: &[u8]) -> Option<u64> {
        let number = self.numbers[key(at)];
        (number != u32::MAX).then_some(u64::from(number))
    }
}

fn key(at: &[u8]) -> usize {
    at.iter().fold(0, |key, &s| key << 6 | usize::from(s))
}

/// All numbers of three different men.
pub(crate) static OF_THREE: LazyLock<Numbering> = LazyLock::new(|| {
    let all =
        (0..64u8).flat_map(|a| (0..64u8).flat_map(move |b| (0..64u8).map(move |c| [a, b, c])));
    let normalised = all.filter(|&[a, b, c]| {
        let mut at = [a, b, c];
        normalise(&mut at, 3);
        a != b && a != c && b != c && at == [a, b, c]
    });
    let pairs = normalised.map(|at| (number_of_three(at), [at[0], at[1], at[2], 0]));
    Numbering::from_pairs(3, pairs)
});

/// All numbers of two kings: by the first king's place in the triangle and the second king's square, those with both on
/// the diagonal after all others.
pub(crate) static OF_KINGS: LazyLock<Numbering> = LazyLock::new(|| {
    let mut pairs = Vec::new();
    for both_on_diagonal in [false, true] {
        for a in TRIANGLE {
            for b in 0..64u8 {
                let touch = a == b || attacks(Kind::King, 1 << a, 0) >> b & 1 != 0;
                let diagonal = on_diagonal(a) && on_diagonal(b);
                let mirrored = on_diagonal(a) && side_of_diagonal(b) == 2;
                if !touch && !mirrored && diagonal == both_on_diagonal {
                    pairs.push((pairs.len() as u64, [a, b, 0, 0]));
                }
            }
        }
    }
    Numbering::from_pairs(2, pairs.into_iter())
});

/// How pawns' squares are ranked: the file nearest the edge first, and in a file the rank nearest to the own side.
///
/// 47 for a2, 46 for h2, 45 for a3, ..., 0 for e7.
pub(crate) fn pawn_rank(square: u8) -> u64 {
    let (file, rank) = (u64::from(square & 7), u64::from(square >> 3));
    let (file, right) = if file > 3 { (7 - file, 1) } else { (file, 0) };
    47 - (12 * file + 2 * (rank - 1) + right)
}

/// The square of a pawn's rank.
fn pawn_square(rank: u64) -> u8 {
    let place = (47 - rank) as u8;
    let (file, row, right) = (place / 12, place % 12 / 2, place % 2);
    8 * (row + 1) + if right == 1 { 7 - file } else { file }
}

/// Puts the leading pawn first (the one of the highest rank), mirrors all men if it is on the right, and orders the other
/// leading pawns by rank. Gives the leading pawn's file, 0 to 3.
pub(crate) fn normalise_pawns(at: &mut [u8], leading: usize) -> usize {
    let first = (0..leading).max_by_key(|&i| pawn_rank(at[i])).unwrap_or(0);
    at.swap(0, first);
    if at[0] & 7 > 3 {
        for square in at.iter_mut() {
            *square ^= 7;
        }
    }
    at[1..leading].sort_unstable_by_key(|&s| pawn_rank(s));
    usize::from(at[0] & 7)
}

/// The number of normalised leading pawns among those with the same file.
pub(crate) fn number_of_pawns(at: &[u8]) -> u64 {
    let others = at.len() as u64 - 1;
    let file = at[0] & 7;
    let nearer = (1..at[0] >> 3).map(|rank| pawn_rank(rank * 8 + file));
    let before: u64 = nearer.map(|rank| binomial(rank, others)).sum();
    let rest = at.iter().enumerate().skip(1);
    before
        + rest
            .map(|(i, &s)| binomial(pawn_rank(s), i as u64))
            .sum::<u64>()
}

/// How many placements of `men` leading pawns (1 to 4) there are with the first on a file (0 to 3).
pub(crate) fn leading_pawn_count(men: usize, file: usize) -> u64 {
    let first = (1..7u8).map(|rank| pawn_rank(rank * 8 + file as u8));
    first.map(|rank| binomial(rank, men as u64 - 1)).sum()
}

/// All placements of `men` leading pawns (1 to 4) with the first on a file (0 to 3), by index; computed once.
pub(crate) fn pawn_placements(men: usize, file: usize) -> &'static [[u8; 4]] {
    static ALL: [[OnceLock<Vec<[u8; 4]>>; 4]; 4] = [const { [const { OnceLock::new() }; 4] }; 4];
    ALL[men - 1][file].get_or_init(|| all_pawn_placements(men, file))
}

fn all_pawn_placements(men: usize, file: usize) -> Vec<[u8; 4]> {
    let others = men - 1;
    let mut placements = Vec::new();
    for rank in 1..7u8 {
        let first = rank * 8 + file as u8;
        let count = binomial(pawn_rank(first), others as u64) as usize;
        let combinations = combinations(others);
        for combination in &combinations[..count] {
            let mut at = [first, 0, 0, 0];
            for (square, &place) in at[1..].iter_mut().zip(&combination[..others]) {
                *square = pawn_square(u64::from(place));
            }
            placements.push(at);
        }
    }
    placements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_gaps() {
        assert_eq!(OF_THREE.squares.len() as u64, THREE);
        assert_eq!(OF_KINGS.squares.len() as u64, KINGS);
        for numbering in [&*OF_THREE, &*OF_KINGS] {
            assert!(numbering.squares.iter().all(|at| at[0] != u8::MAX));
        }
    }

    #[test]
    fn pawns_are_numbered_and_found_again() {
        for men in 1..=3 {
            for file in 0..4 {
                for (number, at) in pawn_placements(men, file).iter().enumerate() {
                    let mut normal = *at;
                    assert_eq!(normalise_pawns(&mut normal[..men], men), file);
                    assert_eq!(normal, *at);
                    assert_eq!(number_of_pawns(&at[..men]), number as u64);
                }
            }
        }
        assert_eq!(pawn_rank(8), 47);
        assert_eq!(pawn_rank(15), 46);
        assert_eq!(pawn_rank(52), 0);
    }
}
