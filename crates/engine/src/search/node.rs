//! One node of the alpha-beta search: what is known about it, whether it can be cut, and the facts its moves share.

use shakmaty::Move;

use super::children::Brothers;
use super::picker::{Picker, Wanted};
use super::prune::Singular;
use super::thread::Thread;
use crate::Position;
use crate::position::ShortMove;
use crate::score::{self, MATE, MAX_PLY, NONE, Score, mated_in};
use crate::table::{Bound, Entry};

/// What stays the same while a node's moves are searched.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) ply: usize,
    pub(crate) depth: i32,
    pub(crate) beta: Score,
    pub(crate) pv: bool,
    /// A null-window node where a cutoff is expected.
    pub(crate) cut: bool,
    pub(crate) in_check: bool,
    /// What the evaluation says, [`NONE`] in check.
    pub(crate) raw: Score,
    /// The corrected evaluation, [`NONE`] in check.
    pub(crate) evaluation: Score,
    pub(crate) improving: bool,
    pub(crate) table_move: ShortMove,
    pub(crate) table_move_is_noisy: bool,
    /// Plies by which the table move is searched deeper.
    pub(crate) extension: i32,
}

impl Thread<'_, '_> {
    /// The value of a position within a window, fail-soft. Worthless if the thread is [aborted](Thread::aborted).
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
                return self.draw();
            }
            if ply >= MAX_PLY {
                return self.leaf(position);
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
            && let Some(score) = usable(entry, alpha, beta, ply)
        {
            if score >= beta && !entry.best.is_none() {
                self.praise_table_move(position, entry.best, depth, ply);
            }
            return score;
        }
        if ply > 0
            && excluded.is_none()
            && let Some(score) = self.probe_endgame(position, alpha, beta, depth, ply)
        {
            return score;
        }
        let mut node = self.facts(position, known.as_ref(), depth, beta, ply, pv, cut);
        self.frame(ply).evaluation = node.evaluation;
        *self.frame(ply + 1) = self.fresh_frame(ply);
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
        self.expand(position, &node, alpha, known.as_ref().is_some_and(|e| e.pv))
    }

    fn fresh_frame(&mut self, ply: usize) -> super::thread::Frame {
        let next = *self.frame(ply + 1);
        let extended = self.frame(ply).extended;
        *self.frame(ply + 2) = super::thread::Frame {
            killers: [ShortMove::NONE; 2],
            cutoffs: 0,
            ..*self.frame(ply + 2)
        };
        super::thread::Frame {
            excluded: ShortMove::NONE,
            extended,
            ..next
        }
    }

    fn probe(&self, position: &Position, excluded: ShortMove) -> Option<Entry> {
        if !self.shared.features.use_table || !excluded.is_none() {
            return None;
        }
        self.shared.table.probe(position.keys().all)
    }

    /// A reachable ply without depth or room left.
    fn leaf(&mut self, position: &Position) -> Score {
        if position.checkers().any() {
            0
        } else {
            self.memory.evaluator.evaluate(position)
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "they are the fields of the result"
    )]
    fn facts(
        &mut self,
        position: &Position,
        known: Option<&Entry>,
        depth: i32,
        beta: Score,
        ply: usize,
        pv: bool,
        cut: bool,
    ) -> Node {
        let in_check = position.checkers().any();
        let table_move = match known {
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
            // The search with a move left out stands at the same node, and is not stored.
            (NONE, self.frame(ply).evaluation)
        } else {
            let raw = match known {
                Some(entry) if entry.evaluation != NONE => entry.evaluation,
                _ => self.memory.evaluator.evaluate(position),
            };
            (raw, self.corrected(position, raw))
        };
        let before = self.earlier(ply, 2).evaluation;
        let long_before = self.earlier(ply, 4).evaluation;
        let past = if before == NONE { long_before } else { before };
        Node {
            ply,
            depth,
            beta,
            pv,
            cut,
            in_check,
            raw,
            evaluation,
            improving: !in_check && (past == NONE || evaluation > past),
            table_move,
            table_move_is_noisy: is_capture_bits(position, table_move),
            extension: 0,
        }
    }

    /// Searches the moves and keeps what was found.
    fn expand(&mut self, position: &Position, node: &Node, alpha: Score, was_pv: bool) -> Score {
        let ply = node.ply;
        let excluded = self.frame(ply).excluded;
        let mut brothers = if ply == 0 {
            let line = self.line;
            let order = self.root_moves[line..].iter().map(|r| r.m);
            let picker = Picker::given(order.collect::<Vec<_>>().into_iter());
            Brothers::of_root(picker, alpha, std::mem::take(&mut self.root_moves), line)
        } else {
            let legal = position.legal_moves();
            if legal.is_empty() {
                return if node.in_check { mated_in(ply) } else { 0 };
            }
            let (killers, before) = (self.frame(ply).killers, self.steps_before(ply));
            let features = &self.shared.features;
            let picker = Picker::new(
                &legal,
                Wanted::All,
                node.table_move,
                killers,
                before,
                features,
            );
            Brothers::new(picker, alpha)
        };
        self.search_children(position, node, &mut brothers);
        if let Some(root_moves) = brothers.root.take() {
            self.root_moves = root_moves;
        }
        if self.aborted() {
            return 0;
        }
        if brothers.nothing_searched() {
            // Every move was left out: nothing here is better than the bound.
            return if excluded.is_none() {
                brothers.best.max(alpha)
            } else {
                alpha
            };
        }
        self.learn(position, node, &brothers, alpha);
        if excluded.is_none() && !(ply == 0 && self.line > 0) {
            self.store(position, node, &brothers, alpha, was_pv);
        }
        self.pv[ply] = std::mem::take(&mut brothers.pv);
        brothers.best
    }

    fn store(
        &mut self,
        position: &Position,
        node: &Node,
        found: &Brothers,
        alpha: Score,
        was_pv: bool,
    ) {
        if !self.shared.features.use_table {
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
                pv: node.pv || was_pv,
            },
        );
    }
}

/// The score of an entry, if its bound settles the window.
pub(super) fn usable(entry: &Entry, alpha: Score, beta: Score, ply: usize) -> Option<Score> {
    let score = score::from_table(entry.score, ply);
    let settles = match entry.bound {
        Bound::None => false,
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    };
    settles.then_some(score)
}

fn is_capture_bits(position: &Position, short: ShortMove) -> bool {
    !short.is_none() && position.board().occupied().contains(short.to())
}

/// The longest line that is kept: longer ones are cut, not lost.
pub(crate) fn extend_line(line: &mut Vec<Move>, first: Move, rest: &[Move]) {
    line.clear();
    line.push(first);
    line.extend_from_slice(rest);
}
