//! The steps that can be made in a position, found by table: every byte of the position forbids
//! some steps.
//!
//! A *step* flips a set of holes under a condition on them: a jump needs its first two holes filled
//! and its third empty. The condition of each step is split by the bytes of the position's word,
//! and for each byte and each of its 256 values a table holds the steps whose condition fails
//! there. The union over all bytes is what is forbidden; the rest can be made. This takes one
//! look-up per byte, for boards of any shape, and gives the steps as a bit set in the order in
//! which they were listed.

use crate::jump::Jump;

/// For each byte of a word and each value of that byte: the steps that it forbids, as `W` words of
/// bits.
pub(crate) struct StepTable<const W: usize> {
    bytes: Vec<[[u64; W]; 256]>,
}

/// The condition of a step: the holes in `mask` that hold pegs must be exactly those in `pegs`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    /// The holes that matter.
    pub(crate) mask: u64,
    /// Those of them that must hold a peg.
    pub(crate) pegs: u64,
}

impl Condition {
    /// The condition under which a jump can be made.
    pub(crate) fn of(jump: &Jump) -> Self {
        Self {
            mask: jump.mask(),
            pegs: jump.pegs(),
        }
    }
}

impl<const W: usize> StepTable<W> {
    /// The table for steps with these conditions on words of `len` bits: at most `64 * W` steps.
    pub(crate) fn new(len: usize, conditions: &[Condition]) -> Self {
        let mut bytes = vec![[[0; W]; 256]; len.div_ceil(8)];
        for (byte, table) in bytes.iter_mut().enumerate() {
            for (value, forbidden) in table.iter_mut().enumerate() {
                for (number, condition) in conditions.iter().enumerate() {
                    let within = |word: u64| word >> (8 * byte) & 0xFF;
                    if value as u64 & within(condition.mask) != within(condition.pegs) {
                        forbidden[number / 64] |= 1 << (number % 64);
                    }
                }
            }
        }
        Self { bytes }
    }

    /// The steps that a word, given by its bytes from the lowest, forbids: bit `i % 64` of word `i
    /// / 64` for step `i`.
    #[inline(always)]
    pub(crate) fn forbidden(&self, word: impl IntoIterator<Item = u8>) -> [u64; W] {
        let mut forbidden = [0; W];
        for (table, byte) in self.bytes.iter().zip(word) {
            for (word, &more) in forbidden.iter_mut().zip(&table[usize::from(byte)]) {
                *word |= more;
            }
        }
        forbidden
    }
}

/// Runs `$body` with the constant `$width` set to words enough for the jumps of `$board`.
///
/// At most 64 holes have at most six jumps each, so that six words always suffice; most boards need
/// two.
macro_rules! with_width {
    ($board:expr, $width:ident => $body:expr) => {
        match $board.jumps().len() {
            0..=64 => {
                const $width: usize = 1;
                $body
            }
            65..=128 => {
                const $width: usize = 2;
                $body
            }
            _ => {
                const $width: usize = 6;
                $body
            }
        }
    };
}
pub(crate) use with_width;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Board, Position};

    proptest! {
        #[test]
        fn the_table_allows_exactly_the_legal_jumps(pick in 0usize..8, word in any::<u64>()) {
            let name = [
                "english", "european", "wiegleb", "diamond41", "triangle7", "triangle10", "square8x8", "square4x16",
            ][pick];
            let board = Board::named(name).unwrap();
            let position = Position(word & board.full().0);
            let conditions: Vec<Condition> = board.jumps().iter().map(Condition::of).collect();
            let forbidden = StepTable::<6>::new(board.holes(), &conditions).forbidden(position.0.to_le_bytes());
            for (number, jump) in board.jumps().iter().enumerate() {
                let is_forbidden = forbidden[number / 64] >> (number % 64) & 1 == 1;
                prop_assert_eq!(jump.is_legal(position), !is_forbidden);
            }
        }
    }
}
