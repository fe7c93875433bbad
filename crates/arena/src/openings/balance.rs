//! A small search that estimates whether a position is balanced: enough to reject openings with a
//! hanging piece.

use shakmaty::{Chess, Color, Move, Position, Role, attacks};

const MATE: i32 = 100_000;

/// The value of a position for the side to move in hundredths of a pawn: two plies and a quiescence
/// search.
pub(super) fn value(position: &Chess) -> i32 {
    search(position, 2, -MATE, MATE)
}

fn search(position: &Chess, depth: u32, mut alpha: i32, beta: i32) -> i32 {
    if depth == 0 {
        return quiescence(position, alpha, beta);
    }
    let mut moves = position.legal_moves();
    if moves.is_empty() {
        return if position.is_check() { -MATE } else { 0 };
    }
    moves.sort_unstable_by_key(|&m| -gain(m));
    for &m in &moves {
        let mut next = position.clone();
        next.play_unchecked(m);
        alpha = alpha.max(-search(&next, depth - 1, -beta, -alpha));
        if alpha >= beta {
            break;
        }
    }
    alpha
}

/// Quiescence search: captures and promotions, or all evasions of a check.
fn quiescence(position: &Chess, mut alpha: i32, beta: i32) -> i32 {
    let mut moves = position.legal_moves();
    if position.is_check() {
        if moves.is_empty() {
            return -MATE;
        }
    } else {
        alpha = alpha.max(evaluate(position));
        if alpha >= beta {
            return alpha;
        }
        moves.retain(|m| m.is_capture() || m.is_promotion());
    }
    moves.sort_unstable_by_key(|&m| -gain(m));
    for &m in &moves {
        let mut next = position.clone();
        next.play_unchecked(m);
        alpha = alpha.max(-quiescence(&next, -beta, -alpha));
        if alpha >= beta {
            break;
        }
    }
    alpha
}

/// The key of move ordering: most valuable victim, then least valuable attacker.
fn gain(m: Move) -> i32 {
    let taken = m.capture().map_or(0, worth);
    let promoted = m.promotion().map_or(0, worth);
    8 * (taken + promoted) - worth(m.role()).min(1000)
}

fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 320,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 950,
        Role::King => 10_000,
    }
}

/// Material, mobility and advanced pawns.
fn evaluate(position: &Chess) -> i32 {
    let board = position.board();
    let mut value = 0;
    for (square, piece) in board {
        let bonus = match piece.role {
            Role::King => continue,
            Role::Pawn => {
                let advance = piece.color.relative_rank(square.rank()) as i32;
                3 * advance
            }
            Role::Queen => mobility(square, piece, position),
            _ => 4 * mobility(square, piece, position),
        };
        let sign = if piece.color == Color::White { 1 } else { -1 };
        value += sign * (worth(piece.role) + bonus);
    }
    // A small bonus for the side to move.
    position.turn().fold_wb(value, -value) + 10
}

fn mobility(square: shakmaty::Square, piece: shakmaty::Piece, position: &Chess) -> i32 {
    let board = position.board();
    let reach = attacks::attacks(square, piece, board.occupied()) & !board.by_color(piece.color);
    reach.count() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_state::position;
    use shakmaty::CastlingMode;

    #[test]
    fn hanging_pieces_are_found_and_balanced_positions_are_near_zero() {
        let value = |fen| value(&position(fen, CastlingMode::Standard).unwrap());
        assert!(super::value(&Chess::default()).abs() <= 40);
        // The knight on e5 can be taken by a pawn.
        assert!(value("rnbqkbnr/ppp2ppp/3p4/4N3/4P3/8/PPPP1PPP/RNBQKB1R b KQkq - 0 3") > 150);
        // Mate in one for White.
        assert!(value("rnbqkbnr/ppppp2p/5p2/6p1/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3") > 50_000);
        // Qxd5 wins nothing: the pawn is protected.
        assert!(value("rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2").abs() <= 60);
    }

    /// The value for the side to move does not depend on its colour.
    #[test]
    fn colours_are_symmetric() {
        let there = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
        let mirrored = "rnbqk2r/pppp1ppp/5n2/2b1p3/4P3/2N5/PPPP1PPP/R1BQKBNR w KQkq - 3 3";
        let value = |fen| value(&position(fen, CastlingMode::Standard).unwrap());
        assert_eq!(value(there), value(mirrored));
    }
}
