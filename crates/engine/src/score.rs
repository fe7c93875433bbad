//! Scores: hundredths of a pawn, and above them wins in endgame tables and mates.

use std::fmt;
use std::ops::Neg;

use shakmaty::Color;

/// The score for the side to move: centipawns, or a win or loss at a distance in plies.
pub type Score = i32;

/// Beyond every score.
pub const INFINITE: Score = 32_500;
/// The side to move mates at once; a mate in `n` plies is `MATE - n`.
pub const MATE: Score = 32_000;
/// The longest path from the root of a search, in plies.
pub const MAX_PLY: usize = 240;
/// Scores from here up are mates.
pub const MATE_FOUND: Score = MATE - MAX_PLY as Score;
/// A win that an endgame table knows, `n` plies from the root, is `TABLE_WIN - n`.
pub const TABLE_WIN: Score = MATE_FOUND - 1;
/// Scores from here up are wins known from mates or tables; evaluations stay below.
pub const KNOWN_WIN: Score = TABLE_WIN - MAX_PLY as Score;
/// No score: the value of entries without one.
pub const NONE: Score = 32_600;

/// The score of being mated `ply` plies from the root.
#[inline]
pub fn mated_in(ply: usize) -> Score {
    ply as Score - MATE
}

/// Whether a score is a mate or a win known from a table, for either side.
#[inline]
pub fn is_known(score: Score) -> bool {
    score.abs() >= KNOWN_WIN
}

/// Whether a score is a mate for either side.
#[inline]
pub fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_FOUND && score.abs() <= MATE
}

/// Distances from the root become distances from the node, for the hash table.
#[inline]
pub(crate) fn to_table(score: Score, ply: usize) -> Score {
    match score {
        s if s >= KNOWN_WIN => s + ply as Score,
        s if s <= -KNOWN_WIN => s - ply as Score,
        s => s,
    }
}

/// The inverse of [`to_table`] at another path length.
#[inline]
pub(crate) fn from_table(score: Score, ply: usize) -> Score {
    match score {
        NONE => NONE,
        s if s >= KNOWN_WIN => s - ply as Score,
        s if s <= -KNOWN_WIN => s + ply as Score,
        s => s,
    }
}

/// A score in the units of the UCI protocol: centipawns, or whole moves to a mate. Negating it is
/// exact.
///
/// A search score belongs to the side to move, and counts plies to a mate. Moves are counted before
/// the sign is changed, so a score for White is the exact negative of the same score for Black:
///
/// ```
/// use everymove_engine::score::{MATE, UciScore};
/// use shakmaty::Color;
///
/// // The side to move mates in one ply, which is mate in 1 move.
/// assert_eq!(UciScore::for_white(MATE - 1, Color::White), UciScore::Mates(1));
/// assert_eq!(UciScore::for_white(MATE - 1, Color::Black), UciScore::IsMated(1));
/// assert_eq!(-UciScore::of(MATE - 1), UciScore::for_white(MATE - 1, Color::Black));
/// assert_eq!(UciScore::of(31).to_string(), "cp 31");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UciScore {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// The side whose score it is mates; the number of its moves, at least 1.
    Mates(u32),
    /// The side whose score it is is mated; the number of moves of the opponent, 0 if it is mated
    /// now.
    IsMated(u32),
}

impl UciScore {
    /// The score for the side to move.
    pub fn of(score: Score) -> Self {
        if !is_mate(score) {
            return Self::Centipawns(score);
        }
        // The mating side makes the first and the last of the plies, or the second and the last.
        let plies = MATE.abs_diff(score.abs());
        let moves = plies.div_ceil(2);
        if score > 0 {
            Self::Mates(moves)
        } else {
            Self::IsMated(moves)
        }
    }

    /// The score for White, of a search with `turn` to move.
    pub fn for_white(score: Score, turn: Color) -> Self {
        let own = Self::of(score);
        if turn.is_white() { own } else { -own }
    }

    /// Moves to the mate: positive for mating, 0 or negative for being mated, `None` without a
    /// mate.
    pub fn mate(self) -> Option<i32> {
        match self {
            Self::Centipawns(_) => None,
            Self::Mates(moves) => Some(moves as i32),
            Self::IsMated(moves) => Some(-(moves as i32)),
        }
    }

    /// As chess programs show it: pawns with a sign, `+0.31`, or moves to the mate, `#3` and `#-3`.
    /// A win or loss by endgame tables, whose moves to the mate are unknown, is `win` or
    /// `loss`.
    pub fn in_pawns(self) -> String {
        match self {
            Self::Centipawns(n) if is_known(n) => if n > 0 { "win" } else { "loss" }.to_owned(),
            // Zero has no sign of its own: both sides see +0.00.
            Self::Centipawns(n) => format!("{:+.2}", f64::from(n) / 100.0),
            Self::Mates(moves) => format!("#{moves}"),
            Self::IsMated(moves) => format!("#-{moves}"),
        }
    }
}

impl Neg for UciScore {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Centipawns(n) => Self::Centipawns(-n),
            Self::Mates(moves) => Self::IsMated(moves),
            Self::IsMated(moves) => Self::Mates(moves),
        }
    }
}

impl fmt::Display for UciScore {
    /// As UCI writes it: `cp 31`, `mate 3`, `mate -2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.mate()) {
            (Self::Centipawns(n), _) => write!(f, "cp {n}"),
            (_, moves) => write!(f, "mate {}", moves.unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves_for_either_side() {
        for (score, white_to_move, black_to_move) in [
            (MATE - 1, "mate 1", "mate -1"),
            (MATE - 3, "mate 2", "mate -2"),
            (MATE - 23, "mate 12", "mate -12"),
            (mated_in(0), "mate 0", "mate 0"),
            (mated_in(2), "mate -1", "mate 1"),
            (mated_in(24), "mate -12", "mate 12"),
            (-31, "cp -31", "cp 31"),
        ] {
            let shown = |turn| UciScore::for_white(score, turn).to_string();
            assert_eq!(shown(Color::White), white_to_move);
            assert_eq!(shown(Color::Black), black_to_move);
        }
    }

    #[test]
    fn every_score_negates_exactly() {
        for score in -MATE..=MATE {
            let white = UciScore::for_white(score, Color::White);
            let black = UciScore::for_white(score, Color::Black);
            assert_eq!(white, -black, "{score}");
            assert_eq!(-(-white), white, "{score}");
            let (Some(a), Some(b)) = (white.mate(), black.mate()) else {
                assert!(!is_mate(score), "{score}");
                continue;
            };
            assert_eq!(a, -b, "{score}");
        }
    }

    #[test]
    fn scores_are_shown_in_pawns() {
        let shown = |score, turn| UciScore::for_white(score, turn).in_pawns();
        assert_eq!(shown(31, Color::White), "+0.31");
        assert_eq!(shown(31, Color::Black), "-0.31");
        assert_eq!(shown(0, Color::Black), "+0.00");
        assert_eq!(shown(MATE - 1, Color::Black), "#-1");
        assert_eq!(shown(mated_in(4), Color::Black), "#2");
        assert_eq!(shown(TABLE_WIN - 7, Color::White), "win");
        assert_eq!(shown(TABLE_WIN, Color::Black), "loss");
    }

    #[test]
    fn the_table_stores_distances_from_the_node() {
        for score in [0, 55, MATE - 7, mated_in(8), TABLE_WIN - 9, -TABLE_WIN + 9] {
            assert_eq!(from_table(to_table(score, 5), 5), score);
        }
        assert_eq!(from_table(to_table(MATE - 7, 5), 3), MATE - 5);
    }
}
