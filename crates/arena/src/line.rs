//! A line of play under the rules: positions, repetitions, and how the rules end a game.

use serde::{Deserialize, Serialize};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist128;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position};
use thiserror::Error;

/// Where a game starts: a position, and moves that are played before the players think.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Opening {
    /// The position in Forsyth-Edwards notation; the usual first position if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// Moves in UCI notation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
}

/// An opening that cannot be played.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LineError {
    /// The text is no position.
    #[error("'{fen}' is not a position: {reason}")]
    Fen {
        /// The text.
        fen: String,
        /// Why not.
        reason: String,
    },
    /// A move is not legal where it stands.
    #[error("'{text}' is not a legal move in {fen}")]
    Move {
        /// The move.
        text: String,
        /// Where.
        fen: String,
    },
    /// The game is over before it starts.
    #[error("the game is over at {fen}: expected a position to play on from")]
    Over {
        /// The position.
        fen: String,
    },
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
    /// The position stands for the third time.
    Threefold,
    /// Fifty moves by each side without a capture or a pawn move.
    FiftyMoves,
}

/// A line of play.
#[derive(Clone, Debug)]
pub struct Line {
    mode: CastlingMode,
    start_fen: Option<String>,
    start: Chess,
    position: Chess,
    moves: Vec<Move>,
    texts: Vec<String>,
    /// A hash of each position since the last move that cannot be taken back, this one included.
    keys: Vec<Zobrist128>,
}

impl Line {
    /// The line of an opening.
    ///
    /// # Errors
    /// [`LineError`] if a position or a move is wrong, or if the game is over after them.
    pub fn new(opening: &Opening, mode: CastlingMode) -> Result<Self, LineError> {
        let start = match &opening.fen {
            None => Chess::default(),
            Some(fen) => position(fen, mode)?,
        };
        let mut line = Self {
            mode,
            start_fen: opening.fen.clone(),
            keys: vec![key(&start)],
            position: start.clone(),
            start,
            moves: Vec::new(),
            texts: Vec::new(),
        };
        for text in &opening.moves {
            let m = line.read(text).ok_or_else(|| LineError::Move {
                text: text.clone(),
                fen: line.fen(),
            })?;
            line.play(m);
        }
        match line.end() {
            None => Ok(line),
            Some(_) => Err(LineError::Over { fen: line.fen() }),
        }
    }

    /// The position now.
    pub fn position(&self) -> &Chess {
        &self.position
    }

    /// The position at the start.
    pub fn start(&self) -> &Chess {
        &self.start
    }

    /// The position at the start as the opening gave it, unless it is the usual one.
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
    pub fn texts(&self) -> &[String] {
        &self.texts
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
    /// In Chess960 castling is the king taking its rook, in chess the king's step of two; either is understood in
    /// both where it means one thing only.
    pub fn read(&self, text: &str) -> Option<Move> {
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
        self.texts.push(m.to_uci(self.mode).to_string());
        self.moves.push(m);
        self.position.play_unchecked(m);
        self.keys.push(key(&self.position));
    }

    /// How the rules end the game here; `None` while it goes on. Mate comes before every draw.
    ///
    /// Threefold repetition and the fifty-move rule end the game without a claim, as in all engine matches.
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
}

/// Positions are the same for the rules if pieces, turn, castling rights and possible en passant captures are.
fn key(position: &Chess) -> Zobrist128 {
    position.zobrist_hash(EnPassantMode::Legal)
}

pub(crate) fn position(fen: &str, mode: CastlingMode) -> Result<Chess, LineError> {
    let bad = |reason: String| LineError::Fen {
        fen: fen.to_owned(),
        reason,
    };
    let parsed: Fen = fen.parse().map_err(|e| bad(format!("{e}")))?;
    parsed.into_position(mode).map_err(|e| bad(format!("{e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(fen: Option<&str>, moves: &str) -> Result<Line, LineError> {
        let opening = Opening {
            fen: fen.map(str::to_owned),
            moves: moves.split_whitespace().map(str::to_owned).collect(),
        };
        Line::new(&opening, CastlingMode::Standard)
    }

    fn ends(fen: &str, last: &str) -> Option<RuleEnd> {
        let mut line = line(Some(fen), "").unwrap();
        line.play(line.read(last).unwrap());
        line.end()
    }

    #[test]
    fn the_rules_end_games() {
        let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
        let mut repeated = line(None, shuffle).unwrap();
        assert_eq!(repeated.end(), None);
        repeated.play(repeated.read("f6g8").unwrap());
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

    /// A position with a chance to take en passant is another one than without it; a mere double step is not.
    #[test]
    fn repetition_looks_at_rights() {
        let mut line = line(
            Some("4k3/8/8/8/4p3/8/3P4/4K2R w K - 0 1"),
            "d2d4 e8d7 e1d1 d7e8 d1e1",
        )
        .unwrap();
        for text in "e8d7 e1d1 d7e8 d1e1".split(' ') {
            line.play(line.read(text).unwrap());
        }
        assert_eq!(
            line.end(),
            None,
            "castling and en passant rights differ from the first time"
        );
    }

    #[test]
    fn bad_openings_are_named() {
        let error = |fen: Option<&str>, moves: &str| line(fen, moves).unwrap_err().to_string();
        assert!(error(Some("rubbish"), "").starts_with("'rubbish' is not a position"));
        assert!(error(None, "e2e5").starts_with("'e2e5' is not a legal move in rnbqkbnr/"));
        assert!(error(None, "f2f3 e7e5 g2g4 d8h4").starts_with("the game is over at"));
    }
}
