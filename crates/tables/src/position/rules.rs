//! The rules that tables need beside the fills: whether a side has a legal move.

use crate::position::geometry::{attacks, pawn_attacks, squares};
use crate::position::index_space::{Piece, Side, Squares};
use crate::position::material::Kind;

/// Whether a side has a legal move other than an en passant capture.
pub(crate) fn has_move(pieces: &[Piece], at: &Squares, side: Side) -> bool {
    let set = |side: Side| {
        let of_side = (0..pieces.len()).filter(|&i| pieces[i].side == side);
        of_side.fold(0u64, |set, i| set | 1 << at[i])
    };
    let (own, other) = (set(side), set(side.other()));
    let up = side == Side::Attacker;
    (0..pieces.len())
        .filter(|&i| pieces[i].side == side)
        .any(|mover| {
            let from = at[mover];
            let targets = if pieces[mover].kind == Kind::Pawn {
                let step = |set: u64| if up { set << 8 } else { set >> 8 } & !(own | other);
                let one = step(1 << from);
                let home = if up { 1 } else { 6 };
                let two = if from >> 3 == home { step(one) } else { 0 };
                one | two | pawn_attacks(from, up) & other
            } else {
                attacks(pieces[mover].kind, 1 << from, !(own | other)) & !own
            };
            squares(targets).any(|to| {
                let mut after = *at;
                after[mover] = to;
                let taken = (0..pieces.len()).find(|&i| i != mover && at[i] == to);
                !in_check(pieces, &after, side, taken)
            })
        })
}

/// Whether a side's king is attacked when one piece has been taken off.
pub(crate) fn in_check(pieces: &[Piece], at: &Squares, side: Side, gone: Option<usize>) -> bool {
    let there = |&i: &usize| Some(i) != gone;
    let occupied = (0..pieces.len())
        .filter(there)
        .fold(0u64, |set, i| set | 1 << at[i]);
    let king = at[usize::from(side == Side::Defender)];
    (0..pieces.len())
        .filter(there)
        .filter(|&i| pieces[i].side != side)
        .any(|i| {
            let reach = match pieces[i].kind {
                Kind::Pawn => pawn_attacks(at[i], pieces[i].side == Side::Attacker),
                kind => attacks(kind, 1 << at[i], !occupied),
            };
            reach >> king & 1 != 0
        })
}
