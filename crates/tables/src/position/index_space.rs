//! Indices of positions.
//!
//! The pieces of a half have a fixed order: attacker's king, defender's king, attacker's pieces,
//! defender's pieces, attacker's pawns, defender's pawns, each group strongest first. The *free*
//! pieces are those that are neither kings nor pawns.
//!
//! Without pawns a *slice* is one of the 462 pairs of kings up to the eight symmetries of the
//! board; within it, the index is the squares of the free pieces in base 64, the last piece's
//! square lowest: 64^free indices. With pawns a slice is a *P-slice*, the squares of all pawns up
//! to the mirror of files; within it, the index is the squares of both kings and the free pieces:
//! 64^(2 + free) indices. In both cases 64 positions that differ only in the last piece's square
//! are one 64-bit word.
//!
//! The index is redundant where a unique one would cost more to compute: two pieces on one square
//! have an index without meaning; like pieces can be exchanged, and each order has an index of its
//! own; and a pawnless position with both kings on the long diagonal has an index for each of its
//! two reflections in it.

use std::sync::LazyLock;

use crate::position::geometry::{Symmetry, TRANSFORMED, attacks, squares, transform};
use crate::position::material::{Half, Kind};

/// The squares of all pieces in the order of the half; unused entries are 0.
pub(crate) type Squares = [u8; 8];

/// The side of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Side {
    /// The side whose wins are computed.
    Attacker,
    /// The other side.
    Defender,
}

impl Side {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Attacker => Self::Defender,
            Self::Defender => Self::Attacker,
        }
    }
}

/// A piece of a half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) kind: Kind,
    pub(crate) side: Side,
}

/// The positions of a half and their indices.
#[derive(Debug)]
pub(crate) struct IndexSpace {
    pub(crate) half: Half,
    pub(crate) pieces: Vec<Piece>,
    /// Number of pieces that are neither kings nor pawns.
    pub(crate) free: usize,
    pub(crate) pawns: usize,
    /// The squares of the pawns, by P-slice.
    pub(crate) p_slices: Vec<[u8; 4]>,
    /// By the pawns' squares in base 64: twice the P-slice, plus one if the mirror image is the
    /// canonical form.
    lookup: Vec<u32>,
}

/// Canonical pairs of kings.
#[derive(Debug)]
pub(crate) struct Kings {
    /// Attacker's and defender's king, by index; in the order of the attacker's king.
    pub(crate) pairs: Vec<(u8, u8)>,
    /// By attacker's king and defender's king: eight times the index, plus the symmetry that leads
    /// to the canonical form.
    lookup: Vec<u16>,
}

impl Kings {
    fn new() -> Self {
        let apart = |a: u8, d: u8| a != d && attacks(Kind::King, 1 << a, 0) >> d & 1 == 0;
        // The attacker's king in the triangle a1-d1-d4; if it is on the diagonal, the defender's on
        // it or below.
        let numbered = |a: u8, d: u8| {
            let below = |s: u8| (s >> 3).cmp(&(s & 7));
            a & 7 < 4 && a >> 3 < 4 && below(a).then(below(d)).is_le()
        };
        let mut pairs = Vec::new();
        for a in 0..64 {
            pairs.extend(
                (0..64)
                    .filter(|&d| apart(a, d) && numbered(a, d))
                    .map(|d| (a, d)),
            );
        }
        let mut lookup = vec![TOUCHING; 4096];
        for a in 0..64 {
            for d in (0..64).filter(|&d| apart(a, d)) {
                let image = |m| (transform(a, m), transform(d, m));
                let m = (0..8).find(|&m| numbered(image(m).0, image(m).1));
                let number = m.and_then(|m| Some((pairs.binary_search(&image(m)).ok()?, m)));
                lookup[usize::from(a) * 64 + usize::from(d)] =
                    number.map_or(TOUCHING, |(number, m)| (number as u16) << 3 | u16::from(m));
            }
        }
        Self { pairs, lookup }
    }

    /// Returns the index of a pair and the symmetry that takes it to its canonical form; `None` if
    /// the kings are adjacent.
    #[inline]
    pub(crate) fn encode(&self, attacker: u8, defender: u8) -> Option<(u16, Symmetry)> {
        let found = self.lookup[usize::from(attacker) * 64 + usize::from(defender)];
        (found != TOUCHING).then_some((found >> 3, (found & 7) as Symmetry))
    }

    /// Returns the number of pairs with the attacker's king on one of the first `squares` of its
    /// ten canonical squares.
    pub(crate) fn slices_before(&self, squares: usize) -> usize {
        let mut seen = 0;
        let mut last = None;
        for (number, &(attacker, _)) in self.pairs.iter().enumerate() {
            if last != Some(attacker) {
                if seen == squares {
                    return number;
                }
                seen += 1;
                last = Some(attacker);
            }
        }
        self.pairs.len()
    }

    /// Whether both kings of a pair are on the diagonal a1-h8.
    pub(crate) fn on_diagonal(&self, number: usize) -> bool {
        let (a, d) = self.pairs[number];
        a % 9 == 0 && d % 9 == 0
    }
}

/// Entry of the lookup for adjacent kings.
const TOUCHING: u16 = u16::MAX;

/// The 462 pairs of kings.
pub(crate) static KINGS: LazyLock<Kings> = LazyLock::new(Kings::new);

impl IndexSpace {
    pub(crate) fn new(half: &Half) -> Self {
        let mut pieces = vec![
            Piece {
                kind: Kind::King,
                side: Side::Attacker,
            },
            Piece {
                kind: Kind::King,
                side: Side::Defender,
            },
        ];
        let armies = [
            (Side::Attacker, &half.attacker),
            (Side::Defender, &half.defender),
        ];
        for pawn in [false, true] {
            for (side, army) in armies {
                let fitting = army
                    .pieces()
                    .iter()
                    .filter(|&&k| (k == Kind::Pawn) == pawn)
                    .map(|&kind| Piece { kind, side });
                pieces.extend(fitting);
            }
        }
        let pawns = half.attacker.pawns() + half.defender.pawns();
        let free = pieces.len() - 2 - pawns;
        let (p_slices, lookup) = enumerate_p_slices(half.attacker.pawns(), half.defender.pawns());
        Self {
            half: half.clone(),
            pieces,
            free,
            pawns,
            p_slices,
            lookup,
        }
    }

    /// Number of pieces whose squares are digits of the index within a slice.
    pub(crate) fn digits(&self) -> usize {
        self.free + if self.pawns > 0 { 2 } else { 0 }
    }

    /// Number of indices of one slice.
    pub(crate) fn slice_len(&self) -> usize {
        1 << (6 * self.digits())
    }

    pub(crate) fn slices(&self) -> usize {
        if self.pawns > 0 {
            self.p_slices.len()
        } else {
            KINGS.pairs.len()
        }
    }

    /// Bytes of the lookup of P-slices.
    pub(crate) fn lookup_bytes(&self) -> u64 {
        4 * self.lookup.len() as u64
    }

    /// Number of indices.
    pub(crate) fn len(&self) -> usize {
        self.slices() * self.slice_len()
    }

    /// Returns the piece whose square is the bit within a word: the last free piece, or the
    /// defender's king if there is none.
    pub(crate) fn word_piece(&self) -> usize {
        1 + self.free
    }

    /// Returns the shift, in bits, of a piece's square in an index.
    #[inline]
    pub(crate) fn shift(&self, piece: usize) -> usize {
        6 * (1 + self.free - piece)
    }

    /// Returns the index of a position and the symmetry that leads to its canonical form; `None` if
    /// there are no pawns and the kings are adjacent.
    #[inline]
    pub(crate) fn encode(&self, at: &Squares) -> Option<(usize, Symmetry)> {
        let (slice, m, first) = if self.pawns > 0 {
            let found = self.lookup[key(&at[2 + self.free..self.pieces.len()])];
            ((found >> 1) as usize, (found & 1) as Symmetry, 0)
        } else {
            let (slice, m) = KINGS.encode(at[0], at[1])?;
            (usize::from(slice), m, 2)
        };
        let turned = &TRANSFORMED[usize::from(m)];
        let mut index = slice;
        for &square in &at[first..2 + self.free] {
            index = index << 6 | usize::from(turned[usize::from(square & 63)]);
        }
        Some((index, m))
    }

    /// Returns the P-slice of the attacker's pawns' squares followed by the defender's.
    pub(crate) fn p_slice(&self, pawns: &[u8]) -> usize {
        (self.lookup[key(pawns)] >> 1) as usize
    }

    /// Returns the squares of the pieces at an index.
    pub(crate) fn decode(&self, index: usize) -> Squares {
        let mut at = [0; 8];
        let slice = index >> (6 * self.digits());
        let first = if self.pawns > 0 {
            at[2 + self.free..self.pieces.len()]
                .copy_from_slice(&self.p_slices[slice][..self.pawns]);
            0
        } else {
            (at[0], at[1]) = KINGS.pairs[slice];
            2
        };
        for (piece, square) in at.iter_mut().enumerate().take(2 + self.free).skip(first) {
            *square = (index >> self.shift(piece) & 63) as u8;
        }
        at
    }

    /// Returns the number of positions, not reduced by symmetry, that each index of a slice
    /// represents.
    pub(crate) fn weight(&self, slice: usize) -> u64 {
        if self.pawns > 0 {
            // A constellation that is its own mirror image has a number for each of the two
            // reflections.
            if self.is_own_mirror(slice) { 1 } else { 2 }
        } else if KINGS.on_diagonal(slice) {
            4
        } else {
            8
        }
    }

    /// Whether a slice is mapped to itself by a symmetry, so that a position and its image have
    /// separate indices in it.
    pub(crate) fn is_own_mirror(&self, slice: usize) -> bool {
        if self.pawns == 0 {
            return KINGS.on_diagonal(slice);
        }
        let mirror = self.p_slices[slice].map(|s| s ^ 7);
        self.lookup[key(&mirror[..self.pawns])] == (slice as u32) << 1
    }

    /// The squares after the reflection that maps the slices to themselves that are their own
    /// mirror.
    pub(crate) fn reflected(&self, at: &Squares) -> Squares {
        let symmetry = if self.pawns > 0 { 1 } else { 4 };
        at.map(|square| transform(square, symmetry))
    }

    /// Sorts the squares of like pieces.
    pub(crate) fn sort_like(&self, at: &mut Squares) {
        let mut start = 0;
        for like in self.pieces.chunk_by(|one, other| one == other) {
            at[start..start + like.len()].sort_unstable();
            start += like.len();
        }
    }

    /// Number of permutations of like pieces other than pawns; each has an index of its own.
    pub(crate) fn exchanges(&self) -> u64 {
        exchanges(&self.pieces[2..2 + self.free])
    }

    /// Number of permutations of like pawns; all have one index.
    pub(crate) fn pawn_exchanges(&self) -> u64 {
        exchanges(&self.pieces[2 + self.free..])
    }
}

/// Number of permutations of like pieces, which must be adjacent in `pieces`.
fn exchanges(pieces: &[Piece]) -> u64 {
    let mut product = 1;
    let mut run = 1;
    for pair in pieces.windows(2) {
        run = if pair[0] == pair[1] { run + 1 } else { 1 };
        product *= run;
    }
    product
}

/// Squares as digits in base 64.
#[inline]
fn key(squares: &[u8]) -> usize {
    squares.iter().fold(0, |key, &s| key << 6 | usize::from(s))
}

/// Enumerates the P-slices up to mirror image and exchange of like pawns, with their lookup.
fn enumerate_p_slices(attackers: usize, defenders: usize) -> (Vec<[u8; 4]>, Vec<u32>) {
    let pawns = attackers + defenders;
    if pawns == 0 {
        return (Vec::new(), Vec::new());
    }
    let ordered = |mut at: [u8; 4]| {
        at[..attackers].sort_unstable();
        at[attackers..pawns].sort_unstable();
        at
    };
    let mut found = Vec::new();
    let mut lookup = vec![u32::MAX; 1 << (6 * pawns)];
    for key in 0..lookup.len() {
        let mut at = [0u8; 4];
        for (i, square) in at[..pawns].iter_mut().enumerate() {
            *square = (key >> (6 * (pawns - 1 - i)) & 63) as u8;
        }
        let pieces = &at[..pawns];
        let set = pieces.iter().fold(0u64, |set, &s| set | 1 << s);
        if set.count_ones() as usize != pawns || set & 0xff00_0000_0000_00ff != 0 {
            continue;
        }
        let own = ordered(at);
        let mirror = ordered(at.map(|s| s ^ 7));
        // Keys ascend, so the numbered form, the smaller one, comes before every other form of it.
        let form = mirrored_min(own, mirror, pawns);
        if form == at {
            lookup[key] = (found.len() as u32) << 1;
            found.push(at);
        } else {
            lookup[key] = lookup[self::key(&form[..pawns])] | u32::from(form != own);
        }
    }
    (found, lookup)
}

fn mirrored_min(own: [u8; 4], mirror: [u8; 4], pawns: usize) -> [u8; 4] {
    if mirror[..pawns] < own[..pawns] {
        let mut form = [0; 4];
        form[..pawns].copy_from_slice(&mirror[..pawns]);
        form
    } else {
        own
    }
}

/// Iterates over the indices of the positions of a word's set.
pub(crate) fn indices(word: usize, set: u64) -> impl Iterator<Item = usize> {
    squares(set).map(move |s| word << 6 | usize::from(s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::material::Material;

    #[test]
    fn there_are_462_pairs_of_kings() {
        assert_eq!(KINGS.pairs.len(), 462);
        let all = (0..64u8)
            .flat_map(|a| (0..64).map(move |d| (a, d)))
            .filter(|&(a, d)| KINGS.encode(a, d).is_some());
        assert_eq!(all.count(), 3612);
        let weights: u64 = (0..462)
            .map(|k| if KINGS.on_diagonal(k) { 4 } else { 8 })
            .sum();
        // Pairs with both kings on the diagonal have two symmetries that lead to them.
        assert_eq!(weights, 3612);
    }

    #[test]
    fn numbers_lead_to_squares_and_back() {
        for name in ["KRBvKR", "KPvK", "KPPvKP", "KNNvKP", "KQvK"] {
            let material: Material = name.parse().unwrap();
            for half in material.halves() {
                let space = IndexSpace::new(&half);
                let mut step = 0;
                while step < space.len() {
                    let at = space.decode(step);
                    assert_eq!(space.encode(&at), Some((step, 0)), "{half} {step}");
                    for m in 0..if space.pawns > 0 { 2 } else { 8 } {
                        let image = at.map(|s| transform(s, m));
                        let (index, _) = space.encode(&image).unwrap();
                        let twin = space.is_own_mirror(step / space.slice_len());
                        assert!(index == step || twin, "{half} {step} {m}");
                    }
                    step += 1 + space.len() / 20_011;
                }
            }
        }
    }
}
