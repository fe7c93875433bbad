//! Legal moves by kind, for the search: captures alone, one known move, the existence of a move.
//! The rules are shakmaty's; the tests compare with its list of legal moves.

use shakmaty::attacks::{
    aligned, between, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, rook_attacks,
};
use shakmaty::{Bitboard, Board, Color, Move, Position as _, Role, Square};

use super::{Position, ShortMove};

/// Whether a move changes the material: a capture or a promotion to a queen.
#[inline]
pub(crate) fn is_noisy(m: Move) -> bool {
    match m {
        Move::Normal {
            capture, promotion, ..
        } => capture.is_some() || promotion == Some(Role::Queen),
        _ => m.is_en_passant(),
    }
}

const OFFICERS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
/// The order in which shakmaty lists promotions.
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
const NOT_A: Bitboard = Bitboard(0xfefe_fefe_fefe_fefe);
const NOT_H: Bitboard = Bitboard(0x7f7f_7f7f_7f7f_7f7f);

#[inline]
fn attacks(role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Knight => knight_attacks(square),
        Role::Bishop => bishop_attacks(square, occupied),
        Role::Rook => rook_attacks(square, occupied),
        Role::King => king_attacks(square),
        _ => bishop_attacks(square, occupied) | rook_attacks(square, occupied),
    }
}

/// All squares one rank towards the other side.
#[inline]
fn ahead(squares: Bitboard, side: Color) -> Bitboard {
    Bitboard(match side {
        Color::White => squares.0 << 8,
        Color::Black => squares.0 >> 8,
    })
}

/// The square from which a pawn of `side` went `step` squares (8 for one rank, 7 and 9 for
/// captures) to reach `to`.
#[inline]
fn origin(to: Square, side: Color, step: u32) -> Square {
    let to = u32::from(to);
    Square::new(match side {
        Color::White => to - step,
        Color::Black => to + step,
    })
}

/// Pieces that stand alone between the king of `side` and a slider of the other side.
fn blockers(board: &Board, side: Color, king: Square) -> Bitboard {
    let straight = rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let diagonal = bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    let mut found = Bitboard::EMPTY;
    for sniper in (straight | diagonal) & board.by_color(!side) {
        let line = between(king, sniper) & board.occupied();
        if !line.more_than_one() {
            found |= line;
        }
    }
    found
}

impl Position {
    /// Appends the legal captures and promotions to a queen, in the order in which
    /// [`Position::legal_moves`] lists them.
    pub(crate) fn add_noisy_moves(&self, moves: &mut Vec<Move>) {
        let (board, side) = (self.board(), self.turn());
        let king = board.king_of(side).filter(|_| !self.checkers().any());
        let Some(king) = king else {
            moves.extend(self.legal_moves().into_iter().filter(|&m| is_noisy(m)));
            return;
        };
        if self.chess.maybe_ep_square().is_some() {
            moves.extend(self.chess.en_passant_moves());
        }
        let blockers = blockers(board, side, king);
        let is_free =
            |from: Square, to: Square| !blockers.contains(from) || aligned(from, to, king);
        let normal = |role, from, to, promotion| Move::Normal {
            role,
            from,
            capture: board.role_at(to),
            to,
            promotion,
        };
        let own = board.by_color(side);
        let others = board.by_color(!side);
        let pawns = board.pawns() & own;
        // Towards a, then towards h.
        let (a_step, h_step) = if side.is_white() { (7, 9) } else { (9, 7) };
        let towards_a = Bitboard((pawns & NOT_A).0 >> 1);
        let towards_h = Bitboard((pawns & NOT_H).0 << 1);
        for (reached, step) in [(towards_a, a_step), (towards_h, h_step)] {
            let captures = ahead(reached, side) & others;
            for to in captures & !Bitboard::BACKRANKS {
                let from = origin(to, side, step);
                if is_free(from, to) {
                    moves.push(normal(Role::Pawn, from, to, None));
                }
            }
            for to in captures & Bitboard::BACKRANKS {
                let from = origin(to, side, step);
                if is_free(from, to) {
                    moves.extend(PROMOTIONS.map(|p| normal(Role::Pawn, from, to, Some(p))));
                }
            }
        }
        for to in ahead(pawns, side) & !board.occupied() & Bitboard::BACKRANKS {
            let from = origin(to, side, 8);
            if is_free(from, to) {
                moves.push(normal(Role::Pawn, from, to, Some(Role::Queen)));
            }
        }
        for role in OFFICERS {
            for from in board.by_role(role) & own {
                for to in attacks(role, from, board.occupied()) & others {
                    if is_free(from, to) {
                        moves.push(normal(role, from, to, None));
                    }
                }
            }
        }
        for to in king_attacks(king) & others {
            if (board.attacks_to(to, !side, board.occupied())).is_empty() {
                moves.push(normal(Role::King, king, to, None));
            }
        }
    }

    /// Whether there is a legal move.
    pub(crate) fn has_legal_move(&self) -> bool {
        let (board, side) = (self.board(), self.turn());
        if let Some(king) = board.king_of(side)
            && self.checkers().is_empty()
        {
            // A pawn or an officer that is not pinned and has a square to go to: nearly always
            // found.
            let own = board.by_color(side);
            let unpinned = own & !blockers(board, side, king);
            let free = !board.occupied();
            if (ahead(board.pawns() & unpinned, side) & free).any() {
                return true;
            }
            let can_move = |role: Role| {
                let mut pieces = (board.by_role(role) & unpinned).into_iter();
                pieces.any(|from| (attacks(role, from, board.occupied()) & !own).any())
            };
            if OFFICERS.into_iter().any(can_move) {
                return true;
            }
        }
        !self.legal_moves().is_empty()
    }

    /// The move with this short form, if it is certainly legal. `None` if it is not, and for
    /// castling and captures en passant, which are not examined here.
    pub(crate) fn plain_legal_move(&self, short: ShortMove) -> Option<Move> {
        let (board, side) = (self.board(), self.turn());
        let (from, to) = (short.from(), short.to());
        let own = board.by_color(side);
        if short.is_none() || !own.contains(from) || own.contains(to) {
            return None;
        }
        let role = board.role_at(from)?;
        let occupied = board.occupied();
        let promotion = short.promotion();
        let reaches = if role == Role::Pawn {
            let is_last = Bitboard::BACKRANKS.contains(to);
            let is_piece = promotion.is_some_and(|p| PROMOTIONS.contains(&p));
            if is_last != is_piece || is_last != promotion.is_some() {
                return None;
            }
            if occupied.contains(to) {
                pawn_attacks(side, from).contains(to)
            } else {
                let once = ahead(Bitboard::from_square(from), side) & !occupied;
                let third = match side {
                    Color::White => Bitboard(0xff << 16),
                    Color::Black => Bitboard(0xff << 40),
                };
                let twice = ahead(once & third, side) & !occupied;
                (once | twice).contains(to)
            }
        } else {
            promotion.is_none() && attacks(role, from, occupied).contains(to)
        };
        let king = if role == Role::King {
            to
        } else {
            board.king_of(side)?
        };
        let after = occupied.without(from).with(to);
        if !reaches || (board.attacks_to(king, !side, after).without(to)).any() {
            return None;
        }
        let found = Move::Normal {
            role,
            from,
            capture: board.role_at(to),
            to,
            promotion,
        };
        // Bits that denote no role are no promotion.
        (ShortMove::of(found) == short).then_some(found)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use everymove_kernel::rng::SplitMix64;
    use shakmaty::CastlingMode;

    use super::*;

    /// Positions of random games from the start, from composed positions, and with checks, pins,
    /// promotions and en passant.
    pub(in crate::position) fn for_positions(mut visit: impl FnMut(&Position)) {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "7k/8/6Q1/8/8/8/8/K7 b - - 0 1",
        ];
        let mut rng = SplitMix64::new(8);
        for fen in fens {
            for _ in 0..60 {
                let mut position = Position::from_fen(fen, CastlingMode::Standard).unwrap();
                for _ in 0..80 {
                    visit(&position);
                    let moves = position.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    position = position.play(moves[rng.below(moves.len() as u64) as usize]);
                }
            }
        }
    }

    #[test]
    fn captures_and_promotions_are_those_of_the_legal_moves_in_their_order() {
        let (mut positions, mut listed) = (0, 0);
        for_positions(|position| {
            let mut found = Vec::new();
            position.add_noisy_moves(&mut found);
            let expected: Vec<Move> = (position.legal_moves().into_iter())
                .filter(|&m| is_noisy(m))
                .collect();
            assert_eq!(found, expected, "{}", position.fen());
            assert_eq!(
                position.has_legal_move(),
                !position.legal_moves().is_empty(),
                "{}",
                position.fen()
            );
            positions += 1;
            listed += found.len();
        });
        assert!(
            positions > 10_000 && listed > 20_000,
            "{positions} {listed}"
        );
    }

    /// Every pattern of 15 bits is a short move: exactly the legal ones are accepted, and they are
    /// the same moves.
    #[test]
    fn plain_moves_are_accepted_exactly_where_they_are_legal() {
        let mut visited = 0;
        for_positions(|position| {
            visited += 1;
            if visited % 23 != 0 {
                return;
            }
            let legal = position.legal_moves();
            for bits in 0..1 << 15 {
                let short = ShortMove::from_bits(bits);
                let listed = legal.iter().copied().find(|&m| ShortMove::of(m) == short);
                let expected = listed.filter(|m| matches!(m, Move::Normal { .. }));
                assert_eq!(
                    position.plain_legal_move(short),
                    expected,
                    "{} {bits}",
                    position.fen()
                );
            }
        });
    }
}
