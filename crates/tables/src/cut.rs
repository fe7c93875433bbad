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
    /// Words of a slice.
    slice_words: usize,
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
        let slice_words = if space.pawns == 0 && space.free > 0 {
            1 << (6 * (space.free - 1))
        } else {
            1
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
            slice_words,
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
                usize::from(self.slices[word / self.slice_words].0)
            }
            Still::FirstPiece => usize::from(self.squares[self.first(word)].0),
        }
    }

    /// Words of a chunk; local numbers are below it.
    pub(crate) fn len(&self, chunk: usize) -> usize {
        match self.still {
            Still::Nothing => self.words,
            Still::AttackerKing | Still::DefenderKing => {
                self.members[chunk].len() * self.slice_words
            }
            Still::FirstPiece => {
                KINGS.pairs.len() * self.orbits[chunk].len() * self.slice_words / 64
            }
        }
    }

    /// A word's number within its chunk; ascends with the word.
    #[inline]
    pub(crate) fn local(&self, word: usize) -> usize {
        match self.still {
            Still::Nothing => word,
            Still::AttackerKing | Still::DefenderKing => {
                let (slice, rest) = (word / self.slice_words, word % self.slice_words);
                usize::from(self.slices[slice].1) * self.slice_words + rest
            }
            Still::FirstPiece => {
                let row = self.slice_words / 64;
                let (class, rank) = self.squares[self.first(word)];
                let orbit = self.orbits[usize::from(class)].len();
                (word / self.slice_words * orbit + usize::from(rank)) * row + word % row
            }
        }
    }

    /// The word with a local number.
    #[inline]
    pub(crate) fn word(&self, chunk: usize, local: usize) -> usize {
        match self.still {
            Still::Nothing => local,
            Still::AttackerKing | Still::DefenderKing => {
                let slice = usize::from(self.members[chunk][local / self.slice_words]);
                slice * self.slice_words + local % self.slice_words
            }
            Still::FirstPiece => {
                let row = self.slice_words / 64;
                let orbit = &self.orbits[chunk];
                let (slice, rank) = (local / row / orbit.len(), local / row % orbit.len());
                slice * self.slice_words + usize::from(orbit[rank]) * row + local % row
            }
        }
    }

    fn first(&self, word: usize) -> usize {
        word % self.slice_words / (self.slice_words / 64)
    }
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
