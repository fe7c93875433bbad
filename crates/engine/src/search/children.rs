//! The moves of a node: which comes next, which are pruned, how deep each is searched, and what is
//! learnt from its score.

use std::collections::VecDeque;
use std::sync::LazyLock;

use shakmaty::{Move, Role};

use super::alpha_beta::{Node, Parameters, set_line};
use super::constants::{self, PLY};
use super::history::piece_to;
use super::move_picker::{Exchange, MoveBuffer, MovePicker, is_noisy};
use super::root::RootMove;
use super::see;
use super::thread::{BEFORE, Thread};
use crate::position::{Position, ShortMove};
use crate::score::{INFINITE, KNOWN_WIN, NONE, Score, is_known};
use crate::transposition_table::Bound;

/// Memory of a move loop, reused from node to node so that nothing is allocated.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) list: MoveBuffer,
    pub(crate) lines: LineBuffers,
}

/// Memory for the line and the lists of searched moves.
#[derive(Debug, Default)]
pub(crate) struct LineBuffers {
    pv: Vec<Move>,
    quiets: Vec<Move>,
    captures: Vec<Move>,
}

/// The state of the loop over a node's moves. Where several threads search them, it is behind the
/// lock of the split point.
#[derive(Debug, Default)]
pub(crate) struct MoveLoop {
    pub(super) picker: MovePicker,
    /// Moves that other threads were searching when their turn came, with their numbers.
    pub(super) deferred: VecDeque<(Move, u32)>,
    /// Number of moves taken from the picker.
    pub(super) count: u32,
    /// Number of moves searched.
    pub(super) searched: u32,
    /// Whether the remaining quiet moves are pruned.
    pub(super) skip_quiets: bool,
    pub(crate) alpha: Score,
    pub(crate) best: Score,
    pub(crate) best_move: Option<Move>,
    pub(crate) pv: Vec<Move>,
    /// Quiet moves that were searched and are not the best.
    pub(super) quiets: Vec<Move>,
    /// Captures that were searched and are not the best.
    pub(super) captures: Vec<Move>,
    /// At the root: the root moves, and the index of the first one that is searched.
    pub(crate) root: Option<Vec<RootMove>>,
    first: usize,
}

impl MoveLoop {
    pub(crate) fn new(picker: MovePicker, alpha: Score, buffers: LineBuffers) -> Self {
        let LineBuffers {
            mut pv,
            mut quiets,
            mut captures,
        } = buffers;
        pv.clear();
        quiets.clear();
        captures.clear();
        Self {
            picker,
            alpha,
            best: -INFINITE,
            pv,
            quiets,
            captures,
            ..Self::default()
        }
    }

    /// The loop over the root moves from `first` on.
    pub(crate) fn of_root(
        picker: MovePicker,
        alpha: Score,
        buffers: LineBuffers,
        moves: Vec<RootMove>,
        first: usize,
    ) -> Self {
        Self {
            root: Some(moves),
            first,
            ..Self::new(picker, alpha, buffers)
        }
    }

    /// Gives the memory back.
    pub(crate) fn into_buffers(self) -> Buffers {
        Buffers {
            list: self.picker.into_list(),
            lines: LineBuffers {
                pv: self.pv,
                quiets: self.quiets,
                captures: self.captures,
            },
        }
    }

    pub(crate) fn nothing_searched(&self) -> bool {
        self.searched == 0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count as usize >= self.picker.len() && self.deferred.is_empty()
    }

    /// Whether the first move (the eldest brother) is done.
    pub(crate) fn first_move_is_done(&self) -> bool {
        self.searched > 0
    }

    /// Records the score of a move; true for a beta cutoff. `rest` is the line after the move,
    /// `nodes` the nodes of its subtree.
    pub(crate) fn accept(
        &mut self,
        node: &Node,
        m: Move,
        score: Score,
        rest: &[Move],
        nodes: u64,
        sel_depth: usize,
    ) -> bool {
        self.searched += 1;
        if let Some(root) = &mut self.root {
            let record = root[self.first..].iter_mut().find(|r| r.m == m);
            if let Some(record) = record {
                record.nodes += nodes;
                if self.searched == 1 || score > self.alpha {
                    record.score = score;
                    record.bound = Bound::of(score, node.alpha, node.beta);
                    record.sel_depth = sel_depth;
                    // A move that fails low has no line: the previous one is kept.
                    if score > self.alpha || record.pv.len() < 2 {
                        set_line(&mut record.pv, m, rest);
                    }
                } else {
                    record.score = -INFINITE;
                }
            }
        }
        if score > self.best {
            self.best = score;
            if score > self.alpha {
                self.best_move = Some(m);
                if node.pv {
                    set_line(&mut self.pv, m, rest);
                }
                if score >= node.beta {
                    return true;
                }
                self.alpha = score;
            }
        }
        if self.best_move != Some(m) {
            if is_noisy(m) {
                self.captures.push(m);
            } else {
                self.quiets.push(m);
            }
        }
        false
    }
}

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

    /// The score of a move: searched at a reduced depth if it is late, and again if that raises
    /// alpha.
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
        } else if gives_check
            && self.shared.features.check_extension
            && node.depth <= constants::CheckDepth()
        {
            i32::from(see::wins_at_least(position, m, 0))
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
        let window = |alpha, beta, depth, cut| Parameters {
            alpha,
            beta,
            depth,
            ply,
            cut,
        };
        let whole = |depth, cut| window(-beta, -alpha, depth, cut);
        let null = |depth, cut| window(-alpha - 1, -alpha, depth, cut);
        if !self.shared.features.null_window {
            if reduction > 0 {
                let score = -self.search(next, whole(depth - reduction, true));
                if score <= alpha || self.aborted() {
                    return score;
                }
            }
            return -self.search(next, whole(depth, !node.cut));
        }
        if first {
            let cut = !node.pv && !node.cut;
            return -self.search(next, whole(depth, cut));
        }
        let shallow = (depth - reduction).clamp(1.min(depth), depth.max(1));
        self.frame(ply - 1).reduction = (depth - shallow) * PLY;
        let mut score = -self.search(next, null(shallow, true));
        self.frame(ply - 1).reduction = 0;
        if score > alpha && shallow < depth && !self.aborted() {
            let (deeper, shallower) = (constants::DeeperMargin(), constants::ShallowerMargin());
            let depth = depth + i32::from(score > alpha + deeper)
                - i32::from(shallower > 0 && score < alpha + shallower);
            if depth > shallow {
                score = -self.search(next, null(depth, !node.cut));
                let frame = self.earlier(ply, 1);
                if score > alpha && !frame.quiet.is_none() && !self.aborted() {
                    let bonus = bonus(depth) * constants::BonusAgain() / 128;
                    let context = self.move_context(ply - 1);
                    (self.state.history).update_after(frame.piece_to, &context, bonus);
                }
            }
        }
        if node.pv && score > alpha && !self.aborted() {
            score = -self.search(next, whole(depth, false));
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
            let cutoffs = self.frames[node.ply + 1 + BEFORE].cutoffs;
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
            + when(constants::ReduceNoTable(), node.tt_move.is_none())
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
        let bonus = (constants::TableBonusDepth() * depth - 60).min(constants::TableBonusMost());
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

/// The move of a hash move in full, if it is quiet and does not castle. Whether it is legal is not
/// checked: the entry belongs to the position unless two positions have the same key.
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
    /// Whether a move is pruned without being played. `best` is the best score of the node so far;
    /// `exchange` is what is known of the move's static exchange evaluation.
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
