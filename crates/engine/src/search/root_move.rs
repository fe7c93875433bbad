//! A root move with what the iterations found about it.

use shakmaty::Move;

use crate::score::{INFINITE, Score};

/// A move at the root and its score and line.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) m: Move,
    /// Of the current iteration; `-INFINITE` if the move was refuted or not searched yet.
    pub(crate) score: Score,
    /// Of the last iteration.
    pub(crate) previous: Score,
    pub(crate) pv: Vec<Move>,
    pub(crate) nodes: u64,
    pub(crate) sel_depth: usize,
}

impl RootMove {
    pub(crate) fn new(m: Move) -> Self {
        Self {
            m,
            score: -INFINITE,
            previous: -INFINITE,
            pv: vec![m],
            nodes: 0,
            sel_depth: 0,
        }
    }

    /// The score of the current iteration, or else of the last one.
    pub(crate) fn latest_score(&self) -> Score {
        if self.score > -INFINITE {
            self.score
        } else {
            self.previous
        }
    }
}
