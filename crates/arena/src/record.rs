//! The record of a finished game.

use std::fmt;

use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Color};

use crate::game_state::{GameState, Opening, RuleEnd};
use crate::protocol::search_info::SearchInfo;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// White won.
    #[serde(rename = "1-0")]
    WhiteWins,
    /// Black won.
    #[serde(rename = "0-1")]
    BlackWins,
    /// A draw.
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl Outcome {
    /// The outcome in which this side wins.
    pub fn win(side: Color) -> Self {
        side.fold_wb(Self::WhiteWins, Self::BlackWins)
    }

    /// White's half points: 0, 1 or 2.
    pub fn white_half_points(self) -> u8 {
        match self {
            Self::WhiteWins => 2,
            Self::Draw => 1,
            Self::BlackWins => 0,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
        })
    }
}

/// Why a game ended. Where a side is at fault, it is the side that lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// Neither side can mate any more.
    InsufficientMaterial,
    /// The same position for the third time.
    Threefold,
    /// Fifty moves by each side without progress.
    FiftyMoves,
    /// The loser exceeded its time, or did not move at all while its clock ran.
    TimeForfeit,
    /// A side exceeded its time, but the pieces of the other side cannot mate (FIDE Laws of Chess,
    /// 6.9).
    DrawnTimeForfeit,
    /// The loser answered with something that is not a legal move.
    IllegalMove,
    /// The loser's process ended.
    Crash,
    /// The loser did not answer although no clock ran, or not to a question outside its own time.
    Stall,
    /// The loser resigned.
    Resignation,
    /// The loser's evaluations stayed below the threshold of the resign rule.
    AdjudicatedLoss,
    /// The evaluations stayed within the threshold of the draw rule.
    AdjudicatedDraw,
    /// Endgame tables gave the result.
    Tablebase,
    /// The game reached the largest number of moves allowed.
    MoveLimit,
}

impl Ending {
    /// All endings.
    pub const ALL: [Self; 15] = [
        Self::Checkmate,
        Self::Stalemate,
        Self::InsufficientMaterial,
        Self::Threefold,
        Self::FiftyMoves,
        Self::TimeForfeit,
        Self::DrawnTimeForfeit,
        Self::IllegalMove,
        Self::Crash,
        Self::Stall,
        Self::Resignation,
        Self::AdjudicatedLoss,
        Self::AdjudicatedDraw,
        Self::Tablebase,
        Self::MoveLimit,
    ];

    /// Whether the loser broke the rules or the protocol instead of being beaten on the board.
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            Self::TimeForfeit | Self::IllegalMove | Self::Crash | Self::Stall
        )
    }

    /// A short name: `checkmate`, `time forfeit`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::InsufficientMaterial => "insufficient material",
            Self::Threefold => "threefold repetition",
            Self::FiftyMoves => "fifty moves",
            Self::TimeForfeit => "time forfeit",
            Self::DrawnTimeForfeit => "drawn time forfeit",
            Self::IllegalMove => "illegal move",
            Self::Crash => "crash",
            Self::Stall => "stall",
            Self::Resignation => "resignation",
            Self::AdjudicatedLoss => "adjudicated loss",
            Self::AdjudicatedDraw => "adjudicated draw",
            Self::Tablebase => "tablebase",
            Self::MoveLimit => "move limit",
        }
    }

    /// The value of PGN's tag Termination.
    pub fn pgn(self) -> &'static str {
        match self {
            Self::TimeForfeit | Self::DrawnTimeForfeit => "time forfeit",
            Self::IllegalMove => "rules infraction",
            Self::Crash | Self::Stall => "abandoned",
            Self::AdjudicatedLoss | Self::AdjudicatedDraw | Self::Tablebase | Self::MoveLimit => {
                "adjudication"
            }
            _ => "normal",
        }
    }
}

impl From<RuleEnd> for Ending {
    fn from(end: RuleEnd) -> Self {
        match end {
            RuleEnd::Checkmate => Self::Checkmate,
            RuleEnd::Stalemate => Self::Stalemate,
            RuleEnd::InsufficientMaterial => Self::InsufficientMaterial,
            RuleEnd::Threefold => Self::Threefold,
            RuleEnd::FiftyMoves => Self::FiftyMoves,
        }
    }
}

/// A move that an engine chose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The move in UCI notation.
    #[serde(rename = "m")]
    pub uci: String,
    /// Microseconds spent.
    #[serde(rename = "us")]
    pub micros: u64,
    /// Milliseconds on the clock after the move, its increment included.
    #[serde(rename = "left", default, skip_serializing_if = "Option::is_none")]
    pub clock_millis: Option<u64>,
    /// What the engine reported about its search.
    #[serde(flatten)]
    pub info: SearchInfo,
}

/// A game that was played to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the schedule, from 0.
    pub number: u64,
    /// The index of the engine that played White.
    pub white: usize,
    /// The index of the engine that played Black.
    pub black: usize,
    /// Its opening.
    pub opening: Opening,
    /// The moves that the engines chose, after those of the opening.
    pub moves: Vec<MoveRecord>,
    /// The result.
    pub outcome: Outcome,
    /// Why it ended.
    pub ending: Ending,
    /// Details of a failure: how late, which move, how the process ended; or of the rule that
    /// ended the game early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// When it began, in seconds since 1970-01-01 00:00 UTC.
    pub began: u64,
}

impl GameRecord {
    /// Whether all moves are legal and none follows the end of the game, and whether an end by the
    /// rules, with its result, is that of the last position.
    pub(crate) fn is_played(&self, mode: CastlingMode) -> bool {
        let Ok(mut state) = GameState::new(&self.opening, mode) else {
            return false;
        };
        for played in &self.moves {
            let legal = state.parse_uci(&played.uci);
            let Some(m) = legal.filter(|_| state.end().is_none()) else {
                return false;
            };
            state.play(m);
        }
        let end = state.end();
        let outcome = match self.ending {
            Ending::Checkmate => Outcome::win(!state.turn()),
            Ending::Stalemate
            | Ending::InsufficientMaterial
            | Ending::Threefold
            | Ending::FiftyMoves => Outcome::Draw,
            _ => return true,
        };
        end.map(Ending::from) == Some(self.ending) && outcome == self.outcome
    }
}
