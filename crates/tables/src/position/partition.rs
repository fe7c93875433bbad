//! Partitions of a pawnless subspace into chunks that a group of moves never leaves.
//!
//! The defender's moves change neither the class of the attacker's king's square nor that of an
//! attacker's piece, whichever symmetry leads to the canonical form: a class is a square up to the
//! eight symmetries, and there are ten.

use crate::position::geometry::transform;
use crate::position::index_space::{IndexSpace, KINGS};

/// The piece whose square, up to symmetry, is the same all over a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FixedPiece {
    /// None: there is one chunk.
    Nothing,
    /// The attacker's king: a chunk is closed under all moves but this king's.
    AttackerKing,
    /// The attacker's first piece: a chunk is closed under all moves but this piece's.
    FirstPiece,
    /// The defender's king: a chunk is closed under all of the attacker's moves.
    DefenderKing,
}

/// The words of a subspace in chunks.
///
/// The unit is a segment: a power of two of consecutive words, which are also consecutive in their
/// chunk.
#[derive(Debug)]
pub(crate) struct Partition {
    pub(crate) fixed: FixedPiece,
    pub(crate) chunks: usize,
    /// Logarithm of the number of words of a segment.
    bits: u32,
    /// By segment: its chunk, and the position of its first word within the chunk.
    owners: Vec<u8>,
    locals: Vec<u32>,
    /// By chunk: the first words of its segments, ascending.
    firsts: Vec<Vec<u32>>,
}

impl Partition {
    pub(crate) fn new(space: &IndexSpace, fixed: FixedPiece, words: usize) -> Self {
        // Words of a slice; a small subspace is one chunk, partition or not.
        let slice = 6 * (space.free as u32).saturating_sub(1);
        let (chunks, bits) = match fixed {
            FixedPiece::Nothing => (1, words.trailing_zeros()),
            FixedPiece::AttackerKing | FixedPiece::DefenderKing => (10, slice),
            FixedPiece::FirstPiece => (10, slice - 6),
        };
        let classes = classes();
        let mut partition = Self {
            fixed,
            chunks,
            bits,
            owners: Vec::new(),
            locals: Vec::new(),
            firsts: vec![Vec::new(); chunks],
        };
        for first in (0..words).step_by(1 << bits) {
            let kings = || KINGS.pairs[first >> slice];
            let owner = match fixed {
                FixedPiece::Nothing => 0,
                FixedPiece::AttackerKing => classes[usize::from(kings().0)],
                FixedPiece::DefenderKing => classes[usize::from(kings().1)],
                FixedPiece::FirstPiece => classes[first >> bits & 63],
            };
            let firsts = &mut partition.firsts[usize::from(owner)];
            partition.owners.push(owner);
            partition.locals.push((firsts.len() << bits) as u32);
            firsts.push(first as u32);
        }
        partition
    }

    /// Returns the chunk of a word.
    #[inline]
    pub(crate) fn chunk(&self, word: usize) -> usize {
        usize::from(self.owners[word >> self.bits])
    }

    /// Returns the number of words of a chunk.
    pub(crate) fn len(&self, chunk: usize) -> usize {
        self.firsts[chunk].len() << self.bits
    }

    /// Returns the position of a word within its chunk; ascends with the word.
    #[inline]
    pub(crate) fn local(&self, word: usize) -> usize {
        self.locals[word >> self.bits] as usize + self.within(word)
    }

    /// Returns the word at a position within a chunk.
    #[inline]
    pub(crate) fn word(&self, chunk: usize, local: usize) -> usize {
        self.firsts[chunk][local >> self.bits] as usize + self.within(local)
    }

    /// Returns the offset of a word within its segment.
    #[inline]
    fn within(&self, number: usize) -> usize {
        number & ((1 << self.bits) - 1)
    }

    /// Logarithm of the number of words of a segment.
    pub(crate) fn segment_bits(&self) -> u32 {
        self.bits
    }
}

/// Returns the number of words of the largest chunk.
pub(crate) fn largest_chunk(partitions: &[Partition; 2]) -> usize {
    let chunks = |partition: &Partition| {
        (0..partition.chunks)
            .map(|c| partition.len(c))
            .max()
            .unwrap_or(0)
    };
    let second = if partitions[0].fixed == FixedPiece::Nothing {
        0
    } else {
        chunks(&partitions[1])
    };
    chunks(&partitions[0]).max(second)
}

/// Returns the class of each square up to symmetry.
fn classes() -> [u8; 64] {
    let least = |s: u8| (0..8).map(|m| transform(s, m)).min().unwrap_or(s);
    let mut classes = [0; 64];
    let mut found = 0;
    for s in 0..64 {
        classes[usize::from(s)] = if least(s) == s {
            found += 1;
            found - 1
        } else {
            classes[usize::from(least(s))]
        };
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::material::Material;

    #[test]
    fn chunks_part_the_words_and_keep_their_order() {
        let material: Material = "KRvKB".parse().unwrap();
        let space = IndexSpace::new(&material.halves()[0]);
        let words = space.len() / 64;
        for fixed in [
            FixedPiece::Nothing,
            FixedPiece::AttackerKing,
            FixedPiece::FirstPiece,
            FixedPiece::DefenderKing,
        ] {
            let partition = Partition::new(&space, fixed, words);
            let mut next = vec![0; partition.chunks];
            for word in 0..words {
                let (chunk, local) = (partition.chunk(word), partition.local(word));
                assert_eq!(local, next[chunk], "{fixed:?} {word}");
                assert_eq!(partition.word(chunk, local), word);
                next[chunk] += 1;
            }
            for (chunk, &count) in next.iter().enumerate() {
                assert_eq!(partition.len(chunk), count, "{fixed:?} {chunk}");
            }
        }
    }
}
