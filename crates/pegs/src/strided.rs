//! Words in which every direction of jump is a shift.
//!
//! If the numbers `a * row + b * column` differ for all holes and span at most 64, then a position laid out by them
//! finds all the jumps of one direction at once: with `k` the number of the direction's step, the jumping pegs are
//! `x & x >> k & !(x >> 2k)`, less those whose landing is off the board.

use crate::board::Jump;
use crate::lattice::{Lattice, Step};
use crate::position::{Bits, Position};

/// The layout of a board in strided words.
pub(crate) struct Strided {
    directions: Vec<Direction>,
    /// The strided image of each byte of a position.
    spread: Vec<[u64; 256]>,
}

struct Direction {
    /// How far a step moves: up if positive, down if negative.
    shift: i32,
    /// The bits of pegs that have a jump this way.
    from: u64,
    /// The jump's number for each of those bits.
    jump: [u16; 64],
}

impl Strided {
    /// The layout of least span, or `None` if none fits 64 bits.
    pub(crate) fn new(lattice: Lattice, places: &[Step], jumps: &[Jump]) -> Option<Self> {
        let (row_stride, col_stride, least) = strides(places)?;
        let bit = |(row, col): Step| (row * row_stride + col * col_stride - least) as u32;
        let direction = |&step: &Step| {
            let mut direction = Direction {
                shift: step.0 * row_stride + step.1 * col_stride,
                from: 0,
                jump: [0; 64],
            };
            for (number, jump) in jumps.iter().enumerate() {
                let (from, over) = (places[jump.from], places[jump.over]);
                if (over.0 - from.0, over.1 - from.1) == step {
                    direction.from |= 1 << bit(from);
                    direction.jump[bit(from) as usize] = number as u16;
                }
            }
            direction
        };
        let mut spread = vec![[0; 256]; places.len().div_ceil(8)];
        for (byte, table) in spread.iter_mut().enumerate() {
            for (value, word) in table.iter_mut().enumerate() {
                let holes = Bits((value as u64) << (8 * byte)).filter(|&hole| hole < places.len());
                *word = holes.fold(0, |word, hole| word | 1 << bit(places[hole]));
            }
        }
        Some(Self {
            directions: lattice.steps().iter().map(direction).collect(),
            spread,
        })
    }

    /// A position in this layout.
    #[inline]
    fn word(&self, position: Position) -> u64 {
        let bytes = position.0.to_le_bytes();
        self.spread
            .iter()
            .zip(bytes)
            .fold(0, |word, (table, byte)| word | table[usize::from(byte)])
    }

    /// Calls `visit` with the number of every jump that can be made.
    #[inline]
    pub(crate) fn legal_jumps(&self, position: Position, mut visit: impl FnMut(usize)) {
        let word = self.word(position);
        for direction in &self.directions {
            let ahead = |steps: i32| shifted(word, direction.shift * steps);
            let jumping = word & ahead(1) & !ahead(2) & direction.from;
            for bit in Bits(jumping) {
                visit(usize::from(direction.jump[bit]));
            }
        }
    }
}

/// What stands `by` bits above each bit. A shift of 64 and more leaves nothing.
#[inline]
fn shifted(word: u64, by: i32) -> u64 {
    if by >= 0 {
        word.checked_shr(by.unsigned_abs()).unwrap_or(0)
    } else {
        word.checked_shl(by.unsigned_abs()).unwrap_or(0)
    }
}

/// Row stride, column stride and least number of the layout with the least span.
fn strides(places: &[Step]) -> Option<(i32, i32, i32)> {
    const LARGEST: i32 = 64;
    let mut best: Option<(i32, (i32, i32, i32))> = None;
    // Signs of both strides can be flipped together, so the row stride is taken to be positive.
    for row_stride in 0..=LARGEST {
        for col_stride in -LARGEST..=LARGEST {
            let number = |&(row, col): &Step| row * row_stride + col * col_stride;
            let least = places.iter().map(number).min()?;
            let span = places.iter().map(number).max()? - least + 1;
            if span > 64 || best.is_some_and(|(shortest, _)| span >= shortest) {
                continue;
            }
            let mut taken = 0u64;
            let is_injective = places
                .iter()
                .map(|place| 1u64 << (number(place) - least))
                .all(|bit| {
                    let is_new = taken & bit == 0;
                    taken |= bit;
                    is_new
                });
            if is_injective {
                best = Some((span, (row_stride, col_stride, least)));
            }
        }
    }
    best.map(|(_, strides)| strides)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Board, Position};

    proptest! {
        #[test]
        fn shifts_find_the_legal_jumps(pick in 0usize..6, word in any::<u64>()) {
            let name = ["english", "european", "wiegleb", "diamond41", "triangle7", "square8x8"][pick];
            let board = Board::named(name).unwrap();
            let position = Position(word & board.full().0);
            let mut found = Vec::new();
            board.strided().legal_jumps(position, |number| found.push(board.jumps()[number]));
            found.sort_unstable();
            let mut expected: Vec<_> = board.legal_jumps(position).collect();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
