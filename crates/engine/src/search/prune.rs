//! Cutoffs before a node's moves are searched, and singular extensions.

use super::constants::{self, PLY};
use super::history::{NO_PIECE_TO, piece_to};
use super::move_loop::Buffers;
use super::move_picker::MovePicker;
use super::node::Node;
use super::see;
use super::thread::Thread;
use crate::position::{Position, ShortMove};
use crate::score::{self, KNOWN_WIN, MAX_PLY, Score, is_known};
use crate::transposition_table::{Bound, Entry};

/// The result of a search without the hash move.
pub(super) enum Singular {
    /// Another move reaches beta, too: so does the node.
    Cut(Score),
    /// Plies by which the hash move is searched deeper; negative for shallower.
    Extend(i32),
}

impl Thread<'_, '_> {
    /// The score of a node that needs no search of its moves; may reduce the node's depth.
    pub(super) fn prune(
        &mut self,
        position: &Position,
        node: &mut Node,
        alpha: Score,
    ) -> Option<Score> {
        let features = &self.shared.features;
        if !node.in_check && !node.pv {
            let beta_is_bounded = !is_known(node.beta);
            if features.razoring
                && !is_known(alpha)
                && node.depth <= 3
                && node.estimate
                    + constants::RazorBase()
                    + constants::RazorDepth() * node.depth * node.depth
                    < alpha
            {
                let score = self.quiesce(position, alpha, alpha + 1, node.ply);
                if score <= alpha {
                    return Some(score);
                }
            }
            let margin = constants::ReverseDepth() * node.depth
                - constants::ReverseImproving() * i32::from(node.improving)
                + constants::ReverseQuiet()
                    * i32::from(!node.tt_move.is_none() && !node.tt_move_is_noisy);
            if self.shared.features.reverse_futility
                && beta_is_bounded
                && node.depth <= 8
                && node.estimate - margin >= node.beta
                && node.estimate < KNOWN_WIN
            {
                return Some((node.estimate + node.beta) / 2);
            }
            if let Some(score) = self.null_move_pruning(position, node) {
                return Some(score);
            }
            if beta_is_bounded && let Some(score) = self.probcut(position, node) {
                return Some(score);
            }
        }
        if self.shared.features.internal_reduction
            && node.tt_move.is_none()
            && node.depth >= 4
            && (node.pv || node.cut)
        {
            node.depth -= 1;
        }
        None
    }

    /// Null move pruning: if the position stays above beta although the side to move passes, a move will keep it there.
    fn null_move_pruning(&mut self, position: &Position, node: &Node) -> Option<Score> {
        let ply = node.ply;
        let tried = self.shared.features.null_move
            && node.depth >= 3
            && node.estimate >= node.beta
            && (node.cut || node.estimate >= node.beta + constants::NullAllMargin())
            && node.evaluation
                >= node.beta + constants::NullMarginBase()
                    - constants::NullMarginDepth() * node.depth
            && self.earlier(ply, 1).piece_to != NO_PIECE_TO
            && ply >= self.null_verified_until
            && !is_known(node.beta)
            && position.has_pieces();
        if !tried {
            return None;
        }
        let passed = position.null_move()?;
        let above = (node.estimate - node.beta) / constants::NullDivisor();
        let reduction =
            (constants::NullBase() + constants::NullDepth() * node.depth) / PLY + above.min(3);
        self.descend(ply, NO_PIECE_TO, &passed);
        let beta = node.beta;
        let score = -self.search(
            &passed,
            -beta,
            1 - beta,
            node.depth - reduction,
            ply + 1,
            !node.cut,
        );
        self.ascend();
        if self.aborted() || score < beta {
            return None;
        }
        let score = if is_known(score) { beta } else { score };
        if node.depth < 14 || self.null_verified_until > 0 {
            return Some(score);
        }
        // At large depths, zugzwang is ruled out by a search without null moves.
        self.null_verified_until = ply + (3 * (node.depth - reduction) / 4).max(1) as usize;
        let verified = self.search(position, beta - 1, beta, node.depth - reduction, ply, false);
        self.null_verified_until = 0;
        (verified >= beta && !self.aborted()).then_some(score)
    }

    /// ProbCut: a capture that reaches a raised beta at a much lower depth will reach beta at the full one.
    fn probcut(&mut self, position: &Position, node: &Node) -> Option<Score> {
        let raised = node.beta + constants::ProbCutMargin();
        if !self.shared.features.probcut || node.depth < 5 || raised >= KNOWN_WIN {
            return None;
        }
        let ply = node.ply;
        if let Some(entry) = self.shared.table.probe(position.keys().all)
            && self.shared.features.use_tt
        {
            let score = score::from_table(entry.score, ply);
            let enough = node.beta + constants::ProbCutTable();
            if entry.depth >= node.depth - 4
                && matches!(entry.bound, Bound::Lower | Bound::Exact)
                && score >= enough
                && !is_known(score)
            {
                return Some(enough);
            }
            if entry.depth >= node.depth - 3 && score < raised {
                return None;
            }
        }
        let mut buffers = self.buffers.pop().unwrap_or_default();
        buffers.list.fill_noisy(position);
        let mut picker = MovePicker::new(
            buffers.list,
            node.tt_move,
            [ShortMove::NONE; 2],
            self.move_context(ply),
            &self.shared.features,
        );
        let found = self.probcut_moves(position, node, raised, &mut picker);
        self.buffers.push(Buffers {
            list: picker.into_list(),
            ..buffers
        });
        found
    }

    fn probcut_moves(
        &mut self,
        position: &Position,
        node: &Node,
        raised: Score,
        picker: &mut MovePicker,
    ) -> Option<Score> {
        let ply = node.ply;
        while let Some(m) = picker.next(position, &self.state.history) {
            if !see::wins_at_least(position, m, raised - node.estimate) {
                continue;
            }
            let child = self.play(position, m);
            self.descend(ply, piece_to(position.turn(), m), &child);
            let mut score = -self.quiesce(&child, -raised, 1 - raised, ply + 1);
            if score >= raised {
                score = -self.search(
                    &child,
                    -raised,
                    1 - raised,
                    node.depth - 4,
                    ply + 1,
                    !node.cut,
                );
            }
            self.ascend();
            if self.aborted() {
                return None;
            }
            if score >= raised {
                return Some(if is_known(score) {
                    node.beta
                } else {
                    score - (raised - node.beta)
                });
            }
        }
        None
    }

    /// Singular extension: searches the node without its hash move; if all other moves fail low, that move is searched deeper.
    pub(super) fn singular(&mut self, position: &Position, node: &Node, known: &Entry) -> Singular {
        let ply = node.ply;
        let score = score::from_table(known.score, ply);
        let asked = self.shared.features.singular
            && ply > 0
            && node.depth >= constants::SingularDepth()
            && !node.tt_move.is_none()
            && matches!(known.bound, Bound::Lower | Bound::Exact)
            && known.depth >= node.depth - 3
            && !is_known(score)
            && ply < 2 * self.root_depth as usize
            && ply + 2 < MAX_PLY;
        if !asked {
            return Singular::Extend(0);
        }
        let bar = score - constants::SingularMargin() * node.depth / 16;
        self.frame(ply).excluded = node.tt_move;
        let without = self.search(position, bar - 1, bar, (node.depth - 1) / 2, ply, node.cut);
        self.frame(ply).excluded = ShortMove::NONE;
        if self.aborted() {
            return Singular::Extend(0);
        }
        if without < bar {
            let much = !node.pv
                && without < bar - constants::DoubleMargin()
                && self.frame(ply).extended < 8;
            let triple =
                much && !node.tt_move_is_noisy && without < bar - constants::TripleMargin();
            return Singular::Extend(if triple {
                3
            } else if much {
                2
            } else {
                1
            });
        }
        if without >= node.beta && !is_known(without) {
            return Singular::Cut(without);
        }
        Singular::Extend(if score >= node.beta {
            -2
        } else if node.cut {
            -constants::NegativeCut()
        } else {
            0
        })
    }
}
