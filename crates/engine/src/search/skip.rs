//! Moves that are pruned without being played.

use shakmaty::Move;

use super::constants::{self, PLY};
use super::move_picker::{Exchange, is_noisy};
use super::node::Node;
use super::see;
use super::thread::Thread;
use crate::position::Position;
use crate::score::{KNOWN_WIN, NONE, Score};

/// Whether a move is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Skip {
    /// It is searched.
    Search,
    /// It is pruned.
    Move,
    /// It and all later quiet moves are pruned.
    Quiets,
}

impl Thread<'_, '_> {
    /// Whether a move is pruned without being played. `best` is the best score of the node so far; `exchange` is what is
    /// known of the move's static exchange evaluation.
    pub(super) fn skip(
        &self,
        position: &Position,
        node: &Node,
        m: Move,
        count: u32,
        best: Score,
        exchange: Exchange,
    ) -> Skip {
        if node.ply == 0 || best <= -KNOWN_WIN || count <= 1 || !position.has_pieces() {
            return Skip::Search;
        }
        let alpha = best.max(node.beta - 1);
        if is_noisy(m) {
            self.skip_noisy(position, node, m, alpha, exchange)
        } else {
            self.skip_quiet(position, node, m, count, alpha)
        }
    }

    fn skip_quiet(
        &self,
        position: &Position,
        node: &Node,
        m: Move,
        count: u32,
        alpha: Score,
    ) -> Skip {
        let features = &self.shared.features;
        let depth = node.depth;
        let enough = constants::LateBase() + depth * depth * constants::LateDepth() / 100;
        let enough = enough as u32 / if node.improving { 1 } else { 2 };
        if features.late_pruning && count > enough {
            return Skip::Quiets;
        }
        let reduced = (depth - self.base_reduction(depth, count) / PLY).max(1);
        if features.futility
            && !node.in_check
            && node.evaluation != NONE
            && reduced <= 8
            && !node.pv
            && node.evaluation + constants::FutilityBase() + constants::FutilityDepth() * reduced
                <= alpha
        {
            return Skip::Quiets;
        }
        let context = self.move_context(node.ply);
        let history = self.state.history.quiet(position, m, &context);
        let unlikely =
            features.late_pruning && reduced <= 4 && history < -constants::HistoryPrune() * reduced;
        let loses = || {
            let most = constants::ExchangeQuiet() * reduced * reduced;
            features.see_pruning && reduced <= 9 && !see::wins_at_least(position, m, -most)
        };
        if unlikely || loses() {
            Skip::Move
        } else {
            Skip::Search
        }
    }

    fn skip_noisy(
        &self,
        position: &Position,
        node: &Node,
        m: Move,
        alpha: Score,
        exchange: Exchange,
    ) -> Skip {
        let features = &self.shared.features;
        let depth = node.depth;
        if depth > 7 {
            return Skip::Search;
        }
        let futile = features.futility && !node.in_check && node.evaluation != NONE && {
            let margin =
                constants::CaptureFutilityBase() + constants::CaptureFutilityDepth() * depth;
            node.evaluation + margin + see::gain(m) <= alpha
        };
        let loses = || {
            let most = constants::ExchangeNoisy() * depth;
            features.see_pruning
                && exchange != Exchange::Keeps
                && !see::wins_at_least(position, m, -most)
        };
        if futile || loses() {
            Skip::Move
        } else {
            Skip::Search
        }
    }
}
