//! The pool behind [`explore`](super::explore): jobs, work stealing, cutoffs, termination.
//!
//! `pending` counts the unfinished jobs: queued in a deque or in progress. Children are added to it
//! before their parent is taken off, so it is zero only when all is done, and it stays zero.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_deque::{Steal, Stealer, Worker};
use crossbeam_utils::Backoff;

use super::{PARTS, Tally, Tree, Watch};
use crate::parallel;
use crate::run::{Run, Stopped};

/// A node with its place in the serial order: the child numbers from the root down.
struct Job<N> {
    node: N,
    path: Vec<u32>,
    /// Its parts of the progress, split evenly among its children.
    share: u64,
}

/// Jobs that are consecutive in serial order, identified by the first of them.
struct Stretch<T> {
    first: Vec<u32>,
    tally: T,
}

/// What the workers share, whatever the tree.
pub(super) struct Pool<'a> {
    pub(super) run: &'a Run,
    pending: AtomicUsize,
    /// A worker panicked.
    panicked: AtomicBool,
    /// A worker ended because the stop flag was raised.
    stopped: AtomicBool,
    /// How often `cut` was moved.
    cuts: AtomicU64,
    /// The first job in serial order, of those known, that ended the search.
    cut: Mutex<Option<Vec<u32>>>,
}

impl Pool<'_> {
    /// Whether all workers should end: the run was stopped, or a worker panicked.
    pub(super) fn is_over(&self) -> bool {
        if self.run.stop.is_raised() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed) || self.panicked.load(Ordering::Relaxed)
    }

    pub(super) fn cuts(&self) -> u64 {
        self.cuts.load(Ordering::Acquire)
    }

    /// Whether the search ended before the job at `path`.
    pub(super) fn is_cut_off(&self, path: &[u32]) -> bool {
        let cut = self.cut.lock().unwrap_or_else(|e| e.into_inner());
        cut.as_deref().is_some_and(|cut| cut < path)
    }

    /// The job at `path` ended the search.
    fn end_at(&self, path: &[u32]) {
        let mut cut = self.cut.lock().unwrap_or_else(|e| e.into_inner());
        if cut.as_deref().is_none_or(|cut| path < cut) {
            *cut = Some(path.to_vec());
            self.cuts.fetch_add(1, Ordering::Release);
        }
    }
}

/// Reports that a worker unwinds, so that no other waits for jobs that will never end.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

pub(super) fn explore<T: Tree>(
    tree: &T,
    roots: Vec<T::Node>,
    split_depth: u32,
    run: &Run,
) -> Result<T::Tally, Stopped> {
    let pool = Pool {
        run,
        pending: AtomicUsize::new(roots.len()),
        panicked: AtomicBool::new(false),
        stopped: AtomicBool::new(false),
        cuts: AtomicU64::new(0),
        cut: Mutex::new(None),
    };
    let deques: Vec<Worker<Job<T::Node>>> =
        (0..run.threads.get()).map(|_| Worker::new_lifo()).collect();
    let stealers: Vec<_> = deques.iter().map(Worker::stealer).collect();
    push_children(&deques[0], roots, &[], PARTS);

    let hands = deques.into_iter().enumerate().map(|(me, deque)| Hand {
        tree,
        split_depth,
        pool: &pool,
        me,
        deque,
        stealers: &stealers,
        stretches: Vec::new(),
        open: false,
    });
    let hands: Vec<_> = hands.map(|hand| Mutex::new(Some(hand))).collect();
    // The first hand has all jobs, so the others may be missing.
    let stretches = parallel::on_threads(hands.len(), |me| {
        let hand = hands[me].lock().unwrap_or_else(|e| e.into_inner()).take();
        hand.map(Hand::work).unwrap_or_default()
    });
    drop(hands);
    let mut stretches: Vec<_> = stretches.into_iter().flatten().collect();
    if pool.stopped.load(Ordering::Relaxed) {
        return Err(Stopped);
    }
    if let Some(cut) = pool.cut.into_inner().unwrap_or_else(|e| e.into_inner()) {
        stretches.retain(|stretch| stretch.first <= cut);
    }
    stretches.sort_unstable_by(|a, b| a.first.cmp(&b.first));
    let tallies = stretches.into_iter().map(|stretch| stretch.tally);
    Ok(tallies
        .reduce(|mut all, later| {
            all.merge(later);
            all
        })
        .unwrap_or_default())
}

/// Puts children where the first in serial order is taken first by the owner, and the last by a
/// thief.
fn push_children<N>(deque: &Worker<Job<N>>, children: Vec<N>, parent: &[u32], share: u64) {
    let count = children.len() as u64;
    for (number, node) in children.into_iter().enumerate().rev() {
        let mut path = Vec::with_capacity(parent.len() + 1);
        path.extend_from_slice(parent);
        path.push(number as u32);
        let share = share / count + u64::from((number as u64) < share % count);
        deque.push(Job { node, path, share });
    }
}

/// One worker.
struct Hand<'a, T: Tree> {
    tree: &'a T,
    split_depth: u32,
    pool: &'a Pool<'a>,
    me: usize,
    deque: Worker<Job<T::Node>>,
    stealers: &'a [Stealer<Job<T::Node>>],
    stretches: Vec<Stretch<T::Tally>>,
    /// Whether the next job from the own deque continues the last stretch.
    open: bool,
}

impl<T: Tree> Hand<'_, T> {
    fn work(mut self) -> Vec<Stretch<T::Tally>> {
        let _alarm = Alarm(&self.pool.panicked);
        let idle = Backoff::new();
        while !self.pool.is_over() {
            let own = self.deque.pop();
            self.open &= own.is_some();
            if let Some(job) = own.or_else(|| self.steal()) {
                idle.reset();
                if self.pool.cuts() == 0 || !self.pool.is_cut_off(&job.path) {
                    self.perform(job);
                }
                self.pool.pending.fetch_sub(1, Ordering::Release);
            } else if self.pool.pending.load(Ordering::Acquire) == 0 {
                break;
            } else if idle.is_completed() {
                // The others search subtrees that cannot be stolen: spinning would only cost
                // processor time.
                thread::sleep(Duration::from_micros(50));
            } else {
                idle.snooze();
            }
        }
        self.stretches
    }

    fn steal(&self) -> Option<Job<T::Node>> {
        let (before, after) = self.stealers.split_at(self.me);
        let victims = after.iter().skip(1).chain(before);
        victims
            .filter_map(|victim| {
                loop {
                    match victim.steal() {
                        Steal::Success(job) => return Some(job),
                        Steal::Empty => return None,
                        Steal::Retry => {}
                    }
                }
            })
            .next()
    }

    fn perform(&mut self, job: Job<T::Node>) {
        if !self.open {
            self.stretches.push(Stretch {
                first: job.path.clone(),
                tally: T::Tally::default(),
            });
            self.open = true;
        }
        let Some(Stretch { tally, .. }) = self.stretches.last_mut() else {
            return;
        };
        let Job { node, path, share } = job;
        let ended = if path.len() <= self.split_depth as usize {
            let mut children = Vec::new();
            let flow = self.tree.branch(node, tally, &mut children);
            self.pool.run.progress.worked(1);
            if flow.is_continue() {
                if children.is_empty() {
                    self.pool.run.progress.advance(share);
                }
                self.pool
                    .pending
                    .fetch_add(children.len(), Ordering::Relaxed);
                push_children(&self.deque, children, &path, share);
            }
            flow.is_break()
        } else {
            let watch = Watch {
                pool: self.pool,
                path: &path,
                cuts_seen: Cell::new(0),
                abandoned: Cell::new(false),
            };
            let flow = self.tree.search_below(node, tally, &watch);
            self.pool.run.progress.advance(share);
            flow == ControlFlow::Break(()) && !watch.abandoned.get()
        };
        if ended {
            self.pool.end_at(&path);
        }
    }
}
