//! The mirror image of a game: colours exchanged and ranks reflected.
//!
//! A search breaks ties between moves by the order of their squares, so it finds other lines in a
//! position than in its mirror image. The analysis searches the one of the two in which the first
//! position has White to move: then the scores of a position and of its mirror image are exact
//! negatives.

use everymove_engine::{Game, Position, SearchReport, SearchResult};
use shakmaty::fen::Fen;
use shakmaty::{EnPassantMode, Move, Position as _};

/// The mirror image of the game that `moves` lead to from `start`; `None` if `start` has White to
/// move.
pub(super) fn with_white_first(start: &Position, moves: &[Move]) -> Option<Game> {
    if start.turn().is_white() {
        return None;
    }
    let mirrored = start.chess().to_setup(EnPassantMode::Legal).into_mirrored();
    let fen = Fen::try_from_setup(mirrored).ok()?.to_string();
    let start = Position::from_fen(&fen, start.castling_mode()).ok()?;
    let mut game = Game::from(start);
    moves.iter().for_each(|&m| game.play(image(m)));
    Some(game)
}

/// The result of a search in the mirror image, with the moves of the original. Scores are those of
/// the side to move in both.
pub(super) fn result(mut found: SearchResult) -> SearchResult {
    found.best = found.best.map(image);
    found.ponder = found.ponder.map(image);
    found.report = report(found.report);
    found
}

/// A report of a search in the mirror image, with the moves of the original.
pub(super) fn report(mut report: SearchReport) -> SearchReport {
    for line in &mut report.lines {
        line.pv.iter_mut().for_each(|m| *m = image(*m));
    }
    report
}

/// The mirror image of a move.
fn image(m: Move) -> Move {
    match m {
        Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        } => Move::Normal {
            role,
            from: from.flip_vertical(),
            capture,
            to: to.flip_vertical(),
            promotion,
        },
        Move::EnPassant { from, to } => Move::EnPassant {
            from: from.flip_vertical(),
            to: to.flip_vertical(),
        },
        Move::Castle { king, rook } => Move::Castle {
            king: king.flip_vertical(),
            rook: rook.flip_vertical(),
        },
        Move::Put { role, to } => Move::Put {
            role,
            to: to.flip_vertical(),
        },
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    #[test]
    fn moves_of_the_image_lead_to_the_image() {
        let fen = "r3k2r/8/8/8/1Pp5/8/8/R3K2R b KQkq b3 0 1";
        let start = Position::from_fen(fen, CastlingMode::Standard).unwrap();
        let moves = start.legal_moves();
        assert!(moves.iter().any(|m| m.is_en_passant()) && moves.iter().any(|m| m.is_castle()));
        for m in moves {
            let whole = with_white_first(&start, &[m]).unwrap();
            let after = with_white_first(&start, &[])
                .unwrap()
                .position()
                .play(image(m));
            assert_eq!(whole.position().fen(), after.fen());
            let board = start.play(m).board().clone().into_mirrored();
            assert_eq!(*after.board(), board);
            assert_eq!(image(image(m)), m);
        }
        assert!(with_white_first(&Position::default(), &[]).is_none());
    }
}
