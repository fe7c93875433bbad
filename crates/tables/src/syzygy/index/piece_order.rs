//! The piece order of a sub-table, and the index that it gives to each position.
//!
//! The pieces come in groups: the leading group (three different pieces or the two kings; with
//! pawns, all pawns of one colour), then the other side's pawns, then each run of like pieces. A
//! position's index is the sum over all groups of the group's index times the group's factor. The
//! factors are products of group sizes in an order that the file states separately.

use crate::position::index_space::Squares;
use crate::position::material::Kind;
use crate::syzygy::index::binomial::{binomial, combinations};
use crate::syzygy::index::leading::{
    KING_PAIR_COUNT, LeadingIndex, THREE_PIECE_COUNT, THREE_PIECES, TWO_KINGS, leading_pawn_index,
    normalise, normalise_pawns, pawn_placements,
};

/// A piece with its colour as the file names it: white is the side with the file name's first
/// pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ColoredPiece {
    pub(crate) kind: Kind,
    pub(crate) black: bool,
}

impl ColoredPiece {
    /// Decodes the four bits of a file: 1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king, plus 8
    /// if black.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        let number = 6u8.checked_sub(code & 7)?;
        Some(Self {
            kind: *Kind::ALL.get(usize::from(number))?,
            black: code & 8 != 0,
        })
    }

    /// The four bits of a file; the inverse of [`ColoredPiece::from_code`].
    pub(crate) fn code(self) -> u8 {
        6 - self.kind as u8 + if self.black { 8 } else { 0 }
    }
}

/// How the pieces of a group are indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupKind {
    /// Three different pieces or two kings, by [`LeadingIndex`].
    Leading,
    /// The pawns of the leading pawn's colour, by [`leading_pawn_index`].
    LeadingPawns,
    /// The other side's pawns: a combination of the squares a2 to h7 that the leading pawns leave
    /// free.
    OtherPawns,
    /// Like pieces: a combination of the squares that all pieces before them leave free.
    Like,
}

#[derive(Clone, Copy, Debug)]
struct Group {
    /// The first piece's place in the piece order.
    first: usize,
    len: usize,
    kind: GroupKind,
    factor: u64,
    /// How many indices the group has.
    count: u64,
}

/// The order of a sub-table's pieces, with the groups and factors that follow from it.
#[derive(Clone, Debug)]
pub(crate) struct PieceOrder {
    pub(crate) pieces: Vec<ColoredPiece>,
    /// As in the file: the significance (0 is least) of the leading group and of the other side's
    /// pawns ([`NO_OTHER_PAWNS`] if there are none).
    pub(crate) significance: [u8; 2],
    groups: Vec<Group>,
    size: u64,
    pawn_placements: &'static [[u8; 4]],
}

/// The piece whose square varies along a row of consecutive indices: the first of the least
/// significant group but the leading one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowPiece {
    /// Its place in the piece order.
    pub(crate) piece: usize,
    pub(crate) group: usize,
    /// How many indices its group has.
    pub(crate) count: u64,
    /// How far the positions of two consecutive indices of its group are apart: more than 1 if the
    /// leading group is less significant.
    pub(crate) step: u64,
    /// The first piece of the next more significant group but the leading one.
    pub(crate) next: Option<usize>,
}

/// By group: its index.
pub(crate) type GroupIndices = [u32; 8];

/// The significance of the other side's pawns where there are none.
pub(crate) const NO_OTHER_PAWNS: u8 = 15;

impl PieceOrder {
    /// The order with the given pieces and significances, for the sub-table with the leading pawn
    /// on `file` (0 to 3; not used without pawns). `None` if the format has no such order.
    pub(crate) fn new(pieces: &[ColoredPiece], significance: [u8; 2], file: usize) -> Option<Self> {
        let pawns = pieces.iter().filter(|p| p.kind == Kind::Pawn).count();
        let run = |first: usize| {
            let like = pieces[first..].iter().take_while(|&&p| p == pieces[first]);
            like.count()
        };
        let (first, second) = if pawns == 0 {
            (leading_len(pieces)?, 0)
        } else {
            let first = run(0);
            let second = if first < pawns { run(first) } else { 0 };
            if pieces[0].kind != Kind::Pawn || first + second != pawns {
                return None;
            }
            (first, second)
        };
        let mut groups = vec![(
            first,
            if pawns == 0 {
                GroupKind::Leading
            } else {
                GroupKind::LeadingPawns
            },
        )];
        if second > 0 {
            groups.push((second, GroupKind::OtherPawns));
        }
        let mut at = first + second;
        while at < pieces.len() {
            groups.push((run(at), GroupKind::Like));
            at += run(at);
        }
        // The format has at most four pieces in a group.
        if groups.iter().any(|&(len, _)| len > 4) {
            return None;
        }
        let placements = match pawns {
            0 => &[][..],
            _ => pawn_placements(first, file),
        };
        let mut free = 64 - (first + second) as u64;
        let mut first_piece = 0;
        let groups: Vec<Group> = groups
            .into_iter()
            .map(|(len, kind)| {
                let count = match kind {
                    GroupKind::Leading if len == 3 => THREE_PIECE_COUNT,
                    GroupKind::Leading => KING_PAIR_COUNT,
                    GroupKind::LeadingPawns => placements.len() as u64,
                    GroupKind::OtherPawns => binomial(48 - first as u64, len as u64),
                    GroupKind::Like => {
                        let count = binomial(free, len as u64);
                        free -= len as u64;
                        count
                    }
                };
                let group = Group {
                    first: first_piece,
                    len,
                    kind,
                    factor: 0,
                    count,
                };
                first_piece += len;
                group
            })
            .collect();
        let mut order = Self {
            pieces: pieces.to_vec(),
            significance,
            groups,
            size: 1,
            pawn_placements: placements,
        };
        order.set_factors(second > 0)?;
        Some(order)
    }

    fn set_factors(&mut self, other_pawns: bool) -> Option<()> {
        let mut rest = (if other_pawns { 2 } else { 1 })..self.groups.len();
        for significance in 0..self.groups.len() as u8 {
            let group = if significance == self.significance[0] {
                0
            } else if other_pawns && significance == self.significance[1] {
                1
            } else {
                rest.next()?
            };
            let group = &mut self.groups[group];
            group.factor = self.size;
            self.size = self.size.checked_mul(group.count)?;
        }
        // A group without a factor: the two significances are equal, or beyond the last group.
        self.groups.iter().all(|g| g.factor > 0).then_some(())
    }

    /// The number of indices.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The number of groups.
    pub(crate) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The number of pieces in the leading group.
    pub(crate) fn leading(&self) -> usize {
        self.groups[0].len
    }

    fn leading_index(&self) -> &'static LeadingIndex {
        if self.groups[0].len == 3 {
            &THREE_PIECES
        } else {
            &TWO_KINGS
        }
    }

    /// The index of a position, given the squares of its pieces in this order, white's pawns moving
    /// up the board; `None` if the kings are adjacent. With pawns, the leading pawn must be on
    /// the order's file or its mirror image.
    pub(crate) fn index(&self, squares: &Squares) -> Option<u64> {
        let mut squares = *squares;
        let squares = &mut squares[..self.pieces.len()];
        let leading = self.groups[0];
        let mut index = if leading.kind == GroupKind::LeadingPawns {
            normalise_pawns(squares, leading.len);
            leading_pawn_index(&squares[..leading.len])
        } else {
            normalise(squares, leading.len);
            self.leading_index().index(&squares[..leading.len])?
        } * leading.factor;
        for group in &self.groups[1..] {
            let (before, own) = squares.split_at_mut(group.first);
            let own = &mut own[..group.len];
            if let [square] = own
                && group.kind == GroupKind::Like
            {
                let occupied: u8 = before.iter().map(|&s| u8::from(s < *square)).sum();
                index += u64::from(*square - occupied) * group.factor;
                continue;
            }
            own.sort_unstable();
            let first_square = first_square(group.kind);
            for (i, &square) in own.iter().enumerate() {
                let occupied = before.iter().filter(|&&s| s < square).count() as u64;
                let rank = u64::from(square) - occupied - u64::from(first_square);
                index += binomial(rank, i as u64 + 1) * group.factor;
            }
        }
        Some(index)
    }

    /// The piece whose square varies along a row; `None` if there is no piece beside the leading
    /// ones.
    pub(crate) fn row_piece(&self) -> Option<RowPiece> {
        let mut others: Vec<_> = self.groups.iter().enumerate().skip(1).collect();
        others.sort_by_key(|(_, group)| group.factor);
        let &(group, least) = others.first()?;
        Some(RowPiece {
            piece: least.first,
            group,
            count: least.count,
            step: least.factor,
            next: others.get(1).map(|(_, group)| group.first),
        })
    }

    /// The leading pieces' index, if three pieces lead and are the least significant group: then
    /// the square of the third of them varies along a row.
    pub(crate) fn least_significant_leading(&self) -> Option<&'static LeadingIndex> {
        let leading = self.groups[0];
        let three = leading.kind == GroupKind::Leading && leading.len == 3;
        (three && leading.factor == 1).then(|| self.leading_index())
    }

    /// The indices of the groups of a position's index.
    pub(crate) fn group_indices(&self, index: u64) -> GroupIndices {
        let mut indices = [0; 8];
        for (own, group) in indices.iter_mut().zip(&self.groups) {
            *own = (index / group.factor % group.count) as u32;
        }
        indices
    }

    /// The index with some indices of the groups; the inverse of [`PieceOrder::group_indices`].
    pub(crate) fn index_of(&self, indices: &GroupIndices) -> u64 {
        let parts = self.groups.iter().zip(indices);
        parts
            .map(|(group, &index)| u64::from(index) * group.factor)
            .sum()
    }

    /// With pawns: the number of indices with the same squares of all pawns.
    pub(crate) fn part_len(&self) -> u64 {
        let others = self
            .groups
            .iter()
            .filter(|group| group.kind == GroupKind::Like);
        others.map(|group| group.count).product()
    }

    /// The squares of the leading pieces.
    #[inline]
    pub(crate) fn leading_squares(&self, indices: &GroupIndices) -> &[u8] {
        let leading = self.groups[0];
        let placements = match leading.kind {
            GroupKind::LeadingPawns => self.pawn_placements,
            _ => &self.leading_index().placements,
        };
        &placements[indices[0] as usize][..leading.len]
    }

    /// By place in the order, for the pieces beside the leading ones: the rank of the piece's
    /// square among the squares that the leading pieces leave free.
    #[inline]
    pub(crate) fn ranks(&self, indices: &GroupIndices) -> Squares {
        let mut ranks = [0; 8];
        let mut taken = 0u64;
        for (i, group) in self.groups.iter().enumerate().skip(1) {
            let own = indices[i];
            let to = &mut ranks[group.first..group.first + group.len];
            if group.kind == GroupKind::Like && group.len == 1 {
                to[0] = free_square(taken, own);
            } else {
                // No leading pawn is on the first rank, so that a rank among free squares is still
                // eight more.
                let first_square = u32::from(first_square(group.kind));
                let combination = &combinations(group.len)[own as usize];
                for (rank, &element) in to.iter_mut().zip(combination) {
                    *rank = free_square(taken, u32::from(element) + first_square);
                }
            }
            taken = to.iter().fold(taken, |set, &s| set | 1 << s);
        }
        ranks
    }

    /// The squares of all pieces, by place in the order; 0 beyond the pieces.
    pub(crate) fn squares(&self, indices: &GroupIndices) -> Squares {
        let leading = self.leading_squares(indices);
        let taken = leading.iter().fold(0u64, |set, &s| set | 1 << s);
        let mut squares = self
            .ranks(indices)
            .map(|rank| free_square(taken, u32::from(rank)));
        squares[..leading.len()].copy_from_slice(leading);
        squares[self.pieces.len()..].fill(0);
        squares
    }
}

/// The lowest square of a group's pieces: pawns are not on the first rank.
fn first_square(kind: GroupKind) -> u8 {
    if kind == GroupKind::OtherPawns { 8 } else { 0 }
}

/// The square with a rank (from 0) among those not in `taken`.
#[inline]
fn free_square(mut taken: u64, rank: u32) -> u8 {
    let mut square = rank;
    while taken != 0 && taken.trailing_zeros() <= square {
        square += 1;
        taken &= taken - 1;
    }
    square as u8
}

/// The number of leading pieces of an order without pawns: three if three pieces or more are unlike
/// all others, else the two kings. `None` if the first pieces cannot lead.
pub(crate) fn leading_len(pieces: &[ColoredPiece]) -> Option<usize> {
    let unique = |p: &ColoredPiece| pieces.iter().filter(|q| *q == p).count() == 1;
    let count = if pieces.iter().filter(|p| unique(p)).count() >= 3 {
        3
    } else {
        2
    };
    let leading = pieces.get(..count)?;
    let kings = leading.iter().filter(|p| p.kind == Kind::King).count();
    (leading.iter().all(unique) && (count == 3 || kings == 2)).then_some(count)
}

#[cfg(test)]
mod tests {
    use crate::position::material::Material;
    use crate::syzygy::index::candidates::piece_orders;

    /// The squares of an index have that index, in every ending of up to five pieces and some of
    /// six; about 200 indices of each order stand for all.
    #[test]
    fn indices_and_squares_are_inverse() {
        let six = ["KNNPvKP", "KNNNPvK", "KPPPPvK", "KBBBBvK", "KRRvKNN"];
        let six = six.map(|name| name.parse().unwrap());
        for material in Material::all(5).into_iter().chain(six) {
            for file in 0..if material.has_pawns() { 4 } else { 1 } {
                for order in piece_orders(&material, file) {
                    let size = order.size();
                    for index in (0..size).step_by(1 + size as usize / 211).chain([size - 1]) {
                        let squares = order.squares(&order.group_indices(index));
                        let pieces = &squares[..order.pieces.len()];
                        let set = pieces.iter().fold(0u64, |set, &s| set | 1 << s);
                        assert_eq!(
                            set.count_ones() as usize,
                            pieces.len(),
                            "{material} {index}"
                        );
                        assert_eq!(order.index(&squares), Some(index), "{material}");
                    }
                }
            }
        }
    }
}
