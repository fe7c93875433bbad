//! A game in progress: the position, the moves, and the keys of earlier positions for repetitions.

use std::fmt;

use shakmaty::{Color, Move};

use crate::position::Position;

/// A position with its history.
#[derive(Clone, Debug, Default)]
pub struct Game {
    position: Position,
    keys: Vec<u64>,
    moves: Vec<Move>,
}

impl From<Position> for Game {
    fn from(position: Position) -> Self {
        Self {
            position,
            keys: Vec::new(),
            moves: Vec::new(),
        }
    }
}

impl Game {
    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Keys of the earlier positions since the last capture or pawn move.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        if m.is_zeroing() {
            self.keys.clear();
        } else {
            self.keys.push(self.position.keys().all);
        }
        self.position = self.position.play(m);
        self.moves.push(m);
    }

    /// How often the current position has occurred, this time included.
    pub fn repetitions(&self) -> usize {
        let now = self.position.keys().all;
        1 + self.keys.iter().filter(|&&key| key == now).count()
    }
}

/// How a game ended by the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// Checkmate by this side.
    Checkmate(Color),
    /// The side to move has no move and is not in check.
    Stalemate,
    /// A position occurred for the third time.
    Repetition,
    /// Fifty moves without capture or pawn move.
    FiftyMoves,
    /// Insufficient material: neither side can mate.
    Material,
}

impl Termination {
    /// The winner, `None` for a draw.
    pub fn winner(self) -> Option<Color> {
        match self {
            Self::Checkmate(winner) => Some(winner),
            _ => None,
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Checkmate(Color::White) => "checkmate, white wins",
            Self::Checkmate(Color::Black) => "checkmate, black wins",
            Self::Stalemate => "stalemate",
            Self::Repetition => "draw by repetition",
            Self::FiftyMoves => "draw by the fifty-move rule",
            Self::Material => "draw: too little material to mate",
        })
    }
}

impl Game {
    /// How the game has ended by the rules, `None` while it is in progress.
    pub fn termination(&self) -> Option<Termination> {
        let position = &self.position;
        if position.legal_moves().is_empty() {
            let mate = position.checkers().any();
            return Some(if mate {
                Termination::Checkmate(!position.turn())
            } else {
                Termination::Stalemate
            });
        }
        if position.is_insufficient_material() {
            Some(Termination::Material)
        } else if position.halfmoves() >= 100 {
            Some(Termination::FiftyMoves)
        } else if self.repetitions() >= 3 {
            Some(Termination::Repetition)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(moves: &str) -> Game {
        let mut game = Game::default();
        for text in moves.split(' ') {
            let m = game.position().parse_uci(text).unwrap();
            game.play(m);
        }
        game
    }

    #[test]
    fn games_end_by_the_rules() {
        let mate = played("f2f3 e7e5 g2g4 d8h4");
        assert_eq!(
            mate.termination(),
            Some(Termination::Checkmate(Color::Black))
        );
        let there_and_back = "g1f3 g8f6 f3g1 f6g8";
        assert_eq!(played(there_and_back).termination(), None);
        let twice = format!("{there_and_back} {there_and_back}");
        assert_eq!(played(&twice).termination(), Some(Termination::Repetition));
    }
}
