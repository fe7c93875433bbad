//! What one search thread owns, and what all threads of a search share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;
use shakmaty::Move;

use super::features::Features;
use super::history::{History, NO_STEP, Step};
use super::limits::{Budget, Limits};
use super::root::{Publisher, RootMove};
use super::signals::Signals;
use super::strategies::{Busy, Pool, SplitPoint, Strategy};
use crate::Position;
use crate::endings::Endings;
use crate::eval::Evaluate;
use crate::position::ShortMove;
use crate::score::{MAX_PLY, NONE, Score};
use crate::syzygy::Syzygy;
use crate::table::Table;

/// What a thread keeps from one search to the next.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) evaluator: Box<dyn Evaluate>,
    /// Its own, or that of all threads, as the [`Strategy`] wants it.
    pub(crate) history: Arc<History>,
}

impl Memory {
    pub(crate) fn new(evaluator: Box<dyn Evaluate>, history: Arc<History>) -> Self {
        Self { evaluator, history }
    }

    pub(crate) fn clear(&mut self) {
        self.evaluator.clear();
        self.history.clear();
    }
}

/// What all threads of one search share.
pub(crate) struct Shared<'a> {
    pub(crate) root: &'a Position,
    pub(crate) table: &'a Table,
    pub(crate) limits: &'a Limits,
    /// The time for the move, `None` without a clock.
    pub(crate) budget: Option<Budget>,
    pub(crate) features: Features,
    pub(crate) signals: &'a Signals,
    pub(crate) syzygy: Option<&'a Syzygy>,
    pub(crate) endings: Option<&'a Endings>,
    pub(crate) strategy: Strategy,
    pub(crate) threads: usize,
    pub(crate) multi_pv: usize,
    pub(crate) counters: Vec<CachePadded<Counter>>,
    pub(crate) pool: Pool,
    pub(crate) busy: Busy,
    pub(crate) publisher: Publisher<'a>,
    pub(crate) root_is_in_tables: bool,
    /// The best line, where tables know it.
    pub(crate) decided: Option<RootMove>,
}

/// What a thread tells the others of its work.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    pub(crate) nodes: AtomicU64,
    pub(crate) table_hits: AtomicU64,
}

impl Shared<'_> {
    pub(crate) fn nodes(&self) -> u64 {
        let nodes = |c: &CachePadded<Counter>| c.nodes.load(Ordering::Relaxed);
        self.counters.iter().map(nodes).sum()
    }

    pub(crate) fn table_hits(&self) -> u64 {
        let hits = |c: &CachePadded<Counter>| c.table_hits.load(Ordering::Relaxed);
        self.counters.iter().map(hits).sum()
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

    /// Whether another iteration is not worth starting; `share` scales the soft limit of the budget.
    pub(crate) fn is_time_used(&self, share: f64) -> bool {
        let used = |budget: &Budget| {
            self.signals.spent() >= budget.hard.min(budget.soft.mul_f64(share.max(0.0)))
        };
        !self.is_pondering() && self.budget.as_ref().is_some_and(used)
    }
}

/// A ply of the path that is being searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) evaluation: Score,
    pub(crate) step: Step,
    pub(crate) excluded: ShortMove,
    pub(crate) killers: [ShortMove; 2],
    /// Cutoffs among the children so far.
    pub(crate) cutoffs: u32,
    /// Extensions on the path beyond one ply a move.
    pub(crate) extended: u32,
    /// Index in the thread's path below which a null move hides repetitions.
    pub(crate) horizon: usize,
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            evaluation: NONE,
            step: NO_STEP,
            excluded: ShortMove::NONE,
            killers: [ShortMove::NONE; 2],
            cutoffs: 0,
            extended: 0,
            horizon: 0,
        }
    }
}

/// Frames before the root, so that looking back never leaves the stack.
pub(crate) const BEFORE: usize = 6;
const FRAMES: usize = BEFORE + MAX_PLY + 4;

/// A thread while it searches.
pub(crate) struct Thread<'a, 's> {
    pub(crate) id: usize,
    pub(crate) shared: &'a Shared<'s>,
    pub(crate) memory: &'a mut Memory,
    pub(crate) frames: Box<[Frame]>,
    /// Keys of the game's positions and of the path, the current one last.
    pub(crate) path: Vec<u64>,
    /// How many of them the game had.
    pub(crate) played: usize,
    /// The principal variation by ply.
    pub(crate) pv: Vec<Vec<Move>>,
    pub(crate) nodes: u64,
    table_hits: u64,
    quota: u64,
    pub(crate) sel_depth: usize,
    pub(crate) root_depth: i32,
    pub(crate) null_verified_until: usize,
    pub(crate) root_moves: Vec<RootMove>,
    /// The line that is being searched, under several principal variations.
    pub(crate) line: usize,
    /// The split point that the thread works for.
    pub(crate) split: Option<Arc<SplitPoint>>,
}

impl<'a, 's> Thread<'a, 's> {
    /// A thread at the root; `game` holds the keys of the positions before it.
    pub(crate) fn new(
        id: usize,
        shared: &'a Shared<'s>,
        memory: &'a mut Memory,
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
            memory,
            frames: vec![Frame::default(); FRAMES].into(),
            played: path.len(),
            path,
            pv: vec![Vec::new(); MAX_PLY + 2],
            nodes: 0,
            table_hits: 0,
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

    /// Steps one, two and four plies before the move to be made at `ply`.
    #[inline]
    pub(crate) fn steps_before(&self, ply: usize) -> [Step; 3] {
        [1, 2, 4].map(|back| self.earlier(ply, back).step)
    }

    /// Counts a node, looks at the clock now and then; true if the search must end here.
    #[inline]
    pub(crate) fn enter(&mut self, ply: usize) -> bool {
        self.nodes += 1;
        self.sel_depth = self.sel_depth.max(ply);
        if self.nodes >= self.quota {
            self.shared.signals.stop();
        }
        if self.nodes & 1023 == 0 {
            self.poll();
        }
        self.aborted()
    }

    /// Whether what is being searched is of no use any more.
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
        counter.table_hits.store(self.table_hits, Ordering::Relaxed);
    }

    pub(crate) fn count_table_hit(&mut self) {
        self.table_hits += 1;
    }

    /// Fifty moves, too little material, or a position that was there before: once on the path, twice in the game.
    pub(crate) fn is_draw(&self, position: &Position, ply: usize) -> bool {
        let halfmoves = position.halfmoves() as usize;
        if halfmoves >= 100 {
            return position.checkers().is_empty() || !position.legal_moves().is_empty();
        }
        if position.lacks_material() {
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

    /// The score of a draw: a trifle up or down, so that the search does not fall in love with repetitions.
    #[inline]
    pub(crate) fn draw(&self) -> Score {
        1 - (self.nodes & 2) as Score
    }

    /// Goes one ply down.
    pub(crate) fn descend(&mut self, ply: usize, step: Step, next: &Position) {
        let horizon = self.frame(ply).horizon;
        self.frame(ply).step = step;
        self.path.push(next.keys().all);
        let horizon = if step == NO_STEP {
            self.path.len() - 1
        } else {
            horizon
        };
        self.frame(ply + 1).horizon = horizon;
    }

    pub(crate) fn ascend(&mut self) {
        self.path.pop();
    }

    /// The evaluation with what was learnt about positions like it.
    #[inline]
    pub(crate) fn corrected(&self, position: &Position, raw: Score) -> Score {
        if !self.shared.features.correction {
            return raw;
        }
        let limit = crate::score::KNOWN_WIN - 1;
        (raw + self.memory.history.correction(position)).clamp(-limit, limit)
    }
}
