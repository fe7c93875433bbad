//! One node of the alpha-beta search: draws, transposition table, endgame tables, pruning, then its
//! moves.

use shakmaty::Move;

use super::children::{Buffers, MoveLoop};
use super::constants::{self, PLY};
use super::history::{NO_PIECE_TO, piece_to};
use super::move_picker::MovePicker;
use super::see;
use super::thread::{Frame, Thread};
use crate::position::{Position, ShortMove};
use crate::score::{self, KNOWN_WIN, MATE, MAX_PLY, NONE, Score, is_known, mated_in};
use crate::transposition_table::{Bound, Entry};

/// With what a node is searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameters {
    pub(crate) alpha: Score,
    pub(crate) beta: Score,
    pub(crate) depth: i32,
    /// Plies from the root.
    pub(crate) ply: usize,
    /// Whether a cutoff is expected.
    pub(crate) cut: bool,
}

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
    /// The evaluation, or the score of the transposition table where that is a better bound of the
    /// value: for pruning.
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

impl Thread<'_, '_> {
    /// The value of a position, fail-soft. Without meaning if the thread is
    /// [aborted](Thread::aborted).
    pub(crate) fn search(&mut self, position: &Position, mut given: Parameters) -> Score {
        let Parameters {
            mut alpha,
            mut beta,
            depth,
            ply,
            ..
        } = given;
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
                return self.leaf(position, ply);
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
        (given.alpha, given.beta) = (alpha, beta);
        let mut node = self.node_info(position, known.as_ref(), &given);
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
    fn leaf(&mut self, position: &Position, ply: usize) -> Score {
        if position.checkers().any() {
            0
        } else {
            self.state.evaluator.evaluate(position, ply)
        }
    }

    /// The [`Node`] of a position, before anything is searched.
    fn node_info(
        &mut self,
        position: &Position,
        known: Option<&Entry>,
        given: &Parameters,
    ) -> Node {
        let &Parameters {
            alpha,
            beta,
            depth,
            ply,
            cut,
        } = given;
        let pv = beta - alpha > 1;
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
                _ => self.state.evaluator.evaluate(position, ply),
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

/// The largest bonus of a move by the evaluation after it.
const MOST_BONUS: i32 = 1500;

/// The evaluation, moved towards the score of the transposition table where its bound says that the
/// value lies there.
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
    /// Compares the evaluations before and after the quiet move that led to a node: the history of
    /// the move learns from their sum, and the depth of the node is adapted where the move was
    /// reduced.
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

    /// Null move pruning: if the position stays above beta although the side to move passes, a move
    /// will keep it there.
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
            Parameters {
                alpha: -beta,
                beta: 1 - beta,
                depth: node.depth - reduction,
                ply: ply + 1,
                cut: !node.cut,
            },
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
        let verified = self.search(
            position,
            Parameters {
                alpha: beta - 1,
                beta,
                depth: node.depth - reduction,
                ply,
                cut: false,
            },
        );
        self.null_verified_until = 0;
        (verified >= beta && !self.aborted()).then_some(score)
    }

    /// ProbCut: a capture that reaches a raised beta at a much lower depth will reach beta at the
    /// full one.
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
                    Parameters {
                        alpha: -raised,
                        beta: 1 - raised,
                        depth: node.depth - 4,
                        ply: ply + 1,
                        cut: !node.cut,
                    },
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

    /// Singular extension: searches the node without its hash move; if all other moves fail low,
    /// that move is searched deeper.
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
        let without = self.search(
            position,
            Parameters {
                alpha: bar - 1,
                beta: bar,
                depth: (node.depth - 1) / 2,
                ply,
                cut: node.cut,
            },
        );
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
