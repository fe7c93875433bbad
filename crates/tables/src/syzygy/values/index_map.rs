//! The index of a position in another index space, with the sides exchanged: the same pieces, or
//! what a capture leaves of them.

use std::sync::Arc;

use crate::position::geometry::{TRANSFORMED, squares};
use crate::position::index_space::{IndexSpace, Side, Squares};
use crate::position::material::Kind;

/// Exclusive or with a square mirrors the ranks of the board.
pub(super) const FLIP: u8 = 56;

/// Maps positions of one space to indices of another, in which the attacker is the first space's
/// defender.
#[derive(Debug)]
pub(crate) struct IndexMap {
    pub(crate) target: Arc<IndexSpace>,
    /// By piece of the target: the piece of the source.
    sources: Squares,
    /// By piece of the source: the piece of the target, if its square is a digit of the target's
    /// indices.
    digits: [Option<u8>; 8],
}

impl IndexMap {
    /// The map of positions in which `captured` was taken and a pawn was promoted to a kind, if
    /// given. `None` if the pieces that are left are not those of `target`.
    pub(crate) fn new(
        source: &IndexSpace,
        target: Arc<IndexSpace>,
        captured: Option<usize>,
        promoted: Option<(usize, Kind)>,
    ) -> Option<Self> {
        let mut sources = [0; 8];
        let mut used = [false; 8];
        for (piece, of) in target.pieces.iter().enumerate() {
            let found = (0..source.pieces.len()).find(|&own| {
                let kind = match promoted {
                    Some((pawn, kind)) if pawn == own => kind,
                    _ => source.pieces[own].kind,
                };
                let side: Side = source.pieces[own].side.other();
                !used[own] && captured != Some(own) && (kind, side) == (of.kind, of.side)
            })?;
            used[found] = true;
            sources[piece] = found as u8;
        }
        // Pawns are part of the slice, and so are the kings if there are no pawns.
        let first = if target.pawns > 0 { 0 } else { 2 };
        let mut digits = [None; 8];
        for piece in first..2 + target.free {
            digits[usize::from(sources[piece])] = Some(piece as u8);
        }
        Some(Self {
            digits,
            sources,
            target,
        })
    }

    /// The squares by piece of the target.
    #[inline]
    fn target_squares(&self, at: &Squares) -> Squares {
        let mut mapped = [0; 8];
        let pieces = self.target.pieces.len();
        for (square, &source) in mapped[..pieces].iter_mut().zip(&self.sources) {
            *square = at[usize::from(source)] ^ FLIP;
        }
        mapped
    }

    /// The index of a position of the source, given its squares; `None` if the kings are adjacent.
    #[inline]
    pub(crate) fn map(&self, at: &Squares) -> Option<usize> {
        Some(self.target.encode(&self.target_squares(at))?.0)
    }

    /// Calls `visit(square, slot)` for the positions in which one piece of the source is on each
    /// square of `set`, all others as in `at`. `slot_of` gives the slot of an index, or `None`;
    /// slots of the same slice are as far apart as their indices.
    #[inline]
    pub(crate) fn map_each(
        &self,
        at: &Squares,
        piece: usize,
        set: u64,
        slot_of: impl Fn(usize) -> Option<usize>,
        mut visit: impl FnMut(u8, usize),
    ) {
        let mut at = *at;
        let Some(digit) = self.digits[piece] else {
            for square in squares(set) {
                at[piece] = square;
                if let Some(slot) = self.map(&at).and_then(&slot_of) {
                    visit(square, slot);
                }
            }
            return;
        };
        at[piece] = FLIP;
        let Some((index, symmetry)) = self.target.encode(&self.target_squares(&at)) else {
            return;
        };
        let shift = self.target.shift(usize::from(digit));
        let transformed = &TRANSFORMED[usize::from(symmetry)];
        let others = index - (usize::from(transformed[0]) << shift);
        let Some(others) = slot_of(others) else {
            return;
        };
        for square in squares(set) {
            let own = usize::from(transformed[usize::from(square ^ FLIP)]);
            visit(square, others + (own << shift));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::material::{Half, Material};

    /// The positions of a set of squares have the indices that they have one by one.
    #[test]
    fn sets_of_squares_are_mapped_as_single_squares() {
        let mut rng = everymove_kernel::rng::SplitMix64::new(5);
        for name in ["KQvKR", "KRBvKR", "KPvKP", "KRPvKN", "KPPvK"] {
            let material: Material = name.parse().unwrap();
            let (white, black) = (material.white().clone(), material.black().clone());
            let own = IndexSpace::new(&Half {
                attacker: white.clone(),
                defender: black.clone(),
            });
            let other = Arc::new(IndexSpace::new(&Half {
                attacker: black,
                defender: white,
            }));
            let map = IndexMap::new(&own, other, None, None).unwrap();
            for _ in 0..200 {
                let at = own.decode(rng.below(own.len() as u64) as usize);
                let piece = rng.below((2 + own.free) as u64) as usize;
                let others = &at[2..own.pieces.len()];
                let set = rng.next_u64() & !others.iter().fold(0, |set, &s| set | 1 << s);
                let mut found = Vec::new();
                map.map_each(&at, piece, set, Some, |square, index| {
                    found.push((square, index));
                });
                let single = |square: u8| {
                    let mut at = at;
                    at[piece] = square;
                    Some((square, map.map(&at)?))
                };
                let single: Vec<_> = squares(set).filter_map(single).collect();
                assert_eq!(found, single, "{name}, piece {piece}");
            }
        }
    }
}
