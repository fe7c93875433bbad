//! A quiet position with its score and the result of its game, in 32 bytes.

use shakmaty::{Bitboard, Color, Move, Piece, Role, Square};

use super::record::{GameRecord, GameResult, RecordError};
use crate::position::Position;
use crate::score::Score;

/// The largest score of a sample, in centipawns.
pub const MOST_SCORE: Score = 2000;

/// A position to learn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    occupied: u64,
    /// A nibble for each occupied square in ascending order: role - 1, plus 8 for Black.
    pieces: [u8; 16],
    /// For the side to move, in centipawns.
    pub score: i16,
    /// For the side to move: 0 lost, 1 drawn, 2 won.
    pub result: u8,
    /// Whether Black is to move.
    pub black_to_move: bool,
}

impl Sample {
    /// The sample of a position with a score and a result for White; `None` where it is not quiet:
    /// in check, after a capture or promotion as the best move, a score above [`MOST_SCORE`],
    /// or more than 32 pieces.
    pub fn of(position: &Position, best: Move, score: Score, result: GameResult) -> Option<Self> {
        let quiet = position.checkers().is_empty() && !best.is_capture() && !best.is_promotion();
        let board = position.board();
        if !quiet || score.abs() > MOST_SCORE || board.occupied().count() > 32 {
            return None;
        }
        let mut pieces = [0; 16];
        for (i, (_, piece)) in board.clone().into_iter().enumerate() {
            let nibble = piece.role as u8 - 1 + if piece.color.is_black() { 8 } else { 0 };
            pieces[i / 2] |= nibble << (4 * (i % 2));
        }
        let black_to_move = position.turn().is_black();
        let white = [2, 1, 0][result as usize];
        Some(Self {
            occupied: board.occupied().0,
            pieces,
            score: if black_to_move { -score } else { score } as i16,
            result: if black_to_move { 2 - white } else { white },
            black_to_move,
        })
    }

    /// Number of its pieces.
    pub fn men(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// Its pieces by ascending square.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        let squares = Bitboard(self.occupied).into_iter();
        squares.enumerate().map(|(i, square)| {
            let nibble = self.pieces[i / 2] >> (4 * (i % 2));
            let color = Color::from_white(nibble & 8 == 0);
            let role = Role::ALL[usize::from(nibble & 7)];
            (square, Piece { color, role })
        })
    }
}

impl GameRecord {
    /// Appends the quiet positions of the game.
    ///
    /// # Errors
    /// [`RecordError::Move`] if a move is not legal.
    pub fn samples(&self, samples: &mut Vec<Sample>) -> Result<(), RecordError> {
        self.replay(|position, best, score| {
            samples.extend(Sample::of(position, best, score, self.result));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_the_pieces_of_its_position() {
        let mode = shakmaty::CastlingMode::Standard;
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1";
        let position = Position::from_fen(fen, mode).unwrap();
        let quiet = position.parse_uci("g6g5").unwrap();
        let sample = Sample::of(&position, quiet, 120, GameResult::White).unwrap();
        let pieces: Vec<_> = position.board().clone().into_iter().collect();
        assert_eq!(sample.pieces().collect::<Vec<_>>(), pieces);
        assert_eq!((sample.score, sample.result), (-120, 0));
        assert_eq!(sample.men(), pieces.len());
        assert!(sample.black_to_move && size_of::<Sample>() == 32);
        let capture = position.parse_uci("b4c3").unwrap();
        assert_eq!(Sample::of(&position, capture, 120, GameResult::Draw), None);
        assert_eq!(Sample::of(&position, quiet, 2001, GameResult::Draw), None);
    }
}
