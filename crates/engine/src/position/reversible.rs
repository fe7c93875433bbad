//! Pairs of positions that one reversible move joins, found by their keys alone.
//!
//! The exclusive-or of the keys of two positions that differ by one move of a piece other than a
//! pawn, and by the side to move, is one of 3,668 numbers. They are in a hash table with two places
//! for each (M. N. J. van Kervinck, "The design and implementation of the Rookie 2.0 chess playing
//! program", 2002).

use std::sync::LazyLock;

use shakmaty::attacks::{attacks, between};
use shakmaty::{Bitboard, Color, Piece, Role, Square};

use super::keys;

const PLACES: usize = 8192;

/// A move there and back: the difference of keys that it makes, and the squares between its ends.
#[derive(Clone, Copy, Default)]
struct Reversible {
    difference: u64,
    between: Bitboard,
}

fn first(difference: u64) -> usize {
    difference as usize % PLACES
}

fn second(difference: u64) -> usize {
    (difference >> 16) as usize % PLACES
}

static MOVES: LazyLock<Box<[Reversible]>> = LazyLock::new(|| {
    let mut table = vec![Reversible::default(); PLACES];
    let roles = [
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::King,
    ];
    for piece in roles
        .into_iter()
        .flat_map(|role| Color::ALL.map(|side| role.of(side)))
    {
        for from in Square::ALL {
            for to in attacks(from, piece, Bitboard::EMPTY)
                .into_iter()
                .filter(|&to| to > from)
            {
                insert(&mut table, of(piece, from, to));
            }
        }
    }
    table.into()
});

fn of(piece: Piece, from: Square, to: Square) -> Reversible {
    let difference = keys::piece(piece, from) ^ keys::piece(piece, to) ^ keys::black_to_move();
    Reversible {
        difference,
        between: between(from, to),
    }
}

/// Puts an entry in one of its two places; the one that was there moves to its other place.
fn insert(table: &mut [Reversible], entry: Reversible) {
    let mut entry = entry;
    let mut place = first(entry.difference);
    loop {
        std::mem::swap(&mut table[place], &mut entry);
        if entry.difference == 0 {
            return;
        }
        place = first(entry.difference) + second(entry.difference) - place;
    }
}

/// Whether a reversible move joins two positions whose keys differ by `difference`, in one of which
/// these squares are occupied.
#[inline]
pub(crate) fn joins(difference: u64, occupied: Bitboard) -> bool {
    let joins = |place: usize| {
        let entry = &MOVES[place];
        entry.difference == difference && (entry.between & occupied).is_empty()
    };
    joins(first(difference)) || joins(second(difference))
}

#[cfg(test)]
mod tests {
    use shakmaty::{Move, Position as _};

    use super::super::generate::tests::for_positions;
    use super::*;

    #[test]
    fn every_reversible_move_has_a_place() {
        let kept = MOVES.iter().filter(|entry| entry.difference != 0).count();
        assert_eq!(kept, 3668);
    }

    #[test]
    fn two_positions_are_joined_by_moves_of_pieces_that_take_nothing() {
        for_positions(|position| {
            for m in position.legal_moves() {
                let reversible = match m {
                    Move::Normal { role, capture, .. } => role != Role::Pawn && capture.is_none(),
                    _ => false,
                };
                let after = position.play(m);
                let same_rights = position.chess().castles().castling_rights()
                    == after.chess().castles().castling_rights();
                let no_pawn_passed = position.chess().maybe_ep_square().is_none();
                let difference = position.keys().all ^ after.keys().all;
                if same_rights && no_pawn_passed {
                    let joined = joins(difference, after.board().occupied());
                    assert_eq!(joined, reversible, "{} {}", position.fen(), position.uci(m));
                }
            }
        });
    }

    #[test]
    fn a_piece_in_between_prevents_the_move() {
        let rook = Role::Rook.of(Color::White);
        let difference = of(rook, Square::A1, Square::A8).difference;
        assert!(joins(difference, Bitboard::EMPTY));
        assert!(!joins(difference, Bitboard::from_square(Square::A4)));
    }
}
