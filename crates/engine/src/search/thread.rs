//! What one search thread owns, and what all threads of a search share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;
use everymove_tables::Tablebase;
use shakmaty::{Bitboard, Move};

use super::activity::Activity;
use super::children::Buffers;
use super::constants;
use super::features::Features;
use super::history::{History, LOW_PLIES, MoveContext, NO_PIECE_TO, PieceTo};
use super::limits::{Budget, Limits, Signals};
use super::root::{Publisher, RootMove};
use super::strategies::Strategy;
use super::strategies::abdada::BusyTable;
use super::strategies::pool::Pool;
use super::strategies::split::SplitPoint;
use super::turns::Turns;
use crate::eval::Evaluate;
use crate::position::{Position, ShortMove, reversible};
use crate::score::{MAX_PLY, NONE, Score};
use crate::transposition_table::TranspositionTable;

/// Evaluator (with its caches) and histories of one thread.
#[derive(Debug)]
pub(crate) struct ThreadState {
    pub(crate) evaluator: Box<dyn Evaluate>,
    /// Its own, or that of all threads: see [`super::strategies::Strategy::shares_history`].
    pub(crate) history: Arc<History>,
}

impl ThreadState {
    pub(crate) fn new(evaluator: Box<dyn Evaluate>, history: Arc<History>) -> Self {
        Self { evaluator, history }
    }

    pub(crate) fn clear(&mut self) {
        self.evaluator.clear();
        match Arc::get_mut(&mut self.history) {
            Some(history) => history.clear_alone(),
            None => self.history.clear(),
        }
    }
}

/// A ply of the path that is being searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The corrected static evaluation, [`NONE`] in check.
    pub(crate) evaluation: Score,
    /// The move that is being searched at this ply.
    pub(crate) piece_to: PieceTo,
    /// The move that a singular search leaves out.
    pub(crate) excluded: ShortMove,
    pub(crate) killers: [ShortMove; 2],
    /// Squares that the opponent attacks, once the moves are searched.
    pub(crate) threats: Bitboard,
    /// The move that is being searched, if it is quiet.
    pub(crate) quiet: ShortMove,
    /// Whether it is the first move of its node.
    pub(crate) first: bool,
    /// Parts of a ply by which it is reduced.
    pub(crate) reduction: i32,
    /// Beta cutoffs among the children so far.
    pub(crate) cutoffs: u32,
    /// Extensions on the path beyond one ply a move.
    pub(crate) extended: u32,
    /// Index in the thread's path of the position after the last null move: positions before it
    /// cannot be repeated.
    pub(crate) horizon: usize,
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            evaluation: NONE,
            piece_to: NO_PIECE_TO,
            excluded: ShortMove::NONE,
            killers: [ShortMove::NONE; 2],
            threats: Bitboard::EMPTY,
            quiet: ShortMove::NONE,
            first: false,
            reduction: 0,
            cutoffs: 0,
            extended: 0,
            horizon: 0,
        }
    }
}

/// Frames before the root, so that reading earlier plies never leaves the stack.
pub(crate) const BEFORE: usize = 6;
/// Frames of a thread.
pub(crate) const FRAMES: usize = BEFORE + MAX_PLY + 4;

/// What all threads of one search share.
pub(crate) struct Shared<'a> {
    pub(crate) root: &'a Position,
    pub(crate) table: &'a TranspositionTable,
    pub(crate) limits: &'a Limits,
    /// The time for the move, `None` without a clock.
    pub(crate) budget: Option<Budget>,
    pub(crate) features: Features,
    pub(crate) signals: &'a Signals,
    pub(crate) tables: &'a Tablebase,
    pub(crate) strategy: Strategy,
    pub(crate) threads: usize,
    pub(crate) multi_pv: usize,
    pub(crate) counters: Vec<CachePadded<Counter>>,
    pub(crate) pool: Pool<SplitPoint>,
    /// Whose turn it is, in virtual time.
    pub(crate) turns: Option<Arc<Turns>>,
    pub(crate) busy: BusyTable,
    pub(crate) publisher: Publisher<'a>,
    /// The score of the root in endgame tables, which then selected the root moves.
    pub(crate) root_score: Option<Score>,
    /// How many positions were looked up for that.
    pub(crate) root_hits: u64,
    /// The best line, where endgame tables know the distance to mate.
    pub(crate) decided: Option<RootMove>,
}

/// The work of one thread, published for the others.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    pub(crate) nodes: AtomicU64,
    pub(crate) tb_hits: AtomicU64,
}

impl Shared<'_> {
    pub(crate) fn nodes(&self) -> u64 {
        let nodes = |c: &CachePadded<Counter>| c.nodes.load(Ordering::Relaxed);
        self.counters.iter().map(nodes).sum()
    }

    pub(crate) fn tb_hits(&self) -> u64 {
        let hits = |c: &CachePadded<Counter>| c.tb_hits.load(Ordering::Relaxed);
        self.root_hits + self.counters.iter().map(hits).sum::<u64>()
    }

    /// Whether the search runs on the opponent's clock.
    pub(crate) fn is_pondering(&self) -> bool {
        self.limits.ponder && !self.signals.is_ponder_hit()
    }

    /// Whether the time for the move, or the caller, ends the search.
    pub(crate) fn is_over(&self) -> bool {
        let spent = |budget: &Budget| self.signals.spent() >= budget.hard;
        let out_of_time = !self.is_pondering() && self.budget.as_ref().is_some_and(spent);
        out_of_time || self.signals.is_stopped_from_outside()
    }

    /// Whether another iteration is not worth starting; `share` scales the soft limit of the
    /// budget.
    pub(crate) fn is_time_used(&self, share: f64) -> bool {
        let used = |budget: &Budget| {
            self.signals.spent() >= budget.hard.min(budget.soft.mul_f64(share.max(0.0)))
        };
        !self.is_pondering() && self.budget.as_ref().is_some_and(used)
    }
}

/// A thread while it searches.
pub(crate) struct Thread<'a, 's> {
    pub(crate) id: usize,
    pub(crate) shared: &'a Shared<'s>,
    pub(crate) state: &'a mut ThreadState,
    /// Memory of the move loops that are not in use.
    pub(crate) buffers: Vec<Buffers>,
    pub(crate) frames: Box<[Frame]>,
    /// Keys of the game's positions and of the path, the current one last.
    pub(crate) path: Vec<u64>,
    /// How many of them the game had.
    pub(crate) played: usize,
    /// The principal variation by ply.
    pub(crate) pv: Vec<Vec<Move>>,
    pub(crate) nodes: u64,
    tb_hits: u64,
    quota: u64,
    pub(crate) sel_depth: usize,
    pub(crate) root_depth: i32,
    pub(crate) null_verified_until: usize,
    pub(crate) root_moves: Vec<RootMove>,
    /// Number of the principal variation that is being searched, from 0.
    pub(crate) line: usize,
    /// The split point that the thread works for.
    pub(crate) split: Option<Arc<SplitPoint>>,
}

impl<'a, 's> Thread<'a, 's> {
    /// A thread at the root; `game` holds the keys of the positions before it.
    pub(crate) fn new(
        id: usize,
        shared: &'a Shared<'s>,
        state: &'a mut ThreadState,
        game: &[u64],
        root_moves: Vec<RootMove>,
    ) -> Self {
        let mut path = game.to_vec();
        path.push(shared.root.keys().all);
        let quota = match shared.limits.nodes {
            Some(nodes) if shared.threads == 1 => nodes,
            _ => u64::MAX,
        };
        Self {
            id,
            shared,
            state,
            buffers: Vec::new(),
            frames: vec![Frame::default(); FRAMES].into(),
            played: path.len(),
            path,
            pv: vec![Vec::new(); MAX_PLY + 2],
            nodes: 0,
            tb_hits: 0,
            quota,
            sel_depth: 0,
            root_depth: 0,
            null_verified_until: 0,
            root_moves,
            line: 0,
            split: None,
        }
    }

    #[inline]
    pub(crate) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE]
    }

    /// The frame `back` plies before `ply`.
    #[inline]
    pub(crate) fn earlier(&self, ply: usize, back: usize) -> &Frame {
        &self.frames[ply + BEFORE - back]
    }

    /// What the histories know of the position at `ply`.
    #[inline]
    pub(crate) fn move_context(&self, ply: usize) -> MoveContext {
        MoveContext {
            after: self.moves_before(ply),
            ply: ply.min(LOW_PLIES) as u8,
            threats: self.earlier(ply, 0).threats,
        }
    }

    /// Counts a node, and polls clock and limits every 1024 nodes; true if the search must end
    /// here.
    #[inline]
    pub(crate) fn enter(&mut self, ply: usize) -> bool {
        self.nodes += 1;
        if let Some(turns) = &self.shared.turns {
            turns.advance();
        }
        self.sel_depth = self.sel_depth.max(ply);
        if self.nodes >= self.quota {
            self.shared.signals.stop();
        }
        if self.nodes & 1023 == 0 {
            self.poll();
        }
        self.aborted()
    }

    /// Whether the search, or the split point that the thread works for, has ended.
    #[inline]
    pub(crate) fn aborted(&self) -> bool {
        self.shared.signals.is_stopped() || self.split.as_ref().is_some_and(|s| s.is_cut())
    }

    fn poll(&self) {
        self.publish_counters();
        let shared = self.shared;
        let over = |limit: Option<u64>| limit.is_some_and(|n| shared.nodes() >= n);
        if shared.is_over() || shared.threads > 1 && over(shared.limits.nodes) {
            shared.signals.stop();
        }
    }

    pub(crate) fn publish_counters(&self) {
        let counter = &self.shared.counters[self.id];
        counter.nodes.store(self.nodes, Ordering::Relaxed);
        counter.tb_hits.store(self.tb_hits, Ordering::Relaxed);
        if let Some(activity) = self.shared.signals.activity() {
            activity.set_nodes(self.id, self.nodes);
        }
    }

    /// Counts what the thread does in the counters of the display, if there is one.
    pub(crate) fn note(&self, count: impl FnOnce(&Activity, usize)) {
        if let Some(activity) = self.shared.signals.activity() {
            count(activity, self.id);
        }
    }

    pub(crate) fn count_tb_hit(&mut self) {
        self.tb_hits += 1;
    }

    /// Whether the position is a draw by the fifty-move rule, by insufficient material, or by
    /// repetition: once on the path from the root, or twice in the game.
    pub(crate) fn is_draw(&self, position: &Position, ply: usize) -> bool {
        let halfmoves = position.halfmoves() as usize;
        if halfmoves >= 100 {
            return position.checkers().is_empty() || !position.legal_moves().is_empty();
        }
        if position.is_insufficient_material() {
            return true;
        }
        let last = self.path.len() - 1;
        let reach = halfmoves.min(last - self.earlier(ply, 0).horizon.min(last));
        let mut seen = 0;
        let key = self.path[last];
        for back in (4..=reach).step_by(2) {
            if self.path[last - back] == key {
                seen += 1;
                if seen == 2 || last - back >= self.played - 1 {
                    return true;
                }
            }
        }
        false
    }

    /// Whether one move joins the position with one before it on the path from the root, so that a
    /// draw by repetition is near.
    pub(crate) fn can_repeat(&self, position: &Position, ply: usize) -> bool {
        let last = self.path.len() - 1;
        let reach = (position.halfmoves() as usize)
            .min(last - self.earlier(ply, 0).horizon.min(last))
            .min(ply.saturating_sub(1));
        if reach < 3 {
            return false;
        }
        let (key, occupied) = (self.path[last], position.board().occupied());
        (3..=reach)
            .step_by(2)
            .any(|back| reversible::joins(key ^ self.path[last - back], occupied))
    }

    /// The score of a draw, jittered by 1 centipawn so that repetitions are not all equal.
    #[inline]
    pub(crate) fn draw_score(&self) -> Score {
        1 - (self.nodes & 2) as Score
    }

    /// The position after a legal move, with its entry in the transposition table and its
    /// corrections requested from memory.
    #[inline]
    pub(crate) fn play(&self, position: &Position, m: Move) -> Position {
        let next = position.play_announced(m, |key| self.shared.table.prefetch(key));
        self.state.history.prefetch_corrections(&next);
        next
    }

    /// Enters the position after a move at `ply`.
    pub(crate) fn descend(&mut self, ply: usize, piece_to: PieceTo, next: &Position) {
        let horizon = self.frame(ply).horizon;
        let frame = self.frame(ply);
        frame.piece_to = piece_to;
        frame.quiet = ShortMove::NONE;
        frame.reduction = 0;
        self.path.push(next.keys().all);
        let horizon = if piece_to == NO_PIECE_TO {
            self.path.len() - 1
        } else {
            horizon
        };
        let next = self.frame(ply + 1);
        next.horizon = horizon;
        next.threats = Bitboard::EMPTY;
    }

    /// Leaves the position that was entered last.
    pub(crate) fn ascend(&mut self) {
        self.path.pop();
    }

    /// The moves one, two and four plies before `ply`.
    #[inline]
    pub(crate) fn moves_before(&self, ply: usize) -> [PieceTo; 3] {
        [1, 2, 4].map(|back| self.earlier(ply, back).piece_to)
    }

    /// The static evaluation, less by plies without progress, plus its correction history.
    #[inline]
    pub(crate) fn corrected(&self, position: &Position, raw: Score, ply: usize) -> Score {
        if !self.shared.features.correction {
            return raw;
        }
        let limit = crate::score::KNOWN_WIN - 1;
        let halfmoves = position.halfmoves() as Score;
        let faded = raw - raw * halfmoves / constants::FiftyDivisor();
        let correction = (self.state.history).correction(position, self.moves_before(ply));
        (faded + correction).clamp(-limit, limit)
    }
}
