//! A node of the alpha-beta search.

use shakmaty::Move;

use crate::position::ShortMove;
use crate::score::Score;

/// What stays the same while a node's moves are searched.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) ply: usize,
    pub(crate) depth: i32,
    pub(crate) beta: Score,
    /// Alpha at the start.
    pub(crate) alpha: Score,
    /// Whether the window is open: a node of the principal variation.
    pub(crate) pv: bool,
    /// Whether the position was ever on a principal variation.
    pub(crate) was_pv: bool,
    /// A null-window node where a cutoff is expected.
    pub(crate) cut: bool,
    pub(crate) in_check: bool,
    /// The static evaluation, [`crate::score::NONE`] in check.
    pub(crate) raw: Score,
    /// The static evaluation plus its correction history, [`crate::score::NONE`] in check.
    pub(crate) evaluation: Score,
    /// The evaluation, or the score of the transposition table where that is a better bound of the value: for pruning.
    pub(crate) estimate: Score,
    /// Whether the evaluation is higher than two plies before.
    pub(crate) improving: bool,
    /// The hash move.
    pub(crate) tt_move: ShortMove,
    pub(crate) tt_move_is_noisy: bool,
    /// Plies by which the hash move is searched deeper.
    pub(crate) extension: i32,
}

/// Replaces `line` by a move and the line after it.
pub(crate) fn set_line(line: &mut Vec<Move>, first: Move, rest: &[Move]) {
    line.clear();
    line.push(first);
    line.extend_from_slice(rest);
}
