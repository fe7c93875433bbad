//! All moves from a position: every jump, and every further jump of the same peg.

use crate::layers::Split;
use crate::layers::split::Part;

/// A jump in packed words (see [`MoveGenerator::packed`]).
#[derive(Clone, Copy)]
struct PackedJump {
    number: u16,
    mask: u64,
    pegs: u64,
    to: u8,
}

/// The jumps of a board by the hole they start from.
pub(crate) struct MoveGenerator {
    from: Vec<Vec<PackedJump>>,
    /// The bit of each hole.
    bits: Vec<u64>,
}

/// A move, or the beginning of one.
pub(crate) struct PartialMove<'a> {
    /// The packed position it leads to.
    pub(crate) position: u64,
    /// The numbers of its jumps.
    pub(crate) jumps: &'a [u16],
}

/// No peg makes more jumps in a move than there are other pegs.
const LONGEST: usize = 64;

impl MoveGenerator {
    pub(crate) fn new(split: &Split) -> Self {
        let board = split.board();
        let packed = |mask: u64| {
            let (head, tail) = split.pack_mask(mask);
            Self::packed(head, tail)
        };
        let mut from = vec![Vec::new(); board.holes()];
        for (number, jump) in board.jumps().iter().enumerate() {
            from[jump.from].push(PackedJump {
                number: number as u16,
                mask: packed(jump.mask()),
                pegs: packed(jump.pegs()),
                to: jump.to as u8,
            });
        }
        Self {
            from,
            bits: (0..board.holes()).map(|hole| packed(1 << hole)).collect(),
        }
    }

    /// A head and a tail as one word.
    pub(crate) fn packed(head: Part, tail: Part) -> u64 {
        u64::from(head) << 32 | u64::from(tail)
    }

    /// Calls `visit` with every move from a packed position, shorter beginnings first; a move is
    /// lengthened only if `visit` says so.
    #[inline]
    pub(crate) fn each(&self, position: u64, visit: &mut impl FnMut(&PartialMove<'_>) -> bool) {
        let mut jumps = [0; LONGEST];
        for (from, &bit) in self.from.iter().zip(&self.bits) {
            if position & bit != 0 {
                self.lengthen(position, from, &mut jumps, 0, visit);
            }
        }
    }

    fn lengthen(
        &self,
        position: u64,
        from: &[PackedJump],
        jumps: &mut [u16; LONGEST],
        len: usize,
        visit: &mut impl FnMut(&PartialMove<'_>) -> bool,
    ) {
        for jump in from {
            if position & jump.mask != jump.pegs {
                continue;
            }
            jumps[len] = jump.number;
            let after = position ^ jump.mask;
            if visit(&PartialMove {
                position: after,
                jumps: &jumps[..=len],
            }) {
                self.lengthen(
                    after,
                    &self.from[usize::from(jump.to)],
                    jumps,
                    len + 1,
                    visit,
                );
            }
        }
    }
}
