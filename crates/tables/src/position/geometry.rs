//! Sets of squares as 64-bit words: fills, lines, symmetries.
//!
//! Squares are a1 = 0, b1 = 1, ..., h8 = 63; bit `s` of a word is square `s`.

use std::sync::LazyLock;

use crate::position::material::Kind;

/// All files but h: the squares from which a step east stays on the board.
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
/// All files but a: the squares from which a step west stays on the board.
const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_GH: u64 = 0x3f3f_3f3f_3f3f_3f3f;
const NOT_AB: u64 = 0xfcfc_fcfc_fcfc_fcfc;

/// One of the eight symmetries of the board: bit 0 mirrors the files, bit 1 mirrors the ranks, then
/// bit 2 transposes files and ranks.
pub(crate) type Symmetry = u8;

/// Returns the image of a square under a symmetry.
pub(crate) const fn transform(square: u8, symmetry: Symmetry) -> u8 {
    let mut s = square;
    if symmetry & 1 != 0 {
        s ^= 7;
    }
    if symmetry & 2 != 0 {
        s ^= 56;
    }
    if symmetry & 4 != 0 {
        s = s >> 3 | (s & 7) << 3;
    }
    s
}

/// Images of squares, by symmetry and square.
pub(crate) static TRANSFORMED: [[u8; 64]; 8] = {
    let mut to = [[0; 64]; 8];
    let mut i = 0;
    while i < 512 {
        to[i / 64][i % 64] = transform((i % 64) as u8, (i / 64) as u8);
        i += 1;
    }
    to
};

/// Returns the inverse of a symmetry.
pub(crate) const fn inverse(symmetry: Symmetry) -> Symmetry {
    match symmetry {
        5 => 6,
        6 => 5,
        own => own,
    }
}

/// Returns the image of a set of squares under a symmetry (delta swaps: Warren, *Hacker's Delight*,
/// 7-3).
#[inline]
pub(crate) const fn transform_word(set: u64, symmetry: Symmetry) -> u64 {
    let mut x = set;
    if symmetry & 1 != 0 {
        x = (x >> 1 & 0x5555_5555_5555_5555) | (x & 0x5555_5555_5555_5555) << 1;
        x = (x >> 2 & 0x3333_3333_3333_3333) | (x & 0x3333_3333_3333_3333) << 2;
        x = (x >> 4 & 0x0f0f_0f0f_0f0f_0f0f) | (x & 0x0f0f_0f0f_0f0f_0f0f) << 4;
    }
    if symmetry & 2 != 0 {
        x = x.swap_bytes();
    }
    if symmetry & 4 != 0 {
        let mut t = 0x0f0f_0f0f_0000_0000 & (x ^ (x << 28));
        x ^= t ^ (t >> 28);
        t = 0x3333_0000_3333_0000 & (x ^ (x << 14));
        x ^= t ^ (t >> 14);
        t = 0x5500_5500_5500_5500 & (x ^ (x << 7));
        x ^= t ^ (t >> 7);
    }
    x
}

/// Fills a ray in one direction: every square up to and including the first that is not empty
/// (Kogge and Stone).
macro_rules! ray {
    ($from:expr, $empty:expr, $op:tt, $step:literal, $wrap:expr) => {{
        let mut g = $from;
        let mut p = $empty & $wrap;
        g |= p & (g $op $step);
        p &= p $op $step;
        g |= p & (g $op (2 * $step));
        p &= p $op (2 * $step);
        g |= p & (g $op (4 * $step));
        (g $op $step) & $wrap
    }};
}

fn rook(from: u64, empty: u64) -> u64 {
    ray!(from, empty, <<, 8, u64::MAX)
        | ray!(from, empty, >>, 8, u64::MAX)
        | ray!(from, empty, <<, 1, NOT_A)
        | ray!(from, empty, >>, 1, NOT_H)
}

fn bishop(from: u64, empty: u64) -> u64 {
    ray!(from, empty, <<, 9, NOT_A)
        | ray!(from, empty, >>, 7, NOT_A)
        | ray!(from, empty, <<, 7, NOT_H)
        | ray!(from, empty, >>, 9, NOT_H)
}

fn knight(from: u64) -> u64 {
    let (e1, w1) = (from << 1 & NOT_A, from >> 1 & NOT_H);
    let (e2, w2) = (from << 2 & NOT_AB, from >> 2 & NOT_GH);
    (e1 | w1) << 16 | (e1 | w1) >> 16 | (e2 | w2) << 8 | (e2 | w2) >> 8
}

fn king(from: u64) -> u64 {
    let beside = (from << 1 & NOT_A) | (from >> 1 & NOT_H);
    let row = from | beside;
    beside | row << 8 | row >> 8
}

/// Returns the squares attacked by pieces of one kind (not pawns) on any square of `from`, occupied
/// squares included.
#[inline]
pub(crate) fn attacks(kind: Kind, from: u64, empty: u64) -> u64 {
    match kind {
        Kind::King => king(from),
        Kind::Queen => rook(from, empty) | bishop(from, empty),
        Kind::Rook => rook(from, empty),
        Kind::Bishop => bishop(from, empty),
        Kind::Knight => knight(from),
        Kind::Pawn => unreachable!("pawns have a direction"),
    }
}

/// Returns the squares attacked by a pawn that moves up (`up`) or down the board.
pub(crate) const fn pawn_attacks(square: u8, up: bool) -> u64 {
    let from = 1u64 << square;
    let row = if up { from << 8 } else { from >> 8 };
    (row << 1 & NOT_A) | (row >> 1 & NOT_H)
}

/// The squares of a line from a square's neighbour to the edge, nearest first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ray {
    squares: [u8; 7],
    length: u8,
}

impl Ray {
    pub(crate) fn squares(&self) -> &[u8] {
        &self.squares[..usize::from(self.length)]
    }
}

/// Tables of rays, leaps and the squares between two squares.
#[derive(Debug)]
pub(crate) struct Geometry {
    /// Four rook directions, then four bishop directions.
    rays: Vec<[Ray; 8]>,
    knight: Vec<Ray8>,
    king: Vec<Ray8>,
    /// The squares strictly between two squares on a line; all bits set where there is no such
    /// line.
    rook_between: Vec<[u64; 64]>,
    bishop_between: Vec<[u64; 64]>,
}

/// Up to eight squares that a leaper reaches.
#[derive(Clone, Copy, Debug, Default)]
struct Ray8 {
    squares: [u8; 8],
    length: u8,
}

impl Geometry {
    fn new() -> Self {
        let steps = [
            (1, 0),
            (-1, 0),
            (0, 1),
            (0, -1),
            (1, 1),
            (1, -1),
            (-1, 1),
            (-1, -1),
        ];
        let mut rays = vec![[Ray::default(); 8]; 64];
        let mut rook_between = vec![[u64::MAX; 64]; 64];
        let mut bishop_between = vec![[u64::MAX; 64]; 64];
        for from in 0..64u8 {
            for (direction, (df, dr)) in steps.into_iter().enumerate() {
                let ray = &mut rays[usize::from(from)][direction];
                let (mut file, mut rank) = ((from & 7) as i8 + df, (from >> 3) as i8 + dr);
                let mut path = 0;
                while (0..8).contains(&file) && (0..8).contains(&rank) {
                    let square = (rank * 8 + file) as u8;
                    let table = if direction < 4 {
                        &mut rook_between
                    } else {
                        &mut bishop_between
                    };
                    table[usize::from(from)][usize::from(square)] = path;
                    path |= 1 << square;
                    ray.squares[usize::from(ray.length)] = square;
                    ray.length += 1;
                    file += df;
                    rank += dr;
                }
            }
        }
        let leaps = |set: fn(u64) -> u64| {
            (0..64)
                .map(|s| {
                    let mut leaps = Ray8::default();
                    for square in squares(set(1 << s)) {
                        leaps.squares[usize::from(leaps.length)] = square;
                        leaps.length += 1;
                    }
                    leaps
                })
                .collect()
        };
        Self {
            rays,
            knight: leaps(knight),
            king: leaps(king),
            rook_between,
            bishop_between,
        }
    }

    /// Calls `visit(to, path)` for every square `to` that a piece on `from` reaches without passing
    /// `occupied`; `path` is the set of squares that must be empty for it, `to` included.
    #[inline]
    pub(crate) fn steps(
        &self,
        kind: Kind,
        from: u8,
        occupied: u64,
        mut visit: impl FnMut(u8, u64),
    ) {
        let lines = match kind {
            Kind::Queen => 0..8,
            Kind::Rook => 0..4,
            Kind::Bishop => 4..8,
            Kind::Knight | Kind::King => {
                let table = if kind == Kind::King {
                    &self.king
                } else {
                    &self.knight
                };
                let leaps = &table[usize::from(from)];
                for &to in &leaps.squares[..usize::from(leaps.length)] {
                    if occupied >> to & 1 == 0 {
                        visit(to, 1 << to);
                    }
                }
                return;
            }
            Kind::Pawn => unreachable!("pawns move by conversion"),
        };
        for ray in &self.rays[usize::from(from)][lines] {
            let mut path = 0;
            for &to in ray.squares() {
                if occupied >> to & 1 != 0 {
                    break;
                }
                path |= 1 << to;
                visit(to, path);
            }
        }
    }

    /// Returns the squares between `from` and `to` if a piece on `from` attacks `to` with only
    /// `occupied` as blockers, `None` if it does not.
    #[inline]
    pub(crate) fn line(
        &self,
        kind: Kind,
        up: bool,
        from: u8,
        to: u8,
        occupied: u64,
    ) -> Option<u64> {
        let (f, t) = (usize::from(from), usize::from(to));
        let between = match kind {
            Kind::King => return (king(1 << from) >> to & 1 != 0).then_some(0),
            Kind::Knight => return (knight(1 << from) >> to & 1 != 0).then_some(0),
            Kind::Pawn => return (pawn_attacks(from, up) >> to & 1 != 0).then_some(0),
            Kind::Rook => self.rook_between[f][t],
            Kind::Bishop => self.bishop_between[f][t],
            Kind::Queen => self.rook_between[f][t] & self.bishop_between[f][t],
        };
        (between != u64::MAX && between & occupied == 0).then_some(between)
    }
}

/// The tables, computed on first use.
pub(crate) static GEOMETRY: LazyLock<Geometry> = LazyLock::new(Geometry::new);

/// Iterates over the squares of a set in ascending order.
#[inline]
pub(crate) fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros();
        (square < 64).then(|| {
            set &= set - 1;
            square as u8
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn symmetries_undo_each_other() {
        for m in 0..8 {
            for s in 0..64 {
                assert_eq!(transform(transform(s, m), inverse(m)), s);
                assert_eq!(transform_word(1 << s, m), 1 << transform(s, m));
            }
        }
    }

    proptest! {
        /// A set of pieces attacks the union of what its members attack.
        #[test]
        fn sets_attack_what_their_members_do(from: u64, occupied: u64) {
            let empty = !occupied;
            for kind in [Kind::Queen, Kind::Rook, Kind::Bishop, Kind::Knight, Kind::King] {
                let each = squares(from).fold(0, |all, s| all | attacks(kind, 1 << s, empty));
                prop_assert_eq!(attacks(kind, from, empty), each, "{:?}", kind);
            }
        }

        /// Fills agree with rays walked square by square.
        #[test]
        fn fills_are_walks(from in 0u8..64, occupied: u64) {
            let occupied = occupied & !(1 << from);
            for kind in [Kind::Queen, Kind::Rook, Kind::Bishop, Kind::Knight, Kind::King] {
                let mut walked = 0u64;
                GEOMETRY.steps(kind, from, occupied, |to, _| walked |= 1 << to);
                let filled = attacks(kind, 1 << from, !occupied);
                prop_assert_eq!(filled & !occupied, walked);
                for to in 0..64u8 {
                    let line = to != from && GEOMETRY.line(kind, true, from, to, occupied).is_some();
                    prop_assert_eq!(line, filled >> to & 1 != 0, "{:?} {} {}", kind, from, to);
                }
            }
        }
    }
}
