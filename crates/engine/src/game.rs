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
    use shakmaty::CastlingMode;

    use super::*;
    use crate::position::tests::DOUBLE_STEPS;

    fn played(moves: &str) -> Game {
        let mut game = Game::default();
        for text in moves.split(' ') {
            let m = game.position().parse_uci(text).unwrap();
            game.play(m);
        }
        game
    }

    /// The game after four plies that lead back to its position, if there are such moves.
    fn back_and_forth(game: &Game) -> Option<Game> {
        let back = |m: Move| Some((m.to(), m.from()?));
        let same = |game: &Game, ends: (shakmaty::Square, shakmaty::Square)| {
            let moves = game.position().legal_moves();
            moves
                .into_iter()
                .find(|m| (m.from(), m.to()) == (Some(ends.0), ends.1))
        };
        for first in game.position().legal_moves() {
            let mut after = game.clone();
            after.play(first);
            for second in after.position().legal_moves() {
                let mut after = after.clone();
                after.play(second);
                for m in [first, second] {
                    let Some(m) = back(m).and_then(|ends| same(&after, ends)) else {
                        break;
                    };
                    after.play(m);
                }
                if after.moves().len() == game.moves().len() + 4
                    && after.position().board() == game.position().board()
                {
                    return Some(after);
                }
            }
        }
        None
    }

    /// The first position after a move of two squares counts as the same as the later ones unless
    /// the pawn could be captured en passant.
    #[test]
    fn repetitions_count_rights_to_capture_en_passant() {
        let mut counted = 0;
        for (fen, step, capturable) in DOUBLE_STEPS {
            let start = Position::from_fen(fen, CastlingMode::Standard).unwrap();
            let mut game = Game::from(start.clone());
            game.play(start.parse_uci(step).unwrap());
            let Some(again) = back_and_forth(&game).as_ref().and_then(back_and_forth) else {
                continue;
            };
            counted += 1;
            let (times, end) = match capturable {
                true => (2, None),
                false => (3, Some(Termination::Repetition)),
            };
            assert_eq!(again.repetitions(), times, "{fen}");
            assert_eq!(again.termination(), end, "{fen}");
        }
        assert!(counted >= 10, "{counted}");
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
