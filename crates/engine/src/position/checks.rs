//! Squares from which pieces give check.

use shakmaty::Bitboard;
use shakmaty::attacks::{bishop_attacks, knight_attacks, pawn_attacks, rook_attacks};

use super::Position;

impl Position {
    /// By role: the empty squares from which a piece of the side to move gives check.
    pub(crate) fn check_squares(&self) -> [Bitboard; 7] {
        let board = self.board();
        let (them, free) = (!self.turn(), !board.occupied());
        let none = Bitboard::EMPTY;
        let Some(king) = board.king_of(them) else {
            return [none; 7];
        };
        let pawn = pawn_attacks(them, king) & free;
        let knight = knight_attacks(king) & free;
        let diagonal = bishop_attacks(king, board.occupied()) & free;
        let straight = rook_attacks(king, board.occupied()) & free;
        [
            none,
            pawn,
            knight,
            diagonal,
            straight,
            diagonal | straight,
            none,
        ]
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Move, Role};

    use super::super::generate::tests::for_positions;

    #[test]
    fn moves_to_these_squares_give_check() {
        let mut seen = 0;
        for_positions(|position| {
            let squares = position.check_squares();
            for m in position.legal_moves() {
                let Move::Normal {
                    role,
                    capture: None,
                    to,
                    promotion: None,
                    ..
                } = m
                else {
                    continue;
                };
                let checks = position.play(m).checkers().contains(to);
                let expected = squares[role as usize].contains(to);
                // A piece that leaves the line between a slider of its own and the king may give
                // check from a square behind it.
                assert!(
                    checks || !expected,
                    "{} {}",
                    position.fen(),
                    position.uci(m)
                );
                if role != Role::King && !expected && checks {
                    let from = m.from().unwrap();
                    let king = position.board().king_of(!position.turn()).unwrap();
                    assert!(shakmaty::attacks::aligned(from, to, king));
                }
                seen += u32::from(expected);
            }
        });
        assert!(seen > 100, "{seen}");
    }
}
