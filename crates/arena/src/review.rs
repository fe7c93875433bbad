//! Review of a game: marks for bad moves and the accuracy of each side, from evaluations alone.
//!
//! An evaluation is converted to an expected score, because half a pawn matters in a level position
//! and not in a won one. A move loses the difference between the expected scores before and after
//! it. The curves are those that Lichess fitted to its games (lichess.org/page/accuracy); the
//! thresholds of the marks are 5, 10 and 15 percentage points.
//!
//! ```
//! use everymove_arena::review::{Mark, MoveReview};
//! use everymove_arena::{Color, Score};
//!
//! // White, a little better, makes a move after which Black is a rook ahead.
//! let review = MoveReview::new(Color::White, Score::Cp(40), Score::Cp(-500));
//! assert_eq!(review.mark, Some(Mark::Blunder));
//! assert!(review.accuracy < 20.0);
//! ```

use serde::{Deserialize, Serialize};
use shakmaty::Color;

use crate::protocol::search_info::Score;

/// The mark of a bad move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// `?!`: 5 to 10 percentage points of the expected score lost.
    Inaccuracy,
    /// `?`: 10 to 15 points lost.
    Mistake,
    /// `??`: 15 points or more lost.
    Blunder,
}

impl Mark {
    /// All marks.
    pub const ALL: [Self; 3] = [Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// The mark of a move that loses `loss` percentage points of the expected score, if it has one.
    pub fn of_loss(loss: f64) -> Option<Self> {
        match loss {
            loss if loss >= 15.0 => Some(Self::Blunder),
            loss if loss >= 10.0 => Some(Self::Mistake),
            loss if loss >= 5.0 => Some(Self::Inaccuracy),
            _ => None,
        }
    }

    /// The symbol after a move: `?!`, `?`, `??`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// The name of `n` of them: `1 mistake`, `2 blunders`.
    pub fn counted(self, n: u64) -> String {
        let (one, many) = match self {
            Self::Inaccuracy => ("inaccuracy", "inaccuracies"),
            Self::Mistake => ("mistake", "mistakes"),
            Self::Blunder => ("blunder", "blunders"),
        };
        format!("{n} {}", if n == 1 { one } else { many })
    }
}

/// The judgement of one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveReview {
    /// The expected score that the move lost, in percentage points; 0 if it lost nothing.
    pub loss: f64,
    /// 0 to 100: 100 for a move that loses nothing.
    pub accuracy: f64,
    /// The mark, if the move is bad enough for one.
    pub mark: Option<Mark>,
}

impl MoveReview {
    /// The judgement of a move by `mover`, from the evaluations for White before it (with best
    /// play) and after it.
    pub fn new(mover: Color, before: Score, after: Score) -> Self {
        let own = |score: Score| mover.fold_wb(score, score.reversed());
        let loss = (expected_score(own(before)) - expected_score(own(after))).max(0.0);
        Self {
            loss,
            accuracy: accuracy(loss),
            mark: Mark::of_loss(loss),
        }
    }
}

/// The expected score in percent at an evaluation, for the side whose evaluation it is: 50 for a
/// level position, 0 and 100 for mates.
pub fn expected_score(score: Score) -> f64 {
    match score {
        Score::Cp(cp) => 100.0 / (1.0 + (-0.003_682_08 * f64::from(cp)).exp()),
        Score::Mate(moves) if moves > 0 => 100.0,
        Score::Mate(_) => 0.0,
    }
}

/// The accuracy in percent of a move that loses `loss` percentage points of the expected score.
fn accuracy(loss: f64) -> f64 {
    (103.1668 * (-0.043_54 * loss).exp() - 3.1669).clamp(0.0, 100.0)
}

/// The mean accuracy of some moves; `None` without moves.
pub fn mean_accuracy(accuracies: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) =
        (accuracies.into_iter()).fold((0.0, 0u32), |(sum, n), accuracy| (sum + accuracy, n + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn score() -> impl Strategy<Value = Score> {
        prop_oneof![
            (-3000i32..3000).prop_map(Score::Cp),
            (1i32..50, any::<bool>()).prop_map(|(n, s)| Score::Mate(if s { n } else { -n }))
        ]
    }

    proptest! {
        /// Colours are symmetric, and a better evaluation never has a lower expected score.
        #[test]
        fn judgements_are_symmetric_and_monotonic(before in score(), after in score()) {
            let white = MoveReview::new(Color::White, before, after);
            let black = MoveReview::new(Color::Black, before.reversed(), after.reversed());
            prop_assert!((white.loss - black.loss).abs() < 1e-9);
            prop_assert_eq!(white.mark, black.mark);
            prop_assert!((0.0..=100.0).contains(&white.accuracy));
            prop_assert!((expected_score(before) + expected_score(before.reversed()) - 100.0).abs() < 1e-9);
            if after.centipawns() >= before.centipawns() {
                prop_assert_eq!((white.loss, white.mark), (0.0, None));
                prop_assert!(white.accuracy > 99.9);
            }
        }
    }

    #[test]
    fn known_judgements() {
        let mark = |before, after| MoveReview::new(Color::White, before, after).mark;
        // 9.1, 13.5 and 17.6 points; half a pawn in a won position is nothing.
        assert_eq!(mark(Score::Cp(0), Score::Cp(-100)), Some(Mark::Inaccuracy));
        assert_eq!(mark(Score::Cp(0), Score::Cp(-150)), Some(Mark::Mistake));
        assert_eq!(mark(Score::Cp(0), Score::Cp(-200)), Some(Mark::Blunder));
        assert_eq!(mark(Score::Cp(1200), Score::Cp(1150)), None);
        assert_eq!(mark(Score::Mate(3), Score::Cp(30)), Some(Mark::Blunder));
        assert_eq!(mean_accuracy([]), None);
        assert_eq!(mean_accuracy([90.0, 100.0]), Some(95.0));
    }
}
