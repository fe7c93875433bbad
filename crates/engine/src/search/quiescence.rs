//! Quiescence search: captures until none is promising, so that only quiet positions are evaluated.

use super::alpha_beta::{estimate, set_line};
use super::children::Buffers;
use super::constants;
use super::history::piece_to;
use super::move_picker::{Exchange, MovePicker, is_noisy};
use super::see;
use super::thread::Thread;
use crate::position::{Position, ShortMove};
use crate::score::{self, INFINITE, KNOWN_WIN, MAX_PLY, NONE, Score, mated_in};
use crate::transposition_table::{Bound, Entry};

/// A score above beta, moved towards beta: how far above is not certain without a search of quiet
/// moves.
fn above_beta(score: Score, beta: Score) -> Score {
    if score::is_known(score) || score::is_known(beta) {
        return score;
    }
    score + (beta - score) * constants::QuiescenceDiscount() / 1024
}

impl Thread<'_, '_> {
    /// The value of a position when only captures are searched (all moves while in check).
    pub(super) fn quiesce(
        &mut self,
        position: &Position,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Score {
        self.pv[ply].clear();
        if self.enter(ply) {
            return 0;
        }
        if self.is_draw(position, ply) {
            return self.draw_score();
        }
        let in_check = position.checkers().any();
        if ply >= MAX_PLY {
            return if in_check {
                0
            } else {
                self.state.evaluator.evaluate(position, ply)
            };
        }
        if !self.shared.features.quiescence {
            return self.bare_leaf(position, ply);
        }
        let key = position.keys().all;
        let pv = beta - alpha > 1;
        let use_tt = self.shared.features.use_tt;
        let known = if use_tt {
            self.shared.table.probe(key)
        } else {
            None
        };
        if !pv
            && let Some(entry) = &known
            && let Some(score) = entry.settled_score(alpha, beta, ply)
        {
            return score;
        }
        let raw = if in_check {
            NONE
        } else {
            match &known {
                Some(entry) if entry.evaluation != NONE => entry.evaluation,
                _ => self.state.evaluator.evaluate(position, ply),
            }
        };
        let stand_pat = if in_check {
            -INFINITE
        } else {
            estimate(self.corrected(position, raw, ply), known.as_ref(), ply)
        };
        if stand_pat >= beta {
            let stand_pat = above_beta(stand_pat, beta);
            if use_tt && known.is_none() {
                self.store_quiescence(key, ShortMove::NONE, stand_pat, raw, Bound::Lower, ply);
            }
            return stand_pat;
        }
        let (best, best_move) = self.quiesce_moves(
            position,
            alpha.max(stand_pat),
            beta,
            ply,
            stand_pat,
            known.as_ref(),
        );
        if self.aborted() {
            return 0;
        }
        let best = if best >= beta {
            above_beta(best, beta)
        } else {
            best
        };
        if use_tt {
            let bound = if best >= beta {
                Bound::Lower
            } else {
                Bound::Upper
            };
            self.store_quiescence(key, best_move, best, raw, bound, ply);
        }
        best
    }

    fn quiesce_moves(
        &mut self,
        position: &Position,
        alpha: Score,
        beta: Score,
        ply: usize,
        stand_pat: Score,
        known: Option<&Entry>,
    ) -> (Score, ShortMove) {
        let in_check = stand_pat == -INFINITE;
        let mut buffers = self.buffers.pop().unwrap_or_default();
        let found_any = if in_check {
            buffers.list.fill_legal(position)
        } else {
            buffers.list.fill_noisy(position)
        };
        if !found_any && (in_check || !position.has_legal_move()) {
            self.buffers.push(buffers);
            return (if in_check { mated_in(ply) } else { 0 }, ShortMove::NONE);
        }
        let mut picker = MovePicker::new(
            buffers.list,
            known.map_or(ShortMove::NONE, |entry| entry.best),
            [ShortMove::NONE; 2],
            self.move_context(ply),
            &self.shared.features,
        );
        let found = self.quiesce_loop(position, alpha, beta, ply, stand_pat, &mut picker);
        self.buffers.push(Buffers {
            list: picker.into_list(),
            ..buffers
        });
        found
    }

    fn quiesce_loop(
        &mut self,
        position: &Position,
        mut alpha: Score,
        beta: Score,
        ply: usize,
        stand_pat: Score,
        picker: &mut MovePicker,
    ) -> (Score, ShortMove) {
        let in_check = stand_pat == -INFINITE;
        let margin = constants::QuiescenceMargin();
        let mut best = stand_pat;
        let mut best_move = ShortMove::NONE;
        let mut quiets = 0;
        while let Some(m) = picker.next(position, &self.state.history) {
            if best > -KNOWN_WIN
                && (!in_check || !m.is_capture())
                && self.shared.features.see_pruning
            {
                if !in_check && picker.exchange == Exchange::Loses {
                    // So do all moves that are left.
                    if stand_pat + margin <= alpha {
                        best = best.max(stand_pat + margin);
                    }
                    break;
                }
                if !in_check && stand_pat + margin <= alpha && !see::wins_at_least(position, m, 1) {
                    best = best.max(stand_pat + margin);
                    continue;
                }
                let most = stand_pat + constants::QuiescenceGain() + see::gain(m);
                if !in_check && most <= alpha {
                    best = best.max(most);
                    continue;
                }
                if picker.exchange != Exchange::Keeps && !see::wins_at_least(position, m, 0) {
                    continue;
                }
            }
            if in_check && !is_noisy(m) {
                quiets += 1;
                if best > -KNOWN_WIN && quiets > constants::QuiescenceEvasions() {
                    continue;
                }
            }
            let next = self.play(position, m);
            self.descend(ply, piece_to(position.turn(), m), &next);
            let score = -self.quiesce(&next, -beta, -alpha, ply + 1);
            self.ascend();
            if self.aborted() {
                return (0, ShortMove::NONE);
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = ShortMove::of(m);
                    if beta - alpha > 1 {
                        let (above, below) = self.pv.split_at_mut(ply + 1);
                        set_line(&mut above[ply], m, &below[0]);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        (best, best_move)
    }

    /// The score of a leaf without quiescence search: the evaluation, mate or stalemate.
    fn bare_leaf(&mut self, position: &Position, ply: usize) -> Score {
        if position.legal_moves().is_empty() {
            return if position.checkers().any() {
                mated_in(ply)
            } else {
                0
            };
        }
        self.state.evaluator.evaluate(position, ply)
    }

    /// Stores the result of a quiescence search, of depth 0.
    fn store_quiescence(
        &self,
        key: u64,
        best: ShortMove,
        score: Score,
        evaluation: Score,
        bound: Bound,
        ply: usize,
    ) {
        let entry = Entry {
            best,
            score: score::to_table(score, ply),
            evaluation,
            depth: 0,
            bound,
            pv: false,
        };
        self.shared.table.store(key, entry);
    }
}
