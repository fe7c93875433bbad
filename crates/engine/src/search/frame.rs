//! What a thread knows of each ply of the path that it searches.

use super::history::{NO_PIECE_TO, PieceTo};
use shakmaty::Bitboard;

use crate::position::ShortMove;
use crate::score::{MAX_PLY, NONE, Score};

/// A ply of the path that is being searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The corrected static evaluation, [`NONE`] in check.
    pub(crate) evaluation: Score,
    /// The move that is being searched at this ply.
    pub(crate) piece_to: PieceTo,
    /// The move that a singular search leaves out.
    pub(crate) excluded: ShortMove,
    pub(crate) killers: [ShortMove; 2],
    /// Squares that the opponent attacks, once the moves are searched.
    pub(crate) threats: Bitboard,
    /// The move that is being searched, if it is quiet.
    pub(crate) quiet: ShortMove,
    /// Whether it is the first move of its node.
    pub(crate) first: bool,
    /// Parts of a ply by which it is reduced.
    pub(crate) reduction: i32,
    /// Beta cutoffs among the children so far.
    pub(crate) cutoffs: u32,
    /// Extensions on the path beyond one ply a move.
    pub(crate) extended: u32,
    /// Index in the thread's path of the position after the last null move: positions before it cannot be repeated.
    pub(crate) horizon: usize,
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            evaluation: NONE,
            piece_to: NO_PIECE_TO,
            excluded: ShortMove::NONE,
            killers: [ShortMove::NONE; 2],
            threats: Bitboard::EMPTY,
            quiet: ShortMove::NONE,
            first: false,
            reduction: 0,
            cutoffs: 0,
            extended: 0,
            horizon: 0,
        }
    }
}

/// Frames before the root, so that reading earlier plies never leaves the stack.
pub(crate) const BEFORE: usize = 6;
/// Frames of a thread.
pub(crate) const FRAMES: usize = BEFORE + MAX_PLY + 4;
