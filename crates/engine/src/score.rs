//! Values of positions, in hundredths of a pawn, with mates above everything.

use std::fmt;

/// From the side to move: centipawns, or a mate.
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
/// No score: stands in tables where nothing is known.
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

/// A score as UCI writes it: `cp 31`, `mate 3`, `mate -2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown(pub Score);

impl Shown {
    /// Moves (not plies) to the mate, negative for being mated; `None` if it is none.
    pub fn mate(self) -> Option<i32> {
        is_mate(self.0).then(|| {
            let plies = MATE - self.0.abs();
            let moves = (plies + 1) / 2;
            if self.0 > 0 { moves } else { -(plies / 2) }
        })
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mate() {
            Some(moves) => write!(f, "mate {moves}"),
            None => write!(f, "cp {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!(Shown(MATE - 1).to_string(), "mate 1");
        assert_eq!(Shown(MATE - 3).to_string(), "mate 2");
        assert_eq!(Shown(mated_in(2)).to_string(), "mate -1");
        assert_eq!(Shown(-31).to_string(), "cp -31");
    }

    #[test]
    fn the_table_knows_distances_from_the_node() {
        for score in [0, 55, MATE - 7, mated_in(8), TABLE_WIN - 9, -TABLE_WIN + 9] {
            assert_eq!(from_table(to_table(score, 5), 5), score);
        }
        assert_eq!(from_table(to_table(MATE - 7, 5), 3), MATE - 5);
    }
}
