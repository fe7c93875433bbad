//! The moves of a node: which comes next, how deep it is searched, and what is learnt from its score.

use std::sync::LazyLock;

use shakmaty::{Move, Role};

use super::constants::{self, PLY};
use super::history::{LIMIT, piece_to};
use super::move_loop::MoveLoop;
use super::move_picker::is_noisy;
use super::node::Node;
use super::skip::Skip;
use super::thread::Thread;
use crate::position::{Position, ShortMove};
use crate::score::{INFINITE, NONE, Score, is_known};

impl Thread<'_, '_> {
    /// Searches a node's moves, alone or with idle threads.
    pub(super) fn search_children(
        &mut self,
        position: &Position,
        node: &Node,
        move_loop: &mut MoveLoop,
    ) {
        loop {
            if self.may_split(node, move_loop) {
                self.split(position, node, move_loop);
                return;
            }
            let Some((m, count)) = self.next_child(position, node, move_loop) else {
                return;
            };
            let before = self.nodes;
            let score = self.child(position, node, m, count, move_loop.alpha);
            if self.aborted() {
                return;
            }
            let nodes = self.nodes - before;
            if move_loop.accept(
                node,
                m,
                score,
                &self.pv[node.ply + 1],
                nodes,
                self.sel_depth,
            ) {
                return;
            }
        }
    }

    /// The next move that is not pruned, with its number from 1.
    pub(super) fn next_child(
        &mut self,
        position: &Position,
        node: &Node,
        move_loop: &mut MoveLoop,
    ) -> Option<(Move, u32)> {
        let excluded = self.earlier(node.ply, 0).excluded;
        while let Some(m) = move_loop.picker.next(position, &self.state.history) {
            if !excluded.is_none() && ShortMove::of(m) == excluded {
                continue;
            }
            move_loop.count += 1;
            if move_loop.skip_quiets && !is_noisy(m) {
                continue;
            }
            let bound = if move_loop.searched == 0 {
                -INFINITE
            } else {
                move_loop.best
            };
            let exchange = move_loop.picker.exchange;
            match self.skip(position, node, m, move_loop.count, bound, exchange) {
                Skip::Search => {}
                Skip::Move => continue,
                Skip::Quiets => {
                    move_loop.skip_quiets = true;
                    move_loop.count += move_loop.picker.drop_quiets() as u32;
                    continue;
                }
            }
            if move_loop.searched > 0 && self.is_busy(position, node, m) {
                move_loop.deferred.push_back((m, move_loop.count));
                continue;
            }
            return Some((m, move_loop.count));
        }
        move_loop.deferred.pop_front()
    }

    /// The score of a move: searched at a reduced depth if it is late, and again if that raises alpha.
    pub(super) fn child(
        &mut self,
        position: &Position,
        node: &Node,
        m: Move,
        count: u32,
        alpha: Score,
    ) -> Score {
        let ply = node.ply;
        let next = self.play(position, m);
        let gives_check = next.checkers().any();
        let extension = if count == 1 && ShortMove::of(m) == node.tt_move && node.extension != 0 {
            node.extension
        } else if gives_check && self.shared.features.check_extension && node.depth <= 6 {
            i32::from(super::see::wins_at_least(position, m, 0))
        } else {
            0
        };
        let depth = node.depth - 1 + extension;
        let reduction = self.reduction(position, node, m, count, gives_check, alpha);
        let _mark = self.mark_busy(position, node, m, count);
        self.descend(ply, piece_to(position.turn(), m), &next);
        if !is_noisy(m) {
            self.frame(ply).quiet = ShortMove::of(m);
        }
        self.frame(ply).first = count == 1;
        let extended = self.frame(ply).extended;
        self.frame(ply + 1).extended = extended + u32::from(extension > 1);
        let score = self.child_windows(&next, node, depth, reduction, count, alpha);
        self.ascend();
        score
    }

    fn child_windows(
        &mut self,
        next: &Position,
        node: &Node,
        depth: i32,
        reduction: i32,
        count: u32,
        alpha: Score,
    ) -> Score {
        let ply = node.ply + 1;
        let beta = node.beta;
        let first = count == 1;
        if !self.shared.features.null_window {
            if reduction > 0 {
                let score = -self.search(next, -beta, -alpha, depth - reduction, ply, true);
                if score <= alpha || self.aborted() {
                    return score;
                }
            }
            return -self.search(next, -beta, -alpha, depth, ply, !node.cut);
        }
        if first {
            let cut = !node.pv && !node.cut;
            return -self.search(next, -beta, -alpha, depth, ply, cut);
        }
        let shallow = (depth - reduction).clamp(1.min(depth), depth.max(1));
        self.frame(ply - 1).reduction = (depth - shallow) * PLY;
        let mut score = -self.search(next, -alpha - 1, -alpha, shallow, ply, true);
        self.frame(ply - 1).reduction = 0;
        if score > alpha && shallow < depth && !self.aborted() {
            let (deeper, shallower) = (constants::DeeperMargin(), constants::ShallowerMargin());
            let depth = depth + i32::from(score > alpha + deeper)
                - i32::from(shallower > 0 && score < alpha + shallower);
            if depth > shallow {
                score = -self.search(next, -alpha - 1, -alpha, depth, ply, !node.cut);
                let frame = self.earlier(ply, 1);
                if score > alpha && !frame.quiet.is_none() && !self.aborted() {
                    let bonus = bonus(depth) * constants::BonusAgain() / 128;
                    let context = self.move_context(ply - 1);
                    (self.state.history).update_after(frame.piece_to, &context, bonus);
                }
            }
        }
        if node.pv && score > alpha && !self.aborted() {
            score = -self.search(next, -beta, -alpha, depth, ply, false);
        }
        score
    }

    /// Plies by which a late move is searched shallower; at least 0.
    fn reduction(
        &self,
        position: &Position,
        node: &Node,
        m: Move,
        count: u32,
        gives_check: bool,
        alpha: Score,
    ) -> i32 {
        let unreduced = 1 + u32::from(node.pv) + u32::from(node.ply == 0);
        if !self.shared.features.lmr
            || node.depth < 3
            || count <= unreduced
            || is_known(alpha) && alpha < 0
        {
            return 0;
        }
        let side = position.turn();
        let base = self.base_reduction(node.depth, count);
        let when = |plies: i32, applies: bool| plies * i32::from(applies);
        let reduction = if is_noisy(m) {
            let history = self.state.history.capture(side, m);
            base - base / 2 - history * PLY / constants::ReduceCapture()
                + when(constants::ReduceNoisyCut(), node.cut)
        } else {
            let killers = &self.earlier(node.ply, 0).killers;
            let is_killer = killers.contains(&ShortMove::of(m));
            let falling = !node.improving && !node.in_check;
            let cutoffs = self.frames[node.ply + 1 + super::frame::BEFORE].cutoffs;
            let context = self.move_context(node.ply);
            let history = self.state.history.quiet(position, m, &context);
            base - history * PLY / constants::ReduceHistory()
                + when(constants::ReduceFalling(), falling)
                + when(constants::ReduceNoisyTable(), node.tt_move_is_noisy)
                + when(constants::ReduceCut(), node.cut)
                + when(constants::ReduceCutoffs(), cutoffs > 3)
                - when(constants::ReduceLessKiller(), is_killer)
        };
        let reduction = reduction + when(constants::ReduceRaised(), alpha > node.alpha)
            - when(constants::ReduceLessWasPv(), node.was_pv)
            - when(constants::ReduceLessPv(), node.pv)
            - when(constants::ReduceLessCheck(), gives_check)
            - when(constants::ReduceLessInCheck(), node.in_check);
        reduction.max(0) / PLY
    }

    /// The reduction by depth and number of the move alone, in 1/[`PLY`].
    #[inline]
    pub(super) fn base_reduction(&self, depth: i32, count: u32) -> i32 {
        static LOGARITHMS: LazyLock<[i32; 64]> =
            LazyLock::new(|| std::array::from_fn(|i| ((i.max(1) as f64).ln() * 1024.0) as i32));
        let depth = LOGARITHMS[depth.clamp(0, 63) as usize];
        let count = LOGARITHMS[(count as usize).min(63)];
        constants::ReduceBase() + depth * count / constants::ReduceDivisor()
    }

    /// Updates histories, killers and correction history after a node's moves have been searched.
    pub(super) fn update_histories(
        &mut self,
        position: &Position,
        node: &Node,
        found: &MoveLoop,
        alpha: Score,
    ) {
        let ply = node.ply;
        let side = position.turn();
        let Some(best) = found.best_move else {
            self.reward_move_before(position, node);
            self.correct(position, node, found, alpha);
            return;
        };
        if found.best >= node.beta {
            self.frame(ply).cutoffs += 1;
        }
        let depth = node.depth;
        let high = found.best >= node.beta + constants::BonusHigh();
        let bonus = bonus(depth + i32::from(high));
        let malus =
            (constants::MalusDepth() * depth - constants::MalusBase()).min(constants::MalusMost());
        let context = self.move_context(ply);
        let history = &self.state.history;
        if is_noisy(best) {
            history.update_capture(side, best, bonus);
        } else {
            history.update_quiet(position, best, &context, bonus);
            let before = self.earlier(ply, 1);
            if found.best >= node.beta && ply > 0 && before.first && !before.quiet.is_none() {
                let malus = bonus * constants::MalusBefore() / 128;
                history.update_after(before.piece_to, &self.move_context(ply - 1), -malus);
            }
            for &m in found.quiets.iter().filter(|&&m| m != best) {
                history.update_quiet(position, m, &context, -malus);
            }
        }
        for &m in found.captures.iter().filter(|&&m| m != best) {
            history.update_capture(side, m, -malus);
        }
        if !is_noisy(best) && found.best >= node.beta {
            let killers = &mut self.frame(ply).killers;
            let best = ShortMove::of(best);
            if killers[0] != best {
                *killers = [best, killers[0]];
            }
        }
        self.correct(position, node, found, alpha);
    }

    /// No move beats alpha: that is to the credit of the quiet move before.
    fn reward_move_before(&self, position: &Position, node: &Node) {
        let before = self.earlier(node.ply, 1);
        if node.ply == 0 || before.quiet.is_none() {
            return;
        }
        let bonus = bonus(node.depth) * constants::BonusBefore() / 128;
        let context = self.move_context(node.ply - 1);
        let history = &self.state.history;
        history.update_squares(!position.turn(), before.quiet, before.threats, bonus);
        history.update_after(before.piece_to, &context, bonus);
    }

    fn correct(&mut self, position: &Position, node: &Node, found: &MoveLoop, alpha: Score) {
        if !self.shared.features.correction || node.in_check || node.evaluation == NONE {
            return;
        }
        let quiet = found.best_move.is_none_or(|m| !is_noisy(m));
        let best = found.best;
        let high = best >= node.beta && best <= node.evaluation;
        let low = best <= alpha && best >= node.evaluation;
        if quiet && !high && !low && !is_known(best) && self.frame(node.ply).excluded.is_none() {
            let error = best - node.evaluation;
            let moves = self.moves_before(node.ply);
            (self.state.history).correct(position, moves, node.depth, error);
        }
    }

    /// Rewards a quiet hash move that causes a cutoff by its score in the transposition table.
    pub(super) fn reward_tt_move(
        &mut self,
        position: &Position,
        short: ShortMove,
        depth: i32,
        ply: usize,
    ) {
        let Some(m) = quiet_move(position, short) else {
            return;
        };
        let bonus = (120 * depth - 60).min(1200).min(LIMIT);
        self.frame(ply).threats = position.threats().all;
        let context = self.move_context(ply);
        self.state
            .history
            .update_quiet(position, m, &context, bonus);
    }
}

/// The bonus of a move that causes a cutoff at a node of a depth.
fn bonus(depth: i32) -> i32 {
    (constants::BonusDepth() * depth - constants::BonusBase()).min(constants::BonusMost())
}

/// The move of a hash move in full, if it is quiet and does not castle. Whether it is legal is not checked: the entry belongs
/// to the position unless two positions have the same key.
fn quiet_move(position: &Position, short: ShortMove) -> Option<Move> {
    let board = position.board();
    let (from, to) = (short.from(), short.to());
    let role = board.role_at(from)?;
    let captures = board.occupied().contains(to) || role == Role::Pawn && from.file() != to.file();
    let promotion = short.promotion();
    if captures || promotion == Some(Role::Queen) {
        return None;
    }
    Some(Move::Normal {
        role,
        from,
        capture: None,
        to,
        promotion,
    })
}
