//! A played game, jump by jump: where it was lost, and what would have saved it.

use crate::hint::{Advice, Hint};
use crate::jump::Jump;
use crate::position::Position;

/// A played game.
#[derive(Clone, Debug)]
pub struct Review {
    /// The position before the first jump.
    pub start: Position,
    /// Each jump as it was played.
    pub steps: Vec<ReviewStep>,
    /// Which jump lost the game, counted from 0; `None` if it was not lost by a jump.
    pub lost_at: Option<usize>,
    /// Whether the game reached the finish.
    pub is_solved: bool,
    /// Advice on the last position.
    pub last: Hint,
}

/// One jump of a played game.
#[derive(Clone, Debug)]
pub struct ReviewStep {
    /// The jump that was played.
    pub played: Jump,
    /// Advice on the position before it.
    pub before: Hint,
    /// Whether the finish could still be reached after it.
    pub is_winnable_after: bool,
    /// The share of the solutions that the jump kept, from 0 to 1, if they were counted and there
    /// were any.
    pub share: Option<f64>,
}

impl Review {
    /// Reviews jumps that can be made one after another from the problem's start, as
    /// [`parse_game`](crate::parse_game) returns them.
    pub fn new(advice: Advice<'_>, jumps: &[Jump]) -> Self {
        let start = advice.set.problem().start();
        let mut position = start;
        let mut steps = Vec::with_capacity(jumps.len());
        for &played in jumps {
            let before = advice.hint(position);
            let hint = before.jumps.iter().find(|hint| hint.jump == played);
            let step = ReviewStep {
                is_winnable_after: hint.is_some_and(|hint| hint.keeps_winnable),
                share: hint.and_then(|hint| before.share(hint)),
                played,
                before,
            };
            position = played.after(position);
            steps.push(step);
        }
        let fatal = |step: &ReviewStep| step.before.is_winnable && !step.is_winnable_after;
        Self {
            start,
            lost_at: steps.iter().position(fatal),
            is_solved: advice.set.problem().is_finish(position),
            last: advice.hint(position),
            steps,
        }
    }
}
