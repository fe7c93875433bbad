//! A part of an index space that is closed under quiet moves: all of it without pawns, one P-slice
//! with pawns. Quiet moves lead from word to word: 64 positions that differ only in the last
//! piece's square are processed at once.

use std::sync::Arc;

use crate::position::geometry::{
    GEOMETRY, Symmetry, attacks, inverse, squares, transform, transform_word,
};
use crate::position::index_space::{IndexSpace, KINGS, Piece, Side, Squares};
use crate::position::material::Kind;

/// The result of a king's move where the slice is a pair of kings.
#[derive(Clone, Copy, Debug)]
struct KingStep {
    to: u8,
    slice: u16,
    symmetry: Symmetry,
}

/// A part of an index space that is closed under quiet moves.
#[derive(Debug)]
pub(crate) struct Subspace {
    pub(crate) space: Arc<IndexSpace>,
    /// The P-slice, if there are pawns.
    pub(crate) slice: Option<usize>,
    /// The pawns' squares at their entries; all other entries are 0.
    base: Squares,
    pawn_set: u64,
    /// By king (attacker's, defender's) and slice.
    king_steps: [Vec<Vec<KingStep>>; 2],
    pub(crate) words: usize,
}

/// The squares of all pieces of a word but the one whose square is the bit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    /// By piece; the entry of the word piece has no meaning.
    pub(crate) at: Squares,
    pub(crate) occupied: u64,
    slice: usize,
}

impl Subspace {
    /// Returns the subspace of a space without pawns, or of one P-slice.
    pub(crate) fn new(space: Arc<IndexSpace>, slice: Option<usize>) -> Self {
        let mut base = [0; 8];
        let mut king_steps = [Vec::new(), Vec::new()];
        let words = if let Some(slice) = slice {
            base[2 + space.free..space.pieces.len()]
                .copy_from_slice(&space.p_slices[slice][..space.pawns]);
            space.slice_len() / 64
        } else {
            king_steps = [king_steps_of(0), king_steps_of(1)];
            space.len() / 64
        };
        let pawn_set = base[2 + space.free..space.pieces.len()]
            .iter()
            .fold(0, |set, &s| set | 1 << s);
        Self {
            space,
            slice,
            base,
            pawn_set,
            king_steps,
            words,
        }
    }

    pub(crate) fn piece(&self, piece: usize) -> Piece {
        self.space.pieces[piece]
    }

    pub(crate) fn word_piece(&self) -> usize {
        self.space.word_piece()
    }

    /// Iterates over the kings and pieces of a side that are not pawns.
    pub(crate) fn pieces(&self, side: Side) -> impl Iterator<Item = usize> + '_ {
        (0..2 + self.space.free).filter(move |&piece| self.space.pieces[piece].side == side)
    }

    /// Returns the shift, in bits, of a piece's square in the index of a word.
    #[inline]
    fn shift(&self, piece: usize) -> usize {
        6 * (self.space.free - piece)
    }

    /// Returns the placement of a word; `None` if two of its pieces are on one square.
    #[inline]
    pub(crate) fn placement(&self, word: usize) -> Option<Placement> {
        let mut at = self.base;
        let free = self.space.free;
        let mut occupied = self.pawn_set;
        let mut pieces = self.space.pawns;
        let (first, slice) = if self.slice.is_some() {
            (0, 0)
        } else {
            let slice = word >> (6 * (free - 1));
            (at[0], at[1]) = KINGS.pairs[slice];
            occupied = 1 << at[0] | 1 << at[1];
            pieces = 2;
            (2, slice)
        };
        for (piece, square) in at.iter_mut().enumerate().take(1 + free).skip(first) {
            *square = (word >> self.shift(piece) & 63) as u8;
            occupied |= 1 << *square;
            pieces += 1;
        }
        (occupied.count_ones() as usize == pieces).then_some(Placement {
            at,
            occupied,
            slice,
        })
    }

    /// Calls `visit(word, path, symmetry)` for every word that a quiet move of a piece other than
    /// the word piece leads to (or comes from): `path` is the set of squares on which the word
    /// piece blocks the move, `symmetry` takes a set of this word to that one. A word with both
    /// kings on the diagonal is visited in both reflections if `reflections`
    /// is `Reflections::Both`.
    #[inline]
    pub(crate) fn steps(
        &self,
        word: usize,
        placed: &Placement,
        piece: usize,
        reflections: Reflections,
        mut visit: impl FnMut(usize, u64, Symmetry),
    ) {
        let kind = self.space.pieces[piece].kind;
        let from = placed.at[piece];
        if self.slice.is_none() && piece < 2 {
            for step in &self.king_steps[piece][placed.slice] {
                if placed.occupied >> step.to & 1 != 0 {
                    continue;
                }
                let slice = usize::from(step.slice);
                let m = step.symmetry;
                visit(self.word_at(slice, placed, m), 1 << step.to, m);
                if reflections == Reflections::Both && KINGS.on_diagonal(slice) {
                    // The reflection in the diagonal after m.
                    let twin = reflected(m);
                    visit(self.word_at(slice, placed, twin), 1 << step.to, twin);
                }
            }
            return;
        }
        let shift = self.shift(piece);
        let rest = word & !(63 << shift);
        GEOMETRY.steps(kind, from, placed.occupied, |to, path| {
            visit(rest | usize::from(to) << shift, path, 0);
        });
    }

    /// Returns the word of a slice with all free pieces but the last on the images of their squares
    /// under a symmetry.
    #[inline]
    fn word_at(&self, slice: usize, placed: &Placement, m: Symmetry) -> usize {
        let mut word = slice;
        for piece in 2..1 + self.space.free {
            word = word << 6 | usize::from(transform(placed.at[piece], m));
        }
        word
    }

    /// Returns the squares that the word piece reaches (or comes from) by a quiet move from a
    /// square of `set`.
    #[inline]
    pub(crate) fn word_moves(&self, placed: &Placement, set: u64) -> u64 {
        let kind = self.space.pieces[self.word_piece()].kind;
        attacks(kind, set, !placed.occupied) & !placed.occupied
    }

    /// Returns the squares of the word piece for which a side's king is attacked.
    pub(crate) fn king_attacked(&self, placed: &Placement, side: Side) -> u64 {
        let king = usize::from(side == Side::Defender);
        let word_piece = self.word_piece();
        if king == word_piece {
            return self.attacked_squares(placed, side.other());
        }
        let target = placed.at[king];
        let mut attacked = 0;
        for (piece, of) in self.space.pieces.iter().enumerate() {
            if of.side == side {
                continue;
            }
            if piece == word_piece {
                attacked |= attacks(of.kind, 1 << target, !placed.occupied) & !placed.occupied;
            } else if let Some(between) = GEOMETRY.line(
                of.kind,
                of.side == Side::Attacker,
                placed.at[piece],
                target,
                placed.occupied,
            ) {
                attacked |= !between;
            }
        }
        attacked
    }

    /// Returns the squares that a side attacks, without the attacks of its word piece.
    fn attacked_squares(&self, placed: &Placement, side: Side) -> u64 {
        let mut attacked = 0;
        for (piece, of) in self.space.pieces.iter().enumerate() {
            if of.side != side || piece == self.word_piece() {
                continue;
            }
            attacked |= match of.kind {
                Kind::Pawn => crate::position::geometry::pawn_attacks(
                    placed.at[piece],
                    side == Side::Attacker,
                ),
                kind => attacks(kind, 1 << placed.at[piece], !placed.occupied),
            };
        }
        attacked
    }
}

/// Which of the two forms of a word in a slice that is its own reflection are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reflections {
    /// One form: enough to read a value.
    One,
    /// Both forms: needed to mark a value.
    Both,
}

/// Returns the symmetry that applies `m` and then transposes files and ranks.
const fn reflected(m: Symmetry) -> Symmetry {
    m ^ 4
}

fn king_steps_of(king: usize) -> Vec<Vec<KingStep>> {
    let steps = |&(a, d): &(u8, u8)| {
        let from = if king == 0 { a } else { d };
        let to = squares(attacks(Kind::King, 1 << from, 0));
        to.filter_map(|to| {
            let (slice, symmetry) = if king == 0 {
                KINGS.encode(to, d)
            } else {
                KINGS.encode(a, to)
            }?;
            Some(KingStep {
                to,
                slice,
                symmetry,
            })
        })
        .collect()
    };
    KINGS.pairs.iter().map(steps).collect()
}

/// Transforms a set of a word to the word from which a move with `symmetry` came.
#[inline]
pub(crate) fn back(set: u64, symmetry: Symmetry) -> u64 {
    if symmetry == 0 {
        set
    } else {
        transform_word(set, inverse(symmetry))
    }
}

/// Transforms a set of a word to the word to which a move with `symmetry` leads.
#[inline]
pub(crate) fn forth(set: u64, symmetry: Symmetry) -> u64 {
    if symmetry == 0 {
        set
    } else {
        transform_word(set, symmetry)
    }
}
