//! The state of a game under the rules: position, moves, repetitions, and how the rules end it.

use serde::{Deserialize, Serialize};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist128;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position};

use crate::error::OpeningError;

/// Where a game starts: a position, and moves that are played before the engines choose theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Opening {
    /// The position in Forsyth-Edwards notation; the initial position of chess if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// Moves in UCI notation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
}

/// How the rules end a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleEnd {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// Neither side can mate any more.
    InsufficientMaterial,
    /// The position has occurred for the third time.
    Threefold,
    /// Fifty moves by each side without a capture or a pawn move.
    FiftyMoves,
}

/// A game so far: its first position, the moves played and the position now.
#[derive(Clone, Debug)]
pub struct GameState {
    mode: CastlingMode,
    start_fen: Option<String>,
    start: Chess,
    position: Chess,
    moves: Vec<Move>,
    uci_moves: Vec<String>,
    /// Hash keys of all positions since the last irreversible move, the current one included.
    keys: Vec<Zobrist128>,
}

impl GameState {
    /// Plays an opening.
    ///
    /// # Errors
    /// [`OpeningError`] if a position or a move is wrong, or if the game is over after them.
    pub fn new(opening: &Opening, mode: CastlingMode) -> Result<Self, OpeningError> {
        let start = match &opening.fen {
            None => Chess::default(),
            Some(fen) => position(fen, mode)?,
        };
        let mut state = Self {
            mode,
            start_fen: opening.fen.clone(),
            keys: vec![key(&start)],
            position: start.clone(),
            start,
            moves: Vec::new(),
            uci_moves: Vec::new(),
        };
        for text in &opening.moves {
            let m = state.parse_uci(text).ok_or_else(|| OpeningError::Move {
                text: text.clone(),
                fen: state.fen(),
            })?;
            state.play(m);
        }
        match state.end() {
            None => Ok(state),
            Some(_) => Err(OpeningError::Over { fen: state.fen() }),
        }
    }

    /// The position now.
    pub fn position(&self) -> &Chess {
        &self.position
    }

    /// The first position.
    pub fn start(&self) -> &Chess {
        &self.start
    }

    /// The first position as the opening gave it; `None` for the initial position of chess.
    pub fn start_fen(&self) -> Option<&str> {
        self.start_fen.as_deref()
    }

    /// How castling is written.
    pub fn mode(&self) -> CastlingMode {
        self.mode
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The moves so far in UCI notation.
    pub fn uci_moves(&self) -> &[String] {
        &self.uci_moves
    }

    /// Whose turn it is.
    pub fn turn(&self) -> Color {
        self.position.turn()
    }

    /// The position now in Forsyth-Edwards notation.
    pub fn fen(&self) -> String {
        Fen::from_position(&self.position, EnPassantMode::Legal).to_string()
    }

    /// The legal move that a text in UCI notation means; `None` if there is none.
    ///
    /// Castling is written as the king capturing its own rook in Chess960 and as a king's move of
    /// two squares in chess; both forms are accepted in both modes where they are unambiguous.
    pub fn parse_uci(&self, text: &str) -> Option<Move> {
        let m: UciMove = text.parse().ok()?;
        m.to_move(&self.position).ok()
    }

    /// Plays a legal move.
    ///
    /// # Panics
    /// If the move is not legal here.
    pub fn play(&mut self, m: Move) {
        assert!(self.position.is_legal(m), "{m:?} at {}", self.fen());
        if self.position.is_irreversible(m) {
            self.keys.clear();
        }
        self.uci_moves.push(m.to_uci(self.mode).to_string());
        self.moves.push(m);
        self.position.play_unchecked(m);
        self.keys.push(key(&self.position));
    }

    /// How the rules end the game in the current position; `None` while it continues. Mate precedes
    /// every draw.
    ///
    /// Threefold repetition and the fifty-move rule end the game without a claim, as in all engine
    /// matches.
    pub fn end(&self) -> Option<RuleEnd> {
        let position = &self.position;
        let repeated = || {
            let now = self.keys.last();
            self.keys.iter().filter(|key| Some(*key) == now).count() >= 3
        };
        if position.legal_moves().is_empty() {
            Some(if position.is_check() {
                RuleEnd::Checkmate
            } else {
                RuleEnd::Stalemate
            })
        } else if position.is_insufficient_material() {
            Some(RuleEnd::InsufficientMaterial)
        } else if repeated() {
            Some(RuleEnd::Threefold)
        } else if position.halfmoves() >= 100 {
            Some(RuleEnd::FiftyMoves)
        } else {
            None
        }
    }

    /// The draw that the side to move may claim before its move (FIDE Laws of Chess, 9.2.1 and
    /// 9.3.1): that by the rule which some legal move fulfils.
    pub(crate) fn claimable_draw(&self) -> Option<RuleEnd> {
        self.position.legal_moves().into_iter().find_map(|m| {
            let mut after = self.clone();
            after.play(m);
            let end = after.end();
            end.filter(|end| matches!(end, RuleEnd::Threefold | RuleEnd::FiftyMoves))
        })
    }
}

/// Hash key of a position: equal for positions with the same pieces, side to move, castling rights
/// and legal en passant captures, as the rule of repetition compares them.
fn key(position: &Chess) -> Zobrist128 {
    position.zobrist_hash(EnPassantMode::Legal)
}

pub(crate) fn position(fen: &str, mode: CastlingMode) -> Result<Chess, OpeningError> {
    let bad = |reason: String| OpeningError::Fen {
        fen: fen.to_owned(),
        reason,
    };
    let parsed: Fen = fen.parse().map_err(|e| bad(format!("{e}")))?;
    parsed.into_position(mode).map_err(|e| bad(format!("{e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(fen: Option<&str>, moves: &str) -> Result<GameState, OpeningError> {
        let opening = Opening {
            fen: fen.map(str::to_owned),
            moves: moves.split_whitespace().map(str::to_owned).collect(),
        };
        GameState::new(&opening, CastlingMode::Standard)
    }

    fn ends(fen: &str, last: &str) -> Option<RuleEnd> {
        let mut game = game(Some(fen), "").unwrap();
        game.play(game.parse_uci(last).unwrap());
        game.end()
    }

    #[test]
    fn the_rules_end_games() {
        let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
        let mut repeated = game(None, shuffle).unwrap();
        assert_eq!(repeated.end(), None);
        repeated.play(repeated.parse_uci("f6g8").unwrap());
        assert_eq!(repeated.end(), Some(RuleEnd::Threefold));
        assert_eq!(
            ends("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6g7"),
            Some(RuleEnd::Checkmate)
        );
        assert_eq!(
            ends("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "g5g6"),
            Some(RuleEnd::Stalemate)
        );
        assert_eq!(
            ends("7k/8/5Kp1/8/8/8/8/8 w - - 0 1", "f6g6"),
            Some(RuleEnd::InsufficientMaterial)
        );
        assert_eq!(
            ends("7k/8/5KQ1/8/8/8/8/8 w - - 99 80", "g6g1"),
            Some(RuleEnd::FiftyMoves)
        );
        assert_eq!(
            ends("7k/8/5KQ1/8/8/8/8/8 w - - 99 80", "g6g7"),
            Some(RuleEnd::Checkmate)
        );
        assert_eq!(ends("7k/8/5KQ1/8/8/8/8/8 w - - 98 80", "g6g1"), None);
    }

    #[test]
    fn draws_are_claimed_only_before_the_move_that_makes_them() {
        let claimable = |fen: Option<&str>, moves: &str| game(fen, moves).unwrap().claimable_draw();
        let fifty = |clock| format!("8/8/8/4k3/8/8/3r4/K6R b - - {clock} 90");
        for (clock, claim) in [
            (0, None),
            (97, None),
            (98, None),
            (99, Some(RuleEnd::FiftyMoves)),
        ] {
            assert_eq!(claimable(Some(&fifty(clock)), ""), claim, "{clock}");
        }
        // Every move of the side is a capture or a pawn move.
        assert_eq!(
            claimable(Some("k7/2K5/1P6/8/8/8/7p/8 b - - 99 90"), ""),
            None
        );
        let shuffle = "b1c3 b8c6 c3b1 c6b8 b1c3 b8c6 c3b1";
        assert_eq!(claimable(None, shuffle), Some(RuleEnd::Threefold));
        let (earlier, _) = shuffle.rsplit_once(' ').unwrap();
        assert_eq!(claimable(None, earlier), None);
        assert_eq!(claimable(None, ""), None);
    }

    /// A possible en passant capture makes a position different; a double step without one does
    /// not.
    #[test]
    fn repetition_compares_rights() {
        let mut game = game(
            Some("4k3/8/8/8/4p3/8/3P4/4K2R w K - 0 1"),
            "d2d4 e8d7 e1d1 d7e8 d1e1",
        )
        .unwrap();
        for text in "e8d7 e1d1 d7e8 d1e1".split(' ') {
            game.play(game.parse_uci(text).unwrap());
        }
        assert_eq!(
            game.end(),
            None,
            "castling and en passant rights differ from the first time"
        );
    }

    #[test]
    fn errors_name_the_position_or_move() {
        let error = |fen: Option<&str>, moves: &str| game(fen, moves).unwrap_err().to_string();
        assert!(error(Some("rubbish"), "").starts_with("'rubbish' is not a position"));
        assert!(error(None, "e2e5").starts_with("'e2e5' is not a legal move in rnbqkbnr/"));
        assert!(error(None, "f2f3 e7e5 g2g4 d8h4").starts_with("the game is over at"));
    }
}
