//! A value table's bytes in the index order of a sub-table.
//!
//! Indices are enumerated in rows: along a row the square of one piece varies (the *row piece*),
//! and the indices of all other groups are fixed. A later group is indexed by the squares that
//! earlier pieces leave free, so that its squares shift when the row piece passes them;
//! a row is therefore split into *runs* in which only the row piece's own square changes. The bytes
//! of a run are gathered from one cache line of the value table, if its digit was made adjacent
//! before. If three leading pieces are the least significant group, the row piece is the
//! third of them.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::position::geometry::{TRANSFORMED, squares, transform};
use crate::position::index_space::{IndexSpace, KINGS, Kings, Side, Squares};
use crate::syzygy::index::leading::LeadingIndex;
use crate::syzygy::index::piece_order::{ColoredPiece, GroupIndices, PieceOrder, RowPiece};
use crate::syzygy::values::dont_care::DONT_CARE;
use crate::syzygy::values::index_map::FLIP;
use crate::syzygy::values::value_table::ValueTable;

/// Reads value tables of a space in the index order of a piece order.
pub(crate) struct Permutation<'a> {
    space: Arc<IndexSpace>,
    order: &'a PieceOrder,
    pieces: usize,
    /// By piece of the space: its place in the order.
    places: Squares,
    /// Exclusive or with a square of the order gives the square of the space.
    flip: u8,
    row_piece: Option<RowPiece>,
    row_kind: RowKind,
    digit: usize,
}

/// How the square of the row piece enters the index of the space.
#[derive(Clone, Copy, Debug)]
enum RowKind {
    /// As a base-64 digit of the index.
    Digit,
    /// As part of the pair of kings: the attacker's (0) or the defender's (1) king in a space
    /// without pawns. Its square decides the symmetry that is applied to all pieces.
    King(usize),
    /// As part of the P-slice: a pawn.
    Pawn,
}

/// Where the bytes of a run are stored: a first offset, and the distance from one to the next.
#[derive(Clone, Copy)]
struct Target {
    at: usize,
    step: usize,
}

impl Target {
    fn skip(self, count: usize) -> Self {
        Self {
            at: self.at + count * self.step,
            ..self
        }
    }
}

/// Bytes to be gathered from 64 adjacent entries: those of the first squares of a path, in this
/// order.
struct GatherRequest {
    /// The offset of the entry for square 0.
    offset: usize,
    path: Path,
    count: usize,
    /// By square of the row piece: the entry.
    entries: &'static [u8; 64],
    target: Target,
}

/// Squares of the row piece; those beyond the end of a run are not used.
type Path = [u8; 64];

/// By whether ranks are mirrored, and by the symmetry that is applied afterwards: the square that a
/// square becomes.
static ENTRIES: [[[u8; 64]; 8]; 2] = {
    let mut entries = [TRANSFORMED; 2];
    let mut i = 0;
    while i < 8 * 64 {
        entries[1][i / 64][i % 64] = TRANSFORMED[i / 64][(i % 64) ^ FLIP as usize];
        i += 1;
    }
    entries
};

/// Gather requests that are answered together, so that their cache misses overlap.
struct GatherQueue<'t> {
    table: &'t ValueTable,
    requests: Vec<GatherRequest>,
}

impl<'t> GatherQueue<'t> {
    /// About as many cache misses as a core can have outstanding.
    const CAPACITY: usize = 16;

    fn new(table: &'t ValueTable) -> Self {
        Self {
            table,
            requests: Vec::with_capacity(Self::CAPACITY),
        }
    }

    fn push(&mut self, request: GatherRequest, bytes: &mut [u8]) {
        self.requests.push(request);
        if self.requests.len() == Self::CAPACITY {
            self.flush(bytes);
        }
    }

    /// Answers all requests.
    fn flush(&mut self, bytes: &mut [u8]) {
        // One load from each cache line first: the misses are independent of each other.
        let requests = self.requests.iter();
        let sum = requests.fold(0, |sum, request| sum ^ self.table.load(request.offset));
        std::hint::black_box(sum);
        for request in self.requests.drain(..) {
            let line = self.table.adjacent(request.offset);
            let squares = &request.path[..request.count];
            let entry = |&square: &u8| request.entries[usize::from(square & 63)];
            let byte = |square: &u8| line[usize::from(entry(square) & 63)].load(Ordering::Relaxed);
            let Target { at, step } = request.target;
            if step == 1 {
                let to = bytes[at..].iter_mut().zip(squares);
                to.for_each(|(to, square)| *to = byte(square));
            } else {
                let to = (at..).step_by(step).zip(squares);
                to.for_each(|(at, square)| bytes[at] = byte(square));
            }
        }
    }
}

/// The squares that the leading pieces leave free, kept while the leading pieces stay the same.
struct FreeSquares {
    taken: u64,
    /// Those after the free squares are not used: a path has 64 entries, from whichever square it
    /// begins.
    squares: [u8; 128],
}

impl FreeSquares {
    fn new() -> Self {
        Self {
            taken: 0,
            squares: [0; 128],
        }
    }

    /// The free squares, ascending; those after them are not used.
    fn beside(&mut self, leading: &[u8]) -> &[u8; 128] {
        let taken = leading.iter().fold(0u64, |set, &s| set | 1 << s);
        if taken != self.taken {
            self.taken = taken;
            self.squares = std::array::from_fn(|rank| rank as u8);
            for taken in squares(taken) {
                for square in &mut self.squares {
                    *square += u8::from(*square >= taken);
                }
            }
        }
        &self.squares
    }
}

impl<'a> Permutation<'a> {
    /// For tables of a space whose attacker is the side to move, and an order of the same pieces.
    pub(crate) fn new(space: &Arc<IndexSpace>, order: &'a PieceOrder, black_to_move: bool) -> Self {
        let mut places = [0; 8];
        let mut used = [false; 8];
        for (piece, of) in space.pieces.iter().enumerate() {
            let black = (of.side == Side::Attacker) == black_to_move;
            let wanted = ColoredPiece {
                kind: of.kind,
                black,
            };
            let place = (0..order.pieces.len())
                .find(|&place| !used[place] && order.pieces[place] == wanted)
                .expect("the order has the pieces of the space");
            used[place] = true;
            places[piece] = place as u8;
        }
        let row_piece = order.row_piece();
        let piece_at = |place: usize| places.iter().position(|&own| usize::from(own) == place);
        // The places of the row piece, and of the piece that varies from row to row.
        let (varying, next) = match order.least_significant_leading() {
            Some(_) => (Some(2), Some(1)),
            None => (
                row_piece.map(|row| row.piece),
                row_piece.and_then(|row| row.next),
            ),
        };
        let varying = varying.and_then(piece_at).unwrap_or(0);
        let digit = |piece: usize| {
            (2..2 + space.free)
                .contains(&piece)
                .then(|| space.shift(piece))
        };
        let (row_kind, digit) = match varying {
            // The positions of a row are far apart; those of the next row are adjacent to them.
            0 | 1 if space.pawns == 0 => {
                let next = next.and_then(piece_at);
                (RowKind::King(varying), next.and_then(digit).unwrap_or(0))
            }
            piece if piece < 2 + space.free => (RowKind::Digit, space.shift(piece)),
            _ => (RowKind::Pawn, 0),
        };
        Self {
            space: space.clone(),
            order,
            pieces: order.pieces.len(),
            places,
            flip: if black_to_move { FLIP } else { 0 },
            row_piece,
            row_kind,
            digit,
        }
    }

    /// The digit, as a shift in bits, that has to be made adjacent in a value table before
    /// [`Permutation::bytes`] reads it.
    pub(crate) fn digit(&self) -> usize {
        self.digit
    }

    /// The slice of the space that an index of the order is in; `None` if the kings are adjacent in
    /// a space without pawns.
    pub(crate) fn slice(&self, index: u64) -> Option<usize> {
        let squares = self.order.squares(&self.order.group_indices(index));
        let (index, _) = self.space.encode(&self.space_squares(&squares))?;
        Some(index >> (6 * self.space.digits()))
    }

    /// The bytes of the indices `from..to` of the order; [`DONT_CARE`] where the kings are
    /// adjacent, and for slices that are not in the table.
    pub(crate) fn bytes(&self, table: &ValueTable, from: u64, to: u64) -> Vec<u8> {
        let mut bytes = vec![DONT_CARE; (to - from) as usize];
        if let Some(leading) = self.order.least_significant_leading() {
            self.bytes_by_leading_rows(leading, table, from, to, &mut bytes);
            return bytes;
        }
        let Some(row_piece) = &self.row_piece else {
            for (index, byte) in (from..to).zip(&mut bytes) {
                let squares = self.order.squares(&self.order.group_indices(index));
                *byte = self.byte(table, &squares);
            }
            return bytes;
        };
        // If the leading group is less significant, the rows of its `rows` placements are
        // interleaved.
        let rows = row_piece.step;
        let mut free = FreeSquares::new();
        let mut queue = GatherQueue::new(table);
        let cycle = rows * row_piece.count;
        for start in (from / cycle * cycle..to).step_by(cycle as usize) {
            let mut indices = self.order.group_indices(start);
            for row in 0..rows {
                let first = start + row;
                let steps = |index: u64| index.saturating_sub(first).div_ceil(rows);
                let (begin, end) = (steps(from), steps(to).min(row_piece.count));
                if begin >= end {
                    continue;
                }
                if rows > 1 {
                    indices[0] = row as u32;
                }
                let target = Target {
                    at: (first + begin * rows - from) as usize,
                    step: rows as usize,
                };
                let own = begin as u32..end as u32;
                let piece = row_piece.piece;
                let each = |squares, path: (&Path, usize), target| {
                    self.run(&mut queue, squares, piece, path, target, &mut bytes);
                };
                self.row(row_piece, &mut indices, own, &mut free, target, each);
                indices[row_piece.group] = 0;
            }
        }
        queue.flush(&mut bytes);
        bytes
    }

    /// Splits a part of a row into runs: calls `each(squares by place, squares of the row piece and
    /// their number, target)`. `own` are the indices of the row piece's group.
    fn row(
        &self,
        row_piece: &RowPiece,
        indices: &mut GroupIndices,
        own: Range<u32>,
        free: &mut FreeSquares,
        mut target: Target,
        mut each: impl FnMut(Squares, (&Path, usize), Target),
    ) {
        let leading = self.order.leading_squares(indices);
        let free = free.beside(leading);
        let mut at: Squares = [0; 8];
        at[..leading.len()].copy_from_slice(leading);
        let mut next = own.start;
        while next < own.end {
            indices[row_piece.group] = next;
            let ranks = self.order.ranks(indices);
            let rank = usize::from(ranks[row_piece.piece]);
            // The run ends before the next piece on the way.
            let mut limit = 64 - leading.len();
            for piece in leading.len()..self.pieces {
                let other = usize::from(ranks[piece]);
                at[piece] = free[other];
                if other > rank && other < limit {
                    limit = other;
                }
            }
            let count = (limit - rank).min((own.end - next) as usize);
            let path = free[rank..].first_chunk();
            let path = path.expect("fewer than 64 squares come before");
            each(at, (path, count), target);
            target = target.skip(count);
            next += count as u32;
        }
    }

    /// As [`Permutation::bytes`], for an order whose leading group is least significant.
    fn bytes_by_leading_rows(
        &self,
        leading: &LeadingIndex,
        table: &ValueTable,
        from: u64,
        to: u64,
        bytes: &mut [u8],
    ) {
        let count = leading.placements.len() as u64;
        let mut free = FreeSquares::new();
        let mut queue = GatherQueue::new(table);
        for others in from / count..to.div_ceil(count) {
            let first = others * count;
            let (begin, end) = (from.saturating_sub(first), (to - first).min(count));
            let (begin, end) = (begin as usize, end as usize);
            let ranks = self.order.ranks(&self.order.group_indices(first));
            let skipped = leading.rows.partition_point(|row| row.end <= begin);
            let rows = leading.rows[skipped..].iter();
            for row in rows.take_while(|row| row.start < end) {
                let (start, end) = (row.start.max(begin), row.end.min(end));
                let target = Target {
                    at: (first + start as u64 - from) as usize,
                    step: 1,
                };
                let row = &leading.placements[start..end];
                self.leading_row(&mut queue, row, &ranks, &mut free, target, bytes);
            }
        }
        queue.flush(bytes);
    }

    /// Splits a part of a row of leading placements into runs and stores their bytes. `ranks` are
    /// those of the other pieces among the squares that the leading pieces leave free.
    fn leading_row(
        &self,
        queue: &mut GatherQueue<'_>,
        row: &[[u8; 4]],
        ranks: &Squares,
        free: &mut FreeSquares,
        mut target: Target,
        bytes: &mut [u8],
    ) {
        let [a, b, ..] = row[0];
        let mut at: Squares = [a, b, 0, 0, 0, 0, 0, 0];
        // Among the squares that the first two leave free, a piece is one further than its rank
        // once the row piece is before it.
        let free = free.beside(&[a, b]);
        let rank_of = |c: u8| c - u8::from(a < c) - u8::from(b < c);
        let mut path = [0; 64];
        let mut next = 0;
        while next < row.len() {
            let rank = rank_of(row[next][2]);
            let mut limit = u8::MAX;
            for place in 3..self.pieces {
                let other = ranks[place];
                at[place] = free[usize::from(other + u8::from(other >= rank))];
                if other >= rank {
                    limit = limit.min(other);
                }
            }
            let squares = row[next..].iter().map(|placement| placement[2]);
            let squares = squares.take_while(|&c| rank_of(c) <= limit);
            let mut count = 0;
            for (to, square) in path.iter_mut().zip(squares) {
                *to = square;
                count += 1;
            }
            self.run(queue, at, 2, (&path, count), target, bytes);
            target = target.skip(count);
            next += count;
        }
    }

    /// The squares by piece of the space, given those by place in the order.
    #[inline]
    fn space_squares(&self, at: &Squares) -> Squares {
        let mut mapped = [0; 8];
        for (square, &place) in mapped[..self.pieces].iter_mut().zip(&self.places) {
            *square = at[usize::from(place)] ^ self.flip;
        }
        mapped
    }

    fn byte(&self, table: &ValueTable, at: &Squares) -> u8 {
        let found = self.space.encode(&self.space_squares(at));
        let slot = found.and_then(|(index, _)| table.slot(index));
        slot.map_or(DONT_CARE, |slot| table.get(slot))
    }

    /// Stores the bytes of a run: `piece` is on each of the first `count` squares of `path` in
    /// turn, all others as in `at`. The bytes of positions with adjacent kings are left as they
    /// are.
    #[inline]
    fn run(
        &self,
        queue: &mut GatherQueue<'_>,
        mut at: Squares,
        piece: usize,
        (path, count): (&Path, usize),
        target: Target,
        bytes: &mut [u8],
    ) {
        let space: &IndexSpace = &self.space;
        let table = queue.table;
        let offsets = (target.at..).step_by(target.step);
        match self.row_kind {
            RowKind::Digit => {
                at[piece] = self.flip;
                let found = space.encode(&self.space_squares(&at));
                let slot = found.and_then(|(index, m)| Some((table.slot(index)?, m)));
                let Some((slot, symmetry)) = slot else { return };
                let transformed = &TRANSFORMED[usize::from(symmetry)];
                let request = GatherRequest {
                    offset: table.offset(slot - (usize::from(transformed[0]) << self.digit)),
                    path: *path,
                    count,
                    entries: &ENTRIES[usize::from(self.flip != 0)][usize::from(symmetry)],
                    target,
                };
                queue.push(request, bytes);
            }
            RowKind::King(king) => {
                let mut at = self.space_squares(&at);
                let slice = 6 * space.digits();
                // By symmetry: the offset of the free pieces within the slice of a pair of kings.
                let others: [usize; 8] = std::array::from_fn(|symmetry| {
                    let pieces = 2..2 + space.free;
                    table.offset(pieces.fold(0, |sum, i| {
                        sum | usize::from(transform(at[i], symmetry as u8)) << space.shift(i)
                    }))
                });
                let kings: &Kings = &KINGS;
                for (to, &square) in offsets.zip(&path[..count]) {
                    at[king] = square ^ self.flip;
                    if let Some((pair, symmetry)) = kings.encode(at[0], at[1]) {
                        let offset = (usize::from(pair) << slice) + others[usize::from(symmetry)];
                        bytes[to] = table.load(offset);
                    }
                }
            }
            RowKind::Pawn => {
                for (to, &square) in offsets.zip(&path[..count]) {
                    at[piece] = square;
                    bytes[to] = self.byte(table, &at);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Run;

    use super::*;
    use crate::position::material::{Half, Material};
    use crate::syzygy::index::candidates::piece_orders;

    /// Every range of indices gives the bytes that its positions have one by one.
    #[test]
    fn ranges_give_the_bytes_of_single_positions() {
        let names = ["KQvK", "KQvKR", "KRRvK", "KPPvK", "KPvKP", "KNNvKN"];
        for (name, black) in names.iter().flat_map(|name| [(name, false), (name, true)]) {
            let material: Material = name.parse().unwrap();
            let (white, black_army) = (material.white().clone(), material.black().clone());
            let (attacker, defender) = if black {
                (black_army, white)
            } else {
                (white, black_army)
            };
            let half = Half { attacker, defender };
            let run = Run::serial();
            let table = ValueTable::scrambled(&half, &run);
            let mut swapped = ValueTable::scrambled(&half, &run);
            let mut rng = everymove_kernel::rng::SplitMix64::new(7);
            for order in piece_orders(&material, 2) {
                let permutation = Permutation::new(&table.space, &order, black);
                swapped.make_adjacent(permutation.digit(), &run).unwrap();
                let size = order.size();
                for length in [1, 70, 1024] {
                    let from = rng.below(size - length + 1);
                    let squares = |index| order.squares(&order.group_indices(index));
                    let single: Vec<u8> = (from..from + length)
                        .map(|index| permutation.byte(&table, &squares(index)))
                        .collect();
                    let range = permutation.bytes(&swapped, from, from + length);
                    assert_eq!(range, single, "{name} {order:?} {from}");
                }
            }
        }
    }
}
