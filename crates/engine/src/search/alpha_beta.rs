//! One node of the alpha-beta search: draws, transposition table, endgame tables, pruning, then its moves.

use super::constants;
use super::estimate::estimate;
use super::frame::Frame;
use super::move_loop::Buffers;
use super::move_loop::MoveLoop;
use super::move_picker::MovePicker;
use super::node::Node;
use super::prune::Singular;
use super::thread::Thread;
use crate::position::{Position, ShortMove};
use crate::score::{self, MATE, MAX_PLY, NONE, Score, is_known, mated_in};
use crate::transposition_table::{Bound, Entry};

impl Thread<'_, '_> {
    /// The value of a position, fail-soft, searched `depth` plies deep at `ply` plies from the root; `cut` for a node where a cutoff is
    /// expected. Without meaning if the thread is [aborted](Thread::aborted).
    pub(crate) fn search(
        &mut self,
        position: &Position,
        mut alpha: Score,
        mut beta: Score,
        depth: i32,
        ply: usize,
        cut: bool,
    ) -> Score {
        self.pv[ply].clear();
        if depth <= 0 {
            return self.quiesce(position, alpha, beta, ply);
        }
        if self.enter(ply) {
            return 0;
        }
        let excluded = self.frame(ply).excluded;
        if ply > 0 {
            if self.is_draw(position, ply) {
                return self.draw_score();
            }
            if ply >= MAX_PLY {
                return self.leaf(position);
            }
            if self.shared.features.foresee_repetition
                && alpha < 0
                && self.can_repeat(position, ply)
            {
                alpha = alpha.max(self.draw_score());
                if alpha >= beta {
                    return alpha;
                }
            }
            // Nothing here can be better than mating next, nor worse than being mated now.
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(MATE - ply as Score - 1);
            if alpha >= beta {
                return alpha;
            }
        }
        let pv = beta - alpha > 1;
        let known = self.probe(position, excluded);
        if let Some(entry) = &known
            && !pv
            && excluded.is_none()
            && entry.depth >= depth
            && position.halfmoves() < 90
            && let Some(score) = entry.settled_score(alpha, beta, ply)
        {
            if score >= beta && !entry.best.is_none() {
                self.reward_tt_move(position, entry.best, depth, ply);
            }
            return score;
        }
        if ply > 0
            && excluded.is_none()
            && let Some(score) = self.probe_tables(position, alpha, beta, depth, ply)
        {
            return score;
        }
        let mut node = self.node_info(position, known.as_ref(), depth, alpha, beta, ply, pv, cut);
        self.frame(ply).evaluation = node.evaluation;
        *self.frame(ply + 1) = self.fresh_frame(ply);
        if excluded.is_none() {
            self.judge_last_move(position, &mut node);
        }
        if excluded.is_none()
            && ply > 0
            && let Some(score) = self.prune(position, &mut node, alpha)
        {
            return score;
        }
        if excluded.is_none()
            && let Some(entry) = &known
        {
            match self.singular(position, &node, entry) {
                Singular::Cut(score) => return score,
                Singular::Extend(plies) => node.extension = plies,
            }
            if self.aborted() {
                return 0;
            }
        }
        self.expand(position, &node, alpha)
    }

    /// The frame of the next ply at the start of a node; the killers two plies on are cleared.
    fn fresh_frame(&mut self, ply: usize) -> Frame {
        let next = *self.frame(ply + 1);
        let extended = self.frame(ply).extended;
        *self.frame(ply + 2) = Frame {
            killers: [ShortMove::NONE; 2],
            cutoffs: 0,
            ..*self.frame(ply + 2)
        };
        Frame {
            excluded: ShortMove::NONE,
            extended,
            ..next
        }
    }

    fn probe(&self, position: &Position, excluded: ShortMove) -> Option<Entry> {
        if !self.shared.features.use_tt || !excluded.is_none() {
            return None;
        }
        self.shared.table.probe(position.keys().all)
    }

    /// The score at the maximal ply.
    fn leaf(&mut self, position: &Position) -> Score {
        if position.checkers().any() {
            0
        } else {
            self.state.evaluator.evaluate(position)
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "they are the fields of the result"
    )]
    /// The [`Node`] of a position, before anything is searched.
    fn node_info(
        &mut self,
        position: &Position,
        known: Option<&Entry>,
        depth: i32,
        alpha: Score,
        beta: Score,
        ply: usize,
        pv: bool,
        cut: bool,
    ) -> Node {
        let in_check = position.checkers().any();
        let tt_move = match known {
            _ if ply == 0 => self
                .root_moves
                .get(self.line)
                .map_or(ShortMove::NONE, |r| ShortMove::of(r.m)),
            Some(entry) => entry.best,
            None => ShortMove::NONE,
        };
        let (raw, evaluation) = if in_check {
            (NONE, NONE)
        } else if !self.frame(ply).excluded.is_none() {
            // The search with an excluded move is at the same node, and is not stored.
            (NONE, self.frame(ply).evaluation)
        } else {
            let raw = match known {
                Some(entry) if entry.evaluation != NONE => entry.evaluation,
                _ => self.state.evaluator.evaluate(position),
            };
            (raw, self.corrected(position, raw, ply))
        };
        let before = self.earlier(ply, 2).evaluation;
        let long_before = self.earlier(ply, 4).evaluation;
        let past = if before == NONE { long_before } else { before };
        Node {
            ply,
            depth,
            alpha,
            beta,
            pv,
            was_pv: pv || known.is_some_and(|entry| entry.pv),
            cut,
            in_check,
            raw,
            evaluation,
            estimate: estimate(evaluation, known, ply),
            improving: !in_check && (past == NONE || evaluation > past),
            tt_move,
            tt_move_is_noisy: is_capture_bits(position, tt_move),
            extension: 0,
        }
    }

    /// Searches the moves, updates the histories and stores the result.
    fn expand(&mut self, position: &Position, node: &Node, alpha: Score) -> Score {
        let ply = node.ply;
        self.frame(ply).threats = position.threats().all;
        let mut move_loop = if ply == 0 {
            let line = self.line;
            let buffers = self.buffers.pop().unwrap_or_default();
            let order = self.root_moves[line..].iter().map(|r| r.m);
            let picker = MovePicker::in_order(order, buffers.list);
            let root_moves = std::mem::take(&mut self.root_moves);
            MoveLoop::of_root(picker, alpha, buffers.lines, root_moves, line)
        } else {
            let buffers = self.buffers.pop().unwrap_or_default();
            let picker = MovePicker::of_all(
                position,
                buffers.list,
                node.tt_move,
                self.frame(ply).killers,
                self.move_context(ply),
                &self.shared.features,
            );
            let picker = match picker {
                Ok(picker) => picker,
                Err(list) => {
                    let lines = buffers.lines;
                    self.buffers.push(Buffers { list, lines });
                    return if node.in_check { mated_in(ply) } else { 0 };
                }
            };
            MoveLoop::new(picker, alpha, buffers.lines)
        };
        self.search_children(position, node, &mut move_loop);
        if let Some(root_moves) = move_loop.root.take() {
            self.root_moves = root_moves;
        }
        let score = self.conclude(position, node, &mut move_loop, alpha);
        self.buffers.push(move_loop.into_buffers());
        score
    }

    /// The score of a node whose moves have been searched; stores it and updates the histories.
    fn conclude(
        &mut self,
        position: &Position,
        node: &Node,
        move_loop: &mut MoveLoop,
        alpha: Score,
    ) -> Score {
        let ply = node.ply;
        let excluded = self.frame(ply).excluded;
        if self.aborted() {
            return 0;
        }
        if move_loop.nothing_searched() {
            // Every move was pruned: none is better than alpha.
            return if excluded.is_none() {
                move_loop.best.max(alpha)
            } else {
                alpha
            };
        }
        if move_loop.best >= node.beta && !is_known(move_loop.best) && !is_known(node.beta) {
            // How far above beta is less certain at low depth.
            let above = move_loop.best - node.beta;
            move_loop.best -= above * constants::FailHighDiscount() / (1024 * (node.depth + 1));
        }
        self.update_histories(position, node, move_loop, alpha);
        if excluded.is_none() && !(ply == 0 && self.line > 0) {
            self.store(position, node, move_loop, alpha);
        }
        std::mem::swap(&mut self.pv[ply], &mut move_loop.pv);
        move_loop.best
    }

    fn store(&mut self, position: &Position, node: &Node, found: &MoveLoop, alpha: Score) {
        if !self.shared.features.use_tt {
            return;
        }
        let bound = if found.best >= node.beta {
            Bound::Lower
        } else if node.pv && found.best > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.shared.table.store(
            position.keys().all,
            Entry {
                best: found.best_move.map_or(ShortMove::NONE, ShortMove::of),
                score: score::to_table(found.best, node.ply),
                evaluation: node.raw,
                depth: node.depth,
                bound,
                pv: node.was_pv,
            },
        );
    }
}

fn is_capture_bits(position: &Position, short: ShortMove) -> bool {
    !short.is_none() && position.board().occupied().contains(short.to())
}
