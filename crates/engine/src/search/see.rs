//! Static exchange evaluation: the material that a capture wins when both sides continue to capture
//! on its square, least valuable piece first.

use shakmaty::attacks::{bishop_attacks, king_attacks, knight_attacks, pawn_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, Color, Move, Role, Square};

use crate::position::Position;

/// Pawn to queen, in centipawns; kings cannot be taken.
pub(crate) const VALUE: [i32; 7] = [0, 100, 320, 330, 500, 950, 20_000];

const ORDER: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

fn value(role: Option<Role>) -> i32 {
    role.map_or(0, |role| VALUE[role as usize])
}

/// The value of what a move captures and of the piece that a pawn becomes.
pub(crate) fn gain(m: Move) -> i32 {
    value(m.capture()) + value(m.promotion())
}

/// Whether the exchange that a move begins wins at least `threshold` centipawns.
pub(crate) fn wins_at_least(position: &Position, m: Move, threshold: i32) -> bool {
    let Move::Normal {
        role,
        from,
        capture,
        to,
        promotion,
    } = m
    else {
        // Castling captures nothing; en passant exchanges pawn for pawn at worst.
        return threshold <= 0;
    };
    let promoted = value(promotion) - if promotion.is_some() { VALUE[1] } else { 0 };
    let mut balance = value(capture) + promoted - threshold;
    if balance < 0 {
        return false;
    }
    balance -= value(Some(promotion.unwrap_or(role)));
    if balance >= 0 {
        return true;
    }
    let board = position.board();
    let occupied = board.occupied().without(from).with(to);
    exchange(board, position.turn(), to, occupied, balance)
}

/// Plays the exchange on `to`, the opponent of `mover` to capture. `balance` is the gain of
/// `mover`, less the threshold, if its piece is lost. Returns whether `mover` reaches the
/// threshold.
fn exchange(
    board: &Board,
    mover: Color,
    to: Square,
    mut occupied: Bitboard,
    mut balance: i32,
) -> bool {
    let diagonal = board.bishops_and_queens();
    let straight = board.rooks_and_queens();
    let pawns = |side: Color| pawn_attacks(!side, to) & board.by_color(side) & board.pawns();
    let mut attackers = pawns(Color::White)
        | pawns(Color::Black)
        | knight_attacks(to) & board.knights()
        | king_attacks(to) & board.kings()
        | rook_attacks(to, occupied) & straight
        | bishop_attacks(to, occupied) & diagonal;
    let mut side = !mover;
    loop {
        attackers &= occupied;
        let own = attackers & board.by_color(side);
        if own.is_empty() {
            break;
        }
        let (role, piece) = cheapest(board, own);
        side = !side;
        balance = -balance - 1 - VALUE[role as usize];
        if balance >= 0 {
            // A king must not capture a guarded piece.
            if role == Role::King && (attackers & board.by_color(side)).any() {
                side = !side;
            }
            break;
        }
        occupied.toggle(piece);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= rook_attacks(to, occupied) & straight;
        }
    }
    side != mover
}

fn cheapest(board: &Board, own: Bitboard) -> (Role, Square) {
    let found = ORDER.iter().find_map(|&role| {
        let square = (own & board.by_role(role)).first()?;
        Some((role, square))
    });
    found.expect("an attacker has a role")
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;
    use shakmaty::{CastlingMode, Position as _};

    use super::*;

    /// The same by playing legal captures on the square, least valuable piece first; each side may
    /// stop. Pins are obeyed here only.
    fn by_playing(position: &Position, to: Square) -> i32 {
        let moves = position.chess().legal_moves();
        let best = (moves.into_iter())
            .filter(|m| m.to() == to && m.is_capture() && !m.is_en_passant())
            .min_by_key(|m| (VALUE[m.role() as usize], m.from().map(Square::to_usize)));
        let Some(m) = best else {
            return 0;
        };
        (value(m.capture()) - by_playing(&position.play(m), to)).max(0)
    }

    #[test]
    fn exchanges_agree_with_playing_them_out() {
        let mut rng = SplitMix64::new(11);
        let mut compared = 0;
        let mut equal = 0;
        for _ in 0..300 {
            let mut position = Position::default();
            for _ in 0..rng.below(70) {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                for m in &moves {
                    if m.is_capture() && !m.is_en_passant() && !m.is_promotion() {
                        let gain = value(m.capture()) - by_playing(&position.play(*m), m.to());
                        let same = wins_at_least(&position, *m, gain)
                            && !wins_at_least(&position, *m, gain + 1);
                        compared += 1;
                        equal += usize::from(same);
                    }
                }
                position = position.play(moves[rng.below(moves.len() as u64) as usize]);
            }
        }
        // The differences come from pinned pieces, promotions during the exchange and checks.
        assert!(
            compared > 2000 && equal * 100 > compared * 93,
            "{equal} of {compared}"
        );
    }

    #[test]
    fn known_exchanges() {
        let see = |fen: &str, uci: &str, threshold| {
            let position = Position::from_fen(fen, CastlingMode::Standard).unwrap();
            wins_at_least(&position, position.parse_uci(uci).unwrap(), threshold)
        };
        let pawn_for_rook = "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1";
        assert!(see(pawn_for_rook, "e1e5", 100) && !see(pawn_for_rook, "e1e5", 101));
        let x_ray = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";
        assert!(!see(x_ray, "d3e5", -219) && see(x_ray, "d3e5", -220));
    }
}
