//! What is derived from static evaluations before a node's moves are searched.

use super::constants::{self, PLY};
use super::node::Node;
use super::thread::Thread;
use crate::position::Position;
use crate::score::{self, NONE, Score, is_known};
use crate::transposition_table::{Bound, Entry};

/// The largest bonus of a move by the evaluation after it.
const MOST_BONUS: i32 = 1500;

/// The evaluation, moved towards the score of the transposition table where its bound says that the value lies there.
pub(super) fn estimate(evaluation: Score, known: Option<&Entry>, ply: usize) -> Score {
    let Some(entry) = known else {
        return evaluation;
    };
    let score = score::from_table(entry.score, ply);
    let toward = match entry.bound {
        _ if evaluation == NONE || is_known(score) => return evaluation,
        Bound::Exact => score,
        Bound::Lower => evaluation.max(score),
        Bound::Upper => evaluation.min(score),
        Bound::None => return evaluation,
    };
    evaluation + (toward - evaluation) * constants::TableEvaluation() / 1024
}

impl Thread<'_, '_> {
    /// Compares the evaluations before and after the quiet move that led to a node: the history of the move learns from their sum, and
    /// the depth of the node is adapted where the move was reduced.
    pub(super) fn judge_last_move(&self, position: &Position, node: &mut Node) {
        if node.ply == 0 || node.in_check {
            return;
        }
        let before = self.earlier(node.ply, 1);
        if before.evaluation == NONE || before.quiet.is_none() {
            return;
        }
        // Each is for its own side to move: the sum is what the move cost the side that made it.
        let lost = before.evaluation + node.evaluation;
        let bonus = (-constants::EvaluationBonus() * lost).clamp(-MOST_BONUS, MOST_BONUS);
        (self.state.history).update_squares(!position.turn(), before.quiet, before.threats, bonus);
        if before.reduction >= constants::HindsightDeeper() && lost <= 0 {
            node.depth += 1;
        }
        if before.reduction >= PLY && node.depth >= 2 && lost > constants::HindsightShallower() {
            node.depth -= 1;
        }
    }
}
