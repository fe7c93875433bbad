//! Split points: nodes whose moves several threads search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::activity::Activity;
use super::frame::BEFORE;
use super::move_loop::MoveLoop;
use super::node::Node;
use super::strategies::split_point::SplitPoint;
use super::strategy::Strategy;
use super::thread::Thread;
use crate::position::Position;
use crate::sync::AtomicUsize;

/// A shallower node is searched faster than it is shared.
const LEAST_DEPTH: i32 = 3;
/// Moves searched alone where a cutoff is expected: a node in which none of them causes it most likely has none.
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

    /// Works on a split point of another thread that was joined, and leaves it. The own path in the tree is saved and restored.
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
