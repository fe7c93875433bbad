//! What happened in a game.

use std::fmt;

use serde::{Deserialize, Serialize};
use shakmaty::Color;

use crate::line::{Opening, RuleEnd};
use crate::talk::thought::Thought;

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// White won.
    #[serde(rename = "1-0")]
    WhiteWins,
    /// Black won.
    #[serde(rename = "0-1")]
    BlackWins,
    /// Nobody won.
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
    /// Mate.
    Checkmate,
    /// No move and no check.
    Stalemate,
    /// Nobody can mate any more.
    InsufficientMaterial,
    /// The same position for the third time.
    Threefold,
    /// Fifty moves by each side without progress.
    FiftyMoves,
    /// The loser's flag fell.
    TimeForfeit,
    /// The loser answered with what is no legal move.
    IllegalMove,
    /// The loser's process ended.
    Crash,
    /// The loser's process stopped answering.
    Stall,
    /// The loser gave up by itself.
    Resignation,
    /// The loser's own evaluation was hopeless for long enough.
    AdjudicatedLoss,
    /// Both evaluations were near zero for long enough.
    AdjudicatedDraw,
    /// Endgame tables know the result.
    Tablebase,
    /// The game reached the longest length allowed.
    MoveLimit,
}

impl Ending {
    /// All endings.
    pub const ALL: [Self; 14] = [
        Self::Checkmate,
        Self::Stalemate,
        Self::InsufficientMaterial,
        Self::Threefold,
        Self::FiftyMoves,
        Self::TimeForfeit,
        Self::IllegalMove,
        Self::Crash,
        Self::Stall,
        Self::Resignation,
        Self::AdjudicatedLoss,
        Self::AdjudicatedDraw,
        Self::Tablebase,
        Self::MoveLimit,
    ];

    /// Whether a program failed rather than lost.
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
            Self::TimeForfeit => "time forfeit",
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

/// A move that a player chose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// The move in UCI notation.
    #[serde(rename = "m")]
    pub text: String,
    /// Microseconds spent.
    #[serde(rename = "us")]
    pub micros: u64,
    /// Milliseconds on the clock after the move, its increment included.
    #[serde(rename = "left", default, skip_serializing_if = "Option::is_none")]
    pub left_millis: Option<u64>,
    /// What the player told about its search.
    #[serde(flatten)]
    pub thought: Thought,
}

/// A game that was played to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    /// Its place in the schedule, from 0.
    pub number: u64,
    /// The player of White: a place in the list of engines.
    pub white: usize,
    /// The player of Black.
    pub black: usize,
    /// Where it started.
    pub opening: Opening,
    /// The moves that the players chose.
    pub moves: Vec<Played>,
    /// Who won.
    pub outcome: Outcome,
    /// Why it ended.
    pub ending: Ending,
    /// What exactly went wrong, if something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// When it began, in seconds since 1970.
    pub began: u64,
}
