//! Split points: nodes whose moves several threads search (root splitting and YBWC).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::Strategy;
use super::pool::Job;
use crate::position::Position;
use crate::search::activity::Activity;
use crate::search::alpha_beta::Node;
use crate::search::children::MoveLoop;
use crate::search::thread::{BEFORE, Frame, Thread};
use crate::sync::AtomicUsize;

/// A node that its owner shares with helpers. The fixed part is read without a lock; the changing
/// part is in `move_loop`.
#[derive(Debug)]
pub(crate) struct SplitPoint {
    pub(in crate::search) position: Position,
    pub(in crate::search) node: Node,
    /// The frames from `BEFORE` plies before the node to the one after it.
    pub(in crate::search) frames: Vec<Frame>,
    pub(in crate::search) path: Vec<u64>,
    pub(in crate::search) root_depth: i32,
    pub(in crate::search) parent: Option<Arc<SplitPoint>>,
    pub(in crate::search) cut: AtomicBool,
    /// Whether every move has been taken. Read without the lock of the moves, which another thread
    /// may hold while moves are left.
    pub(in crate::search) exhausted: AtomicBool,
    pub(in crate::search) helpers: AtomicUsize,
    pub(in crate::search) move_loop: Mutex<MoveLoop>,
}

impl SplitPoint {
    /// Whether its result is not needed any more: after a cutoff here or at a split point above.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|p| p.is_cut())
    }
}

impl Job for SplitPoint {
    fn wants_help(&self) -> bool {
        !self.exhausted.load(Ordering::Relaxed) && !self.is_cut()
    }

    fn descends_from(&self, other: &Self) -> bool {
        let parent = self.parent.as_ref();
        parent.is_some_and(|p| std::ptr::eq(&**p, other) || p.descends_from(other))
    }

    fn size(&self) -> i32 {
        self.node.depth
    }

    fn helpers(&self) -> &AtomicUsize {
        &self.helpers
    }
}

/// A shallower node is searched faster than it is shared.
const LEAST_DEPTH: i32 = 3;
/// Moves searched alone where a cutoff is expected: a node in which none of them causes it most
/// likely has none.
const MOVES_BEFORE_CUT: u32 = 4;

impl Thread<'_, '_> {
    /// Whether the rest of a node's moves is worth sharing now.
    #[inline]
    pub(crate) fn may_split(&self, node: &Node, move_loop: &MoveLoop) -> bool {
        match self.shared.strategy {
            Strategy::Ybwc => {
                node.depth >= LEAST_DEPTH
                    && (!node.cut || move_loop.count >= MOVES_BEFORE_CUT)
                    && move_loop.first_move_is_done()
                    && self.shared.pool.has_idle()
                    && !move_loop.is_empty()
                    && self.earlier(node.ply, 0).excluded.is_none()
            }
            Strategy::RootSplitting => node.ply == 0 && self.shared.threads > 1,
            _ => false,
        }
    }

    /// Shares a node's moves with all threads that join, and returns when all are done.
    pub(crate) fn split(&mut self, position: &Position, node: &Node, move_loop: &mut MoveLoop) {
        let point = Arc::new(SplitPoint {
            position: position.clone(),
            node: node.clone(),
            frames: self.frames[node.ply..node.ply + BEFORE + 2].to_vec(),
            path: self.path.clone(),
            root_depth: self.root_depth,
            parent: self.split.take(),
            cut: AtomicBool::new(false),
            exhausted: AtomicBool::new(false),
            helpers: AtomicUsize::new(0),
            move_loop: Mutex::new(std::mem::take(move_loop)),
        });
        self.split = Some(Arc::clone(&point));
        let pool = &self.shared.pool;
        pool.open(Arc::clone(&point));
        self.note(Activity::opens);
        self.work_on(&point);
        self.note(Activity::begins_to_wait);
        let signals = self.shared.signals;
        let help = |below| {
            self.note(Activity::ends_to_wait);
            self.help(&below);
            self.note(Activity::begins_to_wait);
        };
        pool.close(&point, || signals.is_stopped(), help);
        self.note(Activity::ends_to_wait);
        self.split.clone_from(&point.parent);
        let mut shared = point.move_loop.lock().unwrap_or_else(|e| e.into_inner());
        std::mem::swap(move_loop, &mut shared);
    }

    /// Searches moves of the split point until none is left or one causes a cutoff.
    fn work_on(&mut self, point: &SplitPoint) {
        let (position, node) = (&point.position, &point.node);
        let lock = || point.move_loop.lock().unwrap_or_else(|e| e.into_inner());
        let mut move_loop = lock();
        while !self.aborted() {
            let Some((m, count)) = self.next_child(position, node, &mut move_loop) else {
                point.exhausted.store(true, Ordering::Relaxed);
                return;
            };
            let alpha = move_loop.alpha;
            drop(move_loop);
            let before = self.nodes;
            let score = self.child(position, node, m, count, alpha);
            move_loop = lock();
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
                point.cut.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Works on a split point of another thread that was joined, and leaves it. The own path in the
    /// tree is saved and restored.
    fn help(&mut self, point: &Arc<SplitPoint>) {
        self.note(Activity::joins);
        let ply = point.node.ply;
        let frames = self.frames.clone();
        let path = std::mem::replace(&mut self.path, point.path.clone());
        let split = self.split.replace(Arc::clone(point));
        let (root_depth, verified) = (self.root_depth, self.null_verified_until);
        self.frames[ply..ply + BEFORE + 2].copy_from_slice(&point.frames);
        self.root_depth = point.root_depth;
        self.null_verified_until = 0;
        self.work_on(point);
        self.publish_counters();
        self.shared.pool.leave(point);
        self.frames = frames;
        self.path = path;
        self.split = split;
        (self.root_depth, self.null_verified_until) = (root_depth, verified);
    }

    /// Helps wherever there is work until the search is over.
    pub(crate) fn serve(&mut self) {
        loop {
            self.note(Activity::begins_to_wait);
            let point = self.shared.pool.wait_for_job();
            self.note(Activity::ends_to_wait);
            let Some(point) = point else {
                return;
            };
            self.help(&point);
        }
    }
}
