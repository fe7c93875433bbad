//! Captures until nothing hangs, so that only quiet positions are evaluated.

use super::history::step;
use super::node::usable;
use super::picker::{Picker, Wanted};
use super::see;
use super::thread::Thread;
use crate::Position;
use crate::position::ShortMove;
use crate::score::{self, INFINITE, KNOWN_WIN, MAX_PLY, NONE, Score, mated_in};
use crate::table::{Bound, Entry};

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
            return self.draw();
        }
        let in_check = position.checkers().any();
        if ply >= MAX_PLY {
            return if in_check {
                0
            } else {
                self.memory.evaluator.evaluate(position)
            };
        }
        if !self.shared.features.quiescence {
            return self.bare_leaf(position, ply);
        }
        let key = position.keys().all;
        let pv = beta - alpha > 1;
        let use_table = self.shared.features.use_table;
        let known = if use_table {
            self.shared.table.probe(key)
        } else {
            None
        };
        if !pv
            && let Some(entry) = &known
            && let Some(score) = usable(entry, alpha, beta, ply)
        {
            return score;
        }
        let raw = if in_check {
            NONE
        } else {
            match &known {
                Some(entry) if entry.evaluation != NONE => entry.evaluation,
                _ => self.memory.evaluator.evaluate(position),
            }
        };
        let stand = if in_check {
            -INFINITE
        } else {
            self.corrected(position, raw)
        };
        if stand >= beta {
            if use_table && known.is_none() {
                self.keep(key, ShortMove::NONE, stand, raw, Bound::Lower, ply);
            }
            return stand;
        }
        let (best, best_move) =
            self.quiesce_moves(position, alpha.max(stand), beta, ply, stand, known.as_ref());
        if self.aborted() {
            return 0;
        }
        if use_table {
            let bound = if best >= beta {
                Bound::Lower
            } else {
                Bound::Upper
            };
            self.keep(key, best_move, best, raw, bound, ply);
        }
        best
    }

    fn quiesce_moves(
        &mut self,
        position: &Position,
        mut alpha: Score,
        beta: Score,
        ply: usize,
        stand: Score,
        known: Option<&Entry>,
    ) -> (Score, ShortMove) {
        let in_check = stand == -INFINITE;
        let legal = position.legal_moves();
        if legal.is_empty() {
            return (if in_check { mated_in(ply) } else { 0 }, ShortMove::NONE);
        }
        let wanted = if in_check { Wanted::All } else { Wanted::Noisy };
        let table_move = known.map_or(ShortMove::NONE, |entry| entry.best);
        let before = self.steps_before(ply);
        let features = &self.shared.features;
        let mut picker = Picker::new(
            &legal,
            wanted,
            table_move,
            [ShortMove::NONE; 2],
            before,
            features,
        );
        let mut best = stand;
        let mut best_move = ShortMove::NONE;
        while let Some(m) = picker.next(position, &self.memory.history) {
            if best > -KNOWN_WIN
                && (!in_check || !m.is_capture())
                && self.shared.features.see_pruning
            {
                if !in_check && stand + 180 <= alpha && !see::wins_at_least(position, m, 1) {
                    best = best.max(stand + 180);
                    continue;
                }
                if !see::wins_at_least(position, m, 0) {
                    continue;
                }
            }
            let next = position.play(m);
            self.descend(ply, step(position.turn(), m), &next);
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
                        super::node::extend_line(&mut above[ply], m, &below[0]);
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

    /// The leaf of a search without quiescence: the evaluation, or what the rules say.
    fn bare_leaf(&mut self, position: &Position, ply: usize) -> Score {
        if position.legal_moves().is_empty() {
            return if position.checkers().any() {
                mated_in(ply)
            } else {
                0
            };
        }
        self.memory.evaluator.evaluate(position)
    }

    fn keep(
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
