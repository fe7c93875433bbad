//! Indices of positions, up to some symmetries of the board.

use super::board::{Board, Piece};

/// The indices of an ending: the side to move, then the squares in base 64. With pawns the white
/// king is mirrored to the files a to d, without them it is moved to the triangle a1-d1-d4.
pub(super) struct Indices {
    pub(super) pieces: Vec<Piece>,
    pawns: bool,
    /// The squares of the white king.
    kings: Vec<u8>,
}

impl Indices {
    pub(super) fn new(pieces: Vec<Piece>) -> Self {
        let pawns = pieces.iter().any(|p| matches!(p, b'P' | b'p'));
        let corner = |&s: &u8| s % 8 < 4 && (pawns || (s / 8 <= s % 8));
        let kings = (0..64).filter(corner).collect();
        Self {
            pieces,
            pawns,
            kings,
        }
    }

    pub(super) fn len(&self) -> usize {
        (2 * self.kings.len()) << (6 * (self.pieces.len() - 1))
    }

    pub(super) fn encode(&self, at: &[u8], white: bool) -> usize {
        let king = at[0];
        let mirror = if king % 8 > 3 { 7 } else { 0 };
        let flip = if !self.pawns && king / 8 > 3 { 56 } else { 0 };
        let turned = king ^ mirror ^ flip;
        let transpose = !self.pawns && turned / 8 > turned % 8;
        let image = |s: u8| {
            let s = s ^ mirror ^ flip;
            if transpose { s % 8 * 8 + s / 8 } else { s }
        };
        let king = self.kings.binary_search(&image(king)).unwrap();
        let first = usize::from(white) * self.kings.len() + king;
        at[1..]
            .iter()
            .fold(first, |index, &s| index * 64 + usize::from(image(s)))
    }

    pub(super) fn decode(&self, index: usize) -> Board {
        let others = self.pieces.len() - 1;
        let first = index >> (6 * others);
        let mut at = vec![self.kings[first % self.kings.len()]];
        at.extend(
            (0..others)
                .rev()
                .map(|place| (index >> (6 * place) & 63) as u8),
        );
        Board {
            pieces: self.pieces.clone(),
            at,
            white: first >= self.kings.len(),
        }
    }
}
