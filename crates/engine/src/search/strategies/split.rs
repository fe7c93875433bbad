//! Split points: nodes whose moves several threads search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::Strategy;
use super::pool::Job;
use crate::Position;
use crate::search::children::Brothers;
use crate::search::node::Node;
use crate::search::picker::Picker;
use crate::search::thread::{BEFORE, Frame, Thread};
use crate::sync::AtomicUsize;

/// A shallower node is searched faster than it is shared.
const LEAST_DEPTH: i32 = 6;

/// A node that its owner shares with helpers. What does not change is read freely, the rest lies behind the lock.
#[derive(Debug)]
pub(crate) struct SplitPoint {
    position: Position,
    node: Node,
    /// The frames from `BEFORE` plies before the node to the one after it.
    frames: Vec<Frame>,
    path: Vec<u64>,
    root_depth: i32,
    parent: Option<Arc<SplitPoint>>,
    cut: AtomicBool,
    helpers: AtomicUsize,
    brothers: Mutex<Brothers>,
}

impl SplitPoint {
    /// Whether its result is not wanted any more: by a cutoff here or at a split point above.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|p| p.is_cut())
    }
}

impl Job for SplitPoint {
    fn wants_help(&self) -> bool {
        !self.is_cut() && (self.brothers.try_lock()).is_ok_and(|brothers| !brothers.is_empty())
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

impl Thread<'_, '_> {
    /// Whether the rest of a node's moves is worth sharing now.
    #[inline]
    pub(crate) fn may_split(&self, node: &Node, brothers: &Brothers) -> bool {
        match self.shared.strategy {
            Strategy::Ybwc => {
                node.depth >= LEAST_DEPTH
                    && brothers.eldest_is_done()
                    && self.shared.pool.has_idle()
                    && !brothers.is_empty()
                    && self.earlier(node.ply, 0).excluded.is_none()
            }
            Strategy::RootSplitting => node.ply == 0 && self.shared.threads > 1,
            _ => false,
        }
    }

    /// Shares a node's moves with whoever comes, and returns when all are done.
    pub(crate) fn split(&mut self, position: &Position, node: &Node, brothers: &mut Brothers) {
        let nobody = Brothers::new(Picker::given(std::iter::empty()), 0);
        let point = Arc::new(SplitPoint {
            position: position.clone(),
            node: node.clone(),
            frames: self.frames[node.ply..node.ply + BEFORE + 2].to_vec(),
            path: self.path.clone(),
            root_depth: self.root_depth,
            parent: self.split.take(),
            cut: AtomicBool::new(false),
            helpers: AtomicUsize::new(0),
            brothers: Mutex::new(std::mem::replace(brothers, nobody)),
        });
        self.split = Some(Arc::clone(&point));
        let pool = &self.shared.pool;
        pool.open(Arc::clone(&point));
        self.work_on(&point);
        let signals = self.shared.signals;
        pool.close(&point, || signals.is_stopped(), |below| self.help(&below));
        self.split.clone_from(&point.parent);
        let mut shared = point.brothers.lock().unwrap_or_else(|e| e.into_inner());
        std::mem::swap(brothers, &mut shared);
    }

    /// Takes moves until there are none or one cuts.
    fn work_on(&mut self, point: &SplitPoint) {
        let (position, node) = (&point.position, &point.node);
        let lock = || point.brothers.lock().unwrap_or_else(|e| e.into_inner());
        let mut brothers = lock();
        while !self.aborted() {
            let Some((m, count)) = self.next_child(position, node, &mut brothers) else {
                return;
            };
            let alpha = brothers.alpha;
            drop(brothers);
            let before = self.nodes;
            let score = self.child(position, node, m, count, alpha);
            brothers = lock();
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
                point.cut.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Works on somebody else's split point that was joined, and leaves it. The own place in the tree is kept.
    fn help(&mut self, point: &Arc<SplitPoint>) {
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
        while let Some(point) = self.shared.pool.wait_for_job() {
            self.help(&point);
        }
    }
}
