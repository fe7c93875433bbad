//! The static evaluation: a sum of terms or a network, behind the trait [`Evaluate`].
//!
//! In reading order: [`Classical`], [`Network`] and `network`, `mop_up`.

mod classical;
mod mop_up;
pub(crate) mod network;

use std::fmt::Debug;

use shakmaty::Role;

use crate::position::Position;
use crate::score::{KNOWN_WIN, Score};
pub use classical::Classical;
use mop_up::mop_up;
pub use network::{LANE, MOST_HIDDEN, Network};

/// A static evaluation. Each search thread owns one.
pub trait Evaluate: Debug + Send {
    /// The value of a position that is not in check, in centipawns for the side to move; its
    /// absolute value is below [`KNOWN_WIN`]. It does not depend on `ply`, the moves from the root
    /// of the search, which says where what was computed of similar positions is kept.
    fn evaluate(&mut self, position: &Position, ply: usize) -> Score;

    /// Clears caches.
    fn clear(&mut self);
}

/// The maximum of [`phase`]: all pieces on the board.
const FULL_PHASE: i32 = 24;

/// The game phase: knights and bishops count 1, rooks 2, queens 4.
#[inline(always)]
fn phase(position: &Position) -> i32 {
    let board = position.board();
    let count = |role| board.by_role(role).count() as i32;
    let pieces = count(Role::Knight) + count(Role::Bishop);
    (pieces + 2 * count(Role::Rook) + 4 * count(Role::Queen)).min(FULL_PHASE)
}

/// A score that decreases as the fifty-move rule comes near, within the bounds of an evaluation.
#[inline(always)]
fn near_fifty_moves(position: &Position, score: Score) -> Score {
    let score = score * (220 - position.halfmoves().min(100) as i32) / 220;
    score.clamp(1 - KNOWN_WIN, KNOWN_WIN - 1)
}

/// The score of a network's value for the side to move: with the mop-up evaluation, which games
/// that end by adjudication do not teach.
fn finish(position: &Position, value: i32) -> Score {
    let mop_up = mop_up(position) * (FULL_PHASE - phase(position)) / FULL_PHASE;
    let mop_up = if position.turn().is_white() {
        mop_up
    } else {
        -mop_up
    };
    let ending = crate::search::constants::ScaleEnding();
    let value =
        value * (ending * FULL_PHASE + (1024 - ending) * phase(position)) / (1024 * FULL_PHASE);
    near_fifty_moves(position, value.clamp(1 - KNOWN_WIN, KNOWN_WIN - 1) + mop_up)
}

/// Which evaluation an engine uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evaluation {
    /// [`Classical`].
    Classical,
    /// A network: the one that is loaded, or the one that the crate ships.
    #[default]
    Network,
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;
    use shakmaty::{Chess, EnPassantMode, FromSetup, Position as _};

    use super::*;

    fn random_positions(number: usize) -> Vec<Position> {
        let mut rng = SplitMix64::new(5);
        let mut found = Vec::new();
        while found.len() < number {
            let mut position = Position::default();
            for _ in 0..rng.below(120) {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position = position.play(moves[rng.below(moves.len() as u64) as usize]);
            }
            if position.checkers().is_empty() {
                found.push(position);
            }
        }
        found
    }

    #[test]
    fn a_mirrored_position_is_worth_the_same() {
        let mut evaluation = Classical;
        for position in random_positions(400) {
            let mut setup = position.chess().to_setup(EnPassantMode::Legal);
            setup.mirror();
            let Ok(mirrored) = Chess::from_setup(setup, position.castling_mode()) else {
                continue;
            };
            let (a, b) = (
                evaluation.evaluate(&position, 0),
                evaluation.evaluate(&mirrored.into(), 0),
            );
            assert_eq!(a, b, "{}", position.fen());
        }
    }

    #[test]
    fn more_pieces_are_worth_more() {
        let mut evaluation = Classical;
        let mut worth = |fen: &str| {
            let mode = shakmaty::CastlingMode::Standard;
            evaluation.evaluate(&Position::from_fen(fen, mode).unwrap(), 0)
        };
        let up = worth("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!(up > 600, "a queen up: {up}");
        let down = worth("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
        assert!(down < -600, "a queen down: {down}");
    }
}
