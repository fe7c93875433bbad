//! The moves of a node: which comes next, how deep it is searched, what its score changes.

use std::collections::VecDeque;
use std::sync::LazyLock;

use shakmaty::Move;

use super::history::{LIMIT, step};
use super::node::{Node, extend_line};
use super::picker::{Picker, is_noisy};
use super::prune::Skip;
use super::root::RootMove;
use super::thread::Thread;
use crate::Position;
use crate::position::ShortMove;
use crate::score::{INFINITE, NONE, Score, is_known};

/// What changes while a node's moves are searched. Where several threads search them, it lies behind the split point's lock.
#[derive(Debug)]
pub(crate) struct Brothers {
    picker: Picker,
    /// Moves that other threads were searching when their turn came, with their numbers.
    deferred: VecDeque<(Move, u32)>,
    count: u32,
    searched: u32,
    skip_quiets: bool,
    pub(crate) alpha: Score,
    pub(crate) best: Score,
    pub(crate) best_move: Option<Move>,
    pub(crate) pv: Vec<Move>,
    quiets: Vec<Move>,
    captures: Vec<Move>,
    /// At the root: the records of the root moves, and the first of them that is searched.
    pub(crate) root: Option<Vec<RootMove>>,
    first: usize,
}

impl Brothers {
    pub(crate) fn new(picker: Picker, alpha: Score) -> Self {
        Self {
            picker,
            deferred: VecDeque::new(),
            count: 0,
            searched: 0,
            skip_quiets: false,
            alpha,
            best: -INFINITE,
            best_move: None,
            pv: Vec::new(),
            quiets: Vec::new(),
            captures: Vec::new(),
            root: None,
            first: 0,
        }
    }

    pub(crate) fn of_root(
        picker: Picker,
        alpha: Score,
        moves: Vec<RootMove>,
        first: usize,
    ) -> Self {
        Self {
            root: Some(moves),
            first,
            ..Self::new(picker, alpha)
        }
    }

    pub(crate) fn nothing_searched(&self) -> bool {
        self.searched == 0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count as usize >= self.picker.len() && self.deferred.is_empty()
    }

    /// Whether the eldest brother is done.
    pub(crate) fn eldest_is_done(&self) -> bool {
        self.searched > 0
    }

    /// Takes the score of a move into account; true for a cutoff. `rest` is the line after the move, `nodes` what it cost.
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
                    record.sel_depth = sel_depth;
                    // A move that fails low has no line: the one from before is better than none.
                    if score > self.alpha || record.pv.len() < 2 {
                        extend_line(&mut record.pv, m, rest);
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
                    extend_line(&mut self.pv, m, rest);
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
    /// Searches a node's moves, alone or with the help of idle threads.
    pub(super) fn search_children(
        &mut self,
        position: &Position,
        node: &Node,
        brothers: &mut Brothers,
    ) {
        loop {
            if self.may_split(node, brothers) {
                self.split(position, node, brothers);
                return;
            }
            let Some((m, count)) = self.next_child(position, node, brothers) else {
                return;
            };
            let before = self.nodes;
            let score = self.child(position, node, m, count, brothers.alpha);
            if self.aborted() {
                return;
            }
            let nodes = self.nodes - before;
            if brothers.accept(
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

    /// The next move that is worth searching, with its number.
    pub(super) fn next_child(
        &mut self,
        position: &Position,
        node: &Node,
        brothers: &mut Brothers,
    ) -> Option<(Move, u32)> {
        let excluded = self.earlier(node.ply, 0).excluded;
        while let Some(m) = brothers.picker.next(position, &self.memory.history) {
            if !excluded.is_none() && ShortMove::of(m) == excluded {
                continue;
            }
            brothers.count += 1;
            if brothers.skip_quiets && !is_noisy(m) {
                continue;
            }
            let bound = if brothers.searched == 0 {
                -INFINITE
            } else {
                brothers.best
            };
            match self.skip(position, node, m, brothers.count, bound) {
                Skip::Search => {}
                Skip::Move => continue,
                Skip::Quiets => {
                    brothers.skip_quiets = true;
                    continue;
                }
            }
            if brothers.searched > 0 && self.is_busy(position, node, m) {
                brothers.deferred.push_back((m, brothers.count));
                continue;
            }
            return Some((m, brothers.count));
        }
        brothers.deferred.pop_front()
    }

    /// The score of a move: reduced if it is late, searched again if it surprises.
    pub(super) fn child(
        &mut self,
        position: &Position,
        node: &Node,
        m: Move,
        count: u32,
        alpha: Score,
    ) -> Score {
        let ply = node.ply;
        let next = position.play(m);
        let gives_check = next.checkers().any();
        let extension = if count == 1 && ShortMove::of(m) == node.table_move && node.extension != 0
        {
            node.extension
        } else if gives_check && self.shared.features.check_extension && node.depth <= 6 {
            i32::from(super::see::wins_at_least(position, m, 0))
        } else {
            0
        };
        let depth = node.depth - 1 + extension;
        let reduction = self.reduction(position, node, m, count, gives_check, alpha);
        let _mark = self.mark_busy(position, node, m, count);
        self.descend(ply, step(position.turn(), m), &next);
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
        let mut score = -self.search(next, -alpha - 1, -alpha, shallow, ply, true);
        if score > alpha && shallow < depth && !self.aborted() {
            score = -self.search(next, -alpha - 1, -alpha, depth, ply, !node.cut);
        }
        if node.pv && score > alpha && !self.aborted() {
            score = -self.search(next, -beta, -alpha, depth, ply, false);
        }
        score
    }

    /// How much shallower a late move is searched.
    fn reduction(
        &self,
        position: &Position,
        node: &Node,
        m: Move,
        count: u32,
        gives_check: bool,
        alpha: Score,
    ) -> i32 {
        let eldest = 1 + u32::from(node.pv) + u32::from(node.ply == 0);
        if !self.shared.features.lmr
            || node.depth < 3
            || count <= eldest
            || is_known(alpha) && alpha < 0
        {
            return 0;
        }
        let side = position.turn();
        let mut reduction = self.base_reduction(node.depth, count);
        if is_noisy(m) {
            reduction = reduction / 2 - self.memory.history.capture(side, m) / 6000;
            if node.cut {
                reduction += 1;
            }
        } else {
            let before = self.steps_before(node.ply);
            reduction -= self.memory.history.quiet(side, m, &before) / 9000;
            reduction += i32::from(!node.improving && !node.in_check);
            reduction += i32::from(node.table_move_is_noisy);
            reduction += 2 * i32::from(node.cut);
            reduction += i32::from(self.frames[node.ply + 1 + super::thread::BEFORE].cutoffs > 3);
            if self
                .earlier(node.ply, 0)
                .killers
                .contains(&ShortMove::of(m))
            {
                reduction -= 1;
            }
        }
        reduction -= i32::from(node.pv) + i32::from(gives_check) + i32::from(node.in_check);
        reduction.max(0)
    }

    /// The reduction by depth and number of the move alone.
    #[inline]
    pub(super) fn base_reduction(&self, depth: i32, count: u32) -> i32 {
        static REDUCTIONS: LazyLock<Vec<[u8; 64]>> = LazyLock::new(|| {
            let value = |depth: usize, count: usize| {
                let product = (depth.max(1) as f64).ln() * (count.max(1) as f64).ln();
                (0.6 + product / 2.3) as u8
            };
            (0..64)
                .map(|depth| std::array::from_fn(|count| value(depth, count)))
                .collect()
        });
        i32::from(REDUCTIONS[depth.clamp(0, 63) as usize][(count as usize).min(63)])
    }

    /// Tells the histories which move was best and which were not.
    pub(super) fn learn(
        &mut self,
        position: &Position,
        node: &Node,
        found: &Brothers,
        alpha: Score,
    ) {
        let ply = node.ply;
        let side = position.turn();
        let Some(best) = found.best_move else {
            self.correct(position, node, found, alpha);
            return;
        };
        if found.best >= node.beta {
            self.frame(ply).cutoffs += 1;
        }
        let depth = node.depth;
        let bonus = (160 * depth - 80).min(1700);
        let before = self.steps_before(ply);
        let history = &self.memory.history;
        if is_noisy(best) {
            history.nudge_capture(side, best, bonus);
        } else {
            history.nudge_quiet(side, best, &before, bonus);
            for &m in found.quiets.iter().filter(|&&m| m != best) {
                history.nudge_quiet(side, m, &before, -bonus);
            }
        }
        for &m in found.captures.iter().filter(|&&m| m != best) {
            history.nudge_capture(side, m, -bonus);
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

    fn correct(&mut self, position: &Position, node: &Node, found: &Brothers, alpha: Score) {
        if !self.shared.features.correction || node.in_check || node.evaluation == NONE {
            return;
        }
        let quiet = found.best_move.is_none_or(|m| !is_noisy(m));
        let best = found.best;
        let high = best >= node.beta && best <= node.evaluation;
        let low = best <= alpha && best >= node.evaluation;
        if quiet && !high && !low && !is_known(best) && self.frame(node.ply).excluded.is_none() {
            let error = best - node.evaluation;
            self.memory.history.correct(position, node.depth, error);
        }
    }

    /// A table move that cuts at once is a good move, too.
    pub(super) fn praise_table_move(
        &mut self,
        position: &Position,
        short: ShortMove,
        depth: i32,
        ply: usize,
    ) {
        let quiet = !position.board().occupied().contains(short.to());
        if !quiet {
            return;
        }
        let bonus = (120 * depth - 60).min(1200).min(LIMIT);
        let before = self.steps_before(ply);
        if let Some(m) = position.expand(short).filter(|&m| !is_noisy(m)) {
            self.memory
                .history
                .nudge_quiet(position.turn(), m, &before, bonus);
        }
    }
}
