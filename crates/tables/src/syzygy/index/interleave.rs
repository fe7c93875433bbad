//! The indices of a piece order with pawns, part by part: a *part* has all indices with the same
//! squares of all pawns.
//!
//! If the pawns' groups are the most significant ones, a part is a range of indices. In any other
//! order it is spread over all indices; but taken by themselves its indices are in the order in
//! which they are if the pawns' groups are made the most significant ones.

use std::ops::Range;

use crate::syzygy::index::piece_order::{NO_OTHER_PAWNS, PieceOrder};

/// A piece order with pawns, and the same order with the pawns' groups made the most significant
/// ones: the *order by parts*.
pub(crate) struct Interleave<'a> {
    order: &'a PieceOrder,
    by_parts: PieceOrder,
    /// The number of indices of a part.
    part_len: u64,
}

/// Consecutive indices of the order by parts, and where their entries are in a range of the order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) part: u64,
    pub(crate) range: Range<u64>,
    /// By index of the range: the offset; `None` if they are consecutive from `first` on.
    offsets: Option<Vec<u32>>,
    first: usize,
}

impl Piece {
    /// Stores the bytes of the range at their offsets.
    pub(crate) fn store(&self, bytes: &[u8], to: &mut [u8]) {
        match &self.offsets {
            None => to[self.first..][..bytes.len()].copy_from_slice(bytes),
            Some(offsets) => {
                for (&offset, &byte) in offsets.iter().zip(bytes) {
                    to[offset as usize] = byte;
                }
            }
        }
    }
}

impl<'a> Interleave<'a> {
    /// For an order of the sub-table with the leading pawn on `file`.
    pub(crate) fn new(order: &'a PieceOrder, file: usize) -> Self {
        let groups = order.groups() as u8;
        let other_pawns = match order.significance[1] {
            NO_OTHER_PAWNS => NO_OTHER_PAWNS,
            _ => groups - 2,
        };
        let by_parts = PieceOrder::new(&order.pieces, [groups - 1, other_pawns], file);
        let by_parts = by_parts.expect("every order of the groups is one of the format");
        Self {
            part_len: by_parts.part_len(),
            order,
            by_parts,
        }
    }

    /// The order by parts.
    pub(crate) fn by_parts(&self) -> &PieceOrder {
        &self.by_parts
    }

    /// The number of parts.
    pub(crate) fn parts(&self) -> u64 {
        self.by_parts.size() / self.part_len
    }

    /// The indices of a part in the order by parts.
    pub(crate) fn part(&self, part: u64) -> Range<u64> {
        part * self.part_len..(part + 1) * self.part_len
    }

    /// Whether the order is the order by parts.
    pub(crate) fn is_by_parts(&self) -> bool {
        self.order.significance == self.by_parts.significance
    }

    /// Splits a range of indices of the order into ranges of the order by parts; each is of one
    /// part, and no two are of the same.
    pub(crate) fn pieces(&self, range: Range<u64>) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        if self.is_by_parts() {
            let mut at = range.start;
            while at < range.end {
                let part = at / self.part_len;
                let end = range.end.min((part + 1) * self.part_len);
                pieces.push(Piece {
                    part,
                    range: at..end,
                    offsets: None,
                    first: (at - range.start) as usize,
                });
                at = end;
            }
            return pieces;
        }
        for (offset, index) in range.enumerate() {
            let index = self.by_parts.index_of(&self.order.group_indices(index));
            let part = index / self.part_len;
            let found = pieces.iter_mut().find(|piece| piece.part == part);
            match found {
                // All indices of a part are in the same order in both.
                Some(piece) => {
                    debug_assert_eq!(piece.range.end, index);
                    piece.range.end += 1;
                    piece.offsets.get_or_insert_default().push(offset as u32);
                }
                None => pieces.push(Piece {
                    part,
                    range: index..index + 1,
                    offsets: Some(vec![offset as u32]),
                    first: 0,
                }),
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::material::Material;
    use crate::syzygy::index::candidates::piece_orders;

    /// The pieces of a range give each index the position that it has.
    #[test]
    fn pieces_are_the_indices_of_a_range() {
        let mut rng = everymove_kernel::rng::SplitMix64::new(5);
        for name in [
            "KPvK", "KQQPvK", "KRPvKR", "KPPvK", "KPvKP", "KRPvKP", "KPPvKP",
        ] {
            let material: Material = name.parse().unwrap();
            for order in piece_orders(&material, 1) {
                let interleave = Interleave::new(&order, 1);
                assert_eq!(interleave.by_parts().size(), order.size());
                let length = order.size().min(300);
                let from = rng.below(order.size() - length + 1);
                let range = from..from + length;
                let mut found = vec![None; length as usize];
                for piece in interleave.pieces(range.clone()) {
                    let own = interleave.part(piece.part);
                    assert!(own.start <= piece.range.start && piece.range.end <= own.end);
                    // The low and the high bytes of the numbers within the range.
                    let numbers = 0..piece.range.clone().count();
                    let mut low = vec![0; length as usize];
                    let mut high = vec![255; length as usize];
                    piece.store(
                        &numbers.clone().map(|n| n as u8).collect::<Vec<_>>(),
                        &mut low,
                    );
                    piece.store(
                        &numbers.map(|n| (n >> 8) as u8).collect::<Vec<_>>(),
                        &mut high,
                    );
                    for (own, (low, high)) in found.iter_mut().zip(low.into_iter().zip(high)) {
                        if high < 255 {
                            *own = Some(piece.range.start + u64::from(high) * 256 + u64::from(low));
                        }
                    }
                }
                for (index, by_parts) in range.zip(found) {
                    let by_parts = by_parts.unwrap();
                    let squares =
                        |order: &PieceOrder, index| order.squares(&order.group_indices(index));
                    assert_eq!(
                        squares(&order, index),
                        squares(interleave.by_parts(), by_parts),
                        "{name} {index}"
                    );
                }
            }
        }
    }
}
