//! How a frame without pawns is cut into chunks that a group of moves never leaves.
//!
//! Black's moves leave neither the class of the attacker's king nor that of an attacker's piece, whichever symmetry brings
//! a position to its numbered form: a class is a square up to the eight symmetries, and there are ten.

use crate::geometry::transform;
use crate::space::{KINGS, Space};

/// What stays where it is in a chunk, up to symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Still {
    /// Nothing: one chunk.
    Nothing,
    /// The attacker's king: closed under all moves but this king's.
    AttackerKing,
    /// The attacker's first piece: closed under all moves but this piece's.
    FirstPiece,
    /// The defender's king: closed under all of the attacker's moves.
    DefenderKing,
}

/// A frame's words in chunks.
#[derive(Debug)]
pub(crate) struct Cut {
    pub(crate) still: Still,
    pub(crate) chunks: usize,
    /// By slice, for kings: its chunk and the number of slices of the chunk before it.
    slices: Vec<(u8, u16)>,
    /// By chunk: its slices, for kings.
    members: Vec<Vec<u16>>,
    /// Words of a slice, a power of two: its logarithm.
    slice_bits: u32,
    /// By the first piece's square: its class and its rank among the squares of the class.
    squares: [(u8, u8); 64],
    orbits: Vec<Vec<u8>>,
    words: usize,
}

impl Cut {
    pub(crate) fn new(space: &Space, still: Still, words: usize) -> Self {
        let (squares, orbits) = classes();
        let mut slices = Vec::new();
        let mut members = vec![Vec::new(); orbits.len()];
        if matches!(still, Still::AttackerKing | Still::DefenderKing) {
            for (slice, &(a, d)) in KINGS.pairs.iter().enumerate() {
                let king = if still == Still::AttackerKing { a } else { d };
                let class = squares[usize::from(king)].0;
                let class_members: &mut Vec<u16> = &mut members[usize::from(class)];
                slices.push((class, class_members.len() as u16));
                class_members.push(slice as u16);
            }
        }
        let slice_bits = if space.pawns == 0 && space.free > 0 {
            6 * (space.free as u32 - 1)
        } else {
            0
        };
        Self {
            still,
            chunks: if still == Still::Nothing {
                1
            } else {
                orbits.len()
            },
            slices,
            members,
            slice_bits,
            squares,
            orbits,
            words,
        }
    }

    /// The chunk of a word.
    #[inline]
    pub(crate) fn chunk(&self, word: usize) -> usize {
        match self.still {
            Still::Nothing => 0,
            Still::AttackerKing | Still::DefenderKing => {
                usize::from(self.slices[word >> self.slice_bits].0)
            }
            Still::FirstPiece => usize::from(self.squares[parts(word, self.row_bits()).0 & 63].0),
        }
    }

    /// Words of a chunk; local numbers are below it.
    pub(crate) fn len(&self, chunk: usize) -> usize {
        match self.still {
            Still::Nothing => self.words,
            Still::AttackerKing | Still::DefenderKing => {
                self.members[chunk].len() << self.slice_bits
            }
            Still::FirstPiece => (KINGS.pairs.len() * self.orbits[chunk].len()) << self.row_bits(),
        }
    }

    /// A word's number within its chunk; ascends with the word.
    #[inline]
    pub(crate) fn local(&self, word: usize) -> usize {
        match self.still {
            Still::Nothing => word,
            Still::AttackerKing | Still::DefenderKing => {
                let (slice, rest) = parts(word, self.slice_bits);
                usize::from(self.slices[slice].1) << self.slice_bits | rest
            }
            Still::FirstPiece => {
                let (slice, _) = parts(word, self.slice_bits);
                let (first, rest) = parts(word, self.row_bits());
                let (class, rank) = self.squares[first & 63];
                let orbit = self.orbits[usize::from(class)].len();
                (slice * orbit + usize::from(rank)) << self.row_bits() | rest
            }
        }
    }

    /// The word with a local number.
    #[inline]
    pub(crate) fn word(&self, chunk: usize, local: usize) -> usize {
        match self.still {
            Still::Nothing => local,
            Still::AttackerKing | Still::DefenderKing => {
                let (rank, rest) = parts(local, self.slice_bits);
                usize::from(self.members[chunk][rank]) << self.slice_bits | rest
            }
            Still::FirstPiece => {
                let orbit = &self.orbits[chunk];
                let (row, rest) = parts(local, self.row_bits());
                let (slice, rank) = (row / orbit.len(), row % orbit.len());
                slice << self.slice_bits | usize::from(orbit[rank]) << self.row_bits() | rest
            }
        }
    }

    /// The logarithm of the words of a slice in which the first piece stays; 0 if the first piece is the word man.
    fn row_bits(&self) -> u32 {
        self.slice_bits.saturating_sub(6)
    }

    /// The logarithm of how many words from a multiple of that many on are neighbours in every chunk.
    pub(crate) fn stretch_bits(&self) -> u32 {
        match self.still {
            Still::Nothing => usize::BITS - 1 - self.words.leading_zeros(),
            Still::AttackerKing | Still::DefenderKing => self.slice_bits,
            Still::FirstPiece => self.row_bits(),
        }
    }
}

/// What is above so many bits of a number, and those bits.
#[inline]
fn parts(number: usize, bits: u32) -> (usize, usize) {
    (number >> bits, number & ((1 << bits) - 1))
}

/// Words of the largest chunk that is visited.
pub(crate) fn largest(cuts: &[Cut; 2]) -> usize {
    let chunks = |cut: &Cut| (0..cut.chunks).map(|c| cut.len(c)).max().unwrap_or(0);
    let second = if cuts[0].still == Still::Nothing {
        0
    } else {
        chunks(&cuts[1])
    };
    chunks(&cuts[0]).max(second)
}

/// The squares up to symmetry: by square its class and rank in it, and the squares of each class.
fn classes() -> ([(u8, u8); 64], Vec<Vec<u8>>) {
    let mut squares = [(0, 0); 64];
    let mut orbits: Vec<Vec<u8>> = Vec::new();
    for s in 0..64u8 {
        let least = (0..8).map(|m| transform(s, m)).min().unwrap_or(s);
        if least == s {
            let mut orbit: Vec<_> = (0..8).map(|m| transform(s, m)).collect();
            orbit.sort_unstable();
            orbit.dedup();
            for (rank, &member) in orbit.iter().enumerate() {
                squares[usize::from(member)] = (orbits.len() as u8, rank as u8);
            }
            orbits.push(orbit);
        }
    }
    (squares, orbits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Material;

    #[test]
    fn chunks_part_the_words_and_keep_their_order() {
        let material: Material = "KRvKB".parse().unwrap();
        let space = Space::new(&material.halves()[0]);
        let words = space.len() / 64;
        for still in [
            Still::Nothing,
            Still::AttackerKing,
            Still::FirstPiece,
            Still::DefenderKing,
        ] {
            let cut = Cut::new(&space, still, words);
            let mut next = vec![0; cut.chunks];
            for word in 0..words {
                let (chunk, local) = (cut.chunk(word), cut.local(word));
                assert_eq!(local, next[chunk], "{still:?} {word}");
                assert_eq!(cut.word(chunk, local), word);
                next[chunk] += 1;
            }
            for (chunk, &count) in next.iter().enumerate() {
                assert_eq!(cut.len(chunk), count, "{still:?} {chunk}");
            }
        }
    }
}
