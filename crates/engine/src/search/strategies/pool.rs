//! The list of open jobs: idle threads join them, and the owner of a job waits until those who
//! joined have left.

use std::sync::Arc;
use std::time::Duration;

use crate::search::turns::Turns;
use crate::sync::{AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering};

/// How often a waiting owner checks whether the search is over.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// How often a thread that waits reads the number of changes before it sleeps: about 50
/// microseconds, in which most waits end. Waking a thread that sleeps takes longer than searching
/// many nodes that could be shared.
const SPINS: u32 = if cfg!(any(loom, miri)) { 0 } else { 1000 };

/// Something that several threads can work on.
pub(crate) trait Job {
    /// Whether there is work left for another thread.
    fn wants_help(&self) -> bool;
    /// Whether `self` was opened, directly or not, on behalf of `other`.
    fn descends_from(&self, other: &Self) -> bool;
    /// A measure of the work: the largest job is joined first.
    fn size(&self) -> i32;
    /// The number of threads that have joined. Written under the pool's lock only.
    fn helpers(&self) -> &AtomicUsize;
}

/// The open jobs of a search. One lock guards the list and every count of helpers.
#[derive(Debug)]
pub(crate) struct Pool<J> {
    state: Mutex<State<J>>,
    changed: Condvar,
    /// Number of changes that may end a wait: written under the lock, read without it by threads
    /// that wait and do not sleep yet.
    changes: AtomicU64,
    /// Number of threads that wait for a job, owners included; read without the lock as a hint.
    idle: AtomicUsize,
    /// In virtual time threads wait for their turns instead.
    turns: Option<Arc<Turns>>,
}

#[derive(Debug)]
struct State<J> {
    open: Vec<Arc<J>>,
    finished: bool,
    /// Threads that sleep until they are notified.
    sleeping: usize,
}

impl<J> Default for Pool<J> {
    fn default() -> Self {
        Self::in_time(None)
    }
}

impl<J> Pool<J> {
    /// An empty list; the threads run in virtual time if there are turns.
    pub(crate) fn in_time(turns: Option<Arc<Turns>>) -> Self {
        Self {
            state: Mutex::new(State {
                open: Vec::new(),
                finished: false,
                sleeping: 0,
            }),
            changed: Condvar::new(),
            changes: AtomicU64::new(0),
            idle: AtomicUsize::new(0),
            turns,
        }
    }
}

impl<J: Job> Pool<J> {
    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Ends the waits of all threads after a change of what the lock guards.
    fn notify(&self, state: MutexGuard<'_, State<J>>) {
        self.changes.fetch_add(1, Ordering::Release);
        let sleeping = state.sleeping > 0;
        drop(state);
        match &self.turns {
            Some(turns) => turns.wake_all(),
            None if sleeping => self.changed.notify_all(),
            None => (),
        }
    }

    /// Waits, with the lock released, until another thread notifies this one; at most for a time,
    /// where one is given.
    fn wait<'a>(
        &'a self,
        state: MutexGuard<'a, State<J>>,
        most: Option<Duration>,
    ) -> MutexGuard<'a, State<J>> {
        let changes = self.changes.load(Ordering::Relaxed);
        drop(state);
        if let Some(turns) = &self.turns {
            turns.wait();
            return self.lock();
        }
        let is_changed = || self.changes.load(Ordering::Acquire) != changes;
        for _ in 0..SPINS {
            if is_changed() {
                return self.lock();
            }
            std::hint::spin_loop();
        }
        let state = self.lock();
        if is_changed() {
            return state;
        }
        self.sleep(state, most)
    }

    fn sleep<'a>(
        &'a self,
        mut state: MutexGuard<'a, State<J>>,
        most: Option<Duration>,
    ) -> MutexGuard<'a, State<J>> {
        state.sleeping += 1;
        let mut state = match most {
            None => self.changed.wait(state).unwrap_or_else(|e| e.into_inner()),
            Some(most) => {
                let waited = self.changed.wait_timeout(state, most);
                waited.unwrap_or_else(|e| e.into_inner()).0
            }
        };
        state.sleeping -= 1;
        state
    }

    /// Whether a thread would join at once.
    #[inline]
    pub(crate) fn has_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Adds a job to the list.
    pub(crate) fn open(&self, job: Arc<J>) {
        let mut state = self.lock();
        state.open.push(job);
        self.notify(state);
    }

    /// Waits for a job and joins it; `None` when the search is over.
    pub(crate) fn wait_for_job(&self) -> Option<Arc<J>> {
        let mut state = self.lock();
        self.idle.fetch_add(1, Ordering::Relaxed);
        let found = loop {
            if state.finished {
                break None;
            }
            if let Some(job) = Self::join(&state, |_| true) {
                break Some(job);
            }
            state = self.wait(state, None);
        };
        self.idle.fetch_sub(1, Ordering::Relaxed);
        found
    }

    fn join(state: &State<J>, wanted: impl Fn(&J) -> bool) -> Option<Arc<J>> {
        let candidates = state
            .open
            .iter()
            .filter(|job| job.wants_help() && wanted(job));
        let job = candidates.max_by_key(|job| job.size())?;
        job.helpers().fetch_add(1, Ordering::Relaxed);
        Some(Arc::clone(job))
    }

    /// Leaves a job that was joined.
    pub(crate) fn leave(&self, job: &J) {
        let state = self.lock();
        job.helpers().fetch_sub(1, Ordering::Relaxed);
        self.notify(state);
    }

    /// Removes an own job from the list and waits until all who joined have left, or until
    /// `is_over`. Meanwhile `help` is called with jobs that those threads opened below it,
    /// already joined: `help` must leave them.
    pub(crate) fn close(
        &self,
        job: &Arc<J>,
        is_over: impl Fn() -> bool,
        mut help: impl FnMut(Arc<J>),
    ) {
        let mut state = self.lock();
        state.open.retain(|other| !Arc::ptr_eq(other, job));
        while job.helpers().load(Ordering::Relaxed) > 0 && !is_over() {
            if let Some(below) = Self::join(&state, |other| other.descends_from(job)) {
                drop(state);
                help(below);
                state = self.lock();
            } else {
                // Counted as idle, so that those it waits for open jobs below. The end of the
                // search sends no notification, hence the timeout.
                self.idle.fetch_add(1, Ordering::Relaxed);
                state = self.wait(state, Some(POLL_INTERVAL));
                self.idle.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    /// Shuts down the pool and wakes all waiting threads.
    pub(crate) fn shut_down(&self) {
        let mut state = self.lock();
        state.finished = true;
        self.notify(state);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// A number of grains to count, taken in portions.
    #[derive(Debug)]
    struct Heap {
        left: AtomicU64,
        sum: AtomicU64,
        helpers: AtomicUsize,
        parent: Option<Arc<Heap>>,
    }

    impl Heap {
        fn new(n: u64, parent: Option<Arc<Heap>>) -> Arc<Self> {
            Arc::new(Self {
                left: AtomicU64::new(n),
                sum: AtomicU64::new(0),
                helpers: AtomicUsize::new(0),
                parent,
            })
        }

        fn take(&self, most: u64) -> u64 {
            let take = |n: u64| Some(n - n.min(most));
            let before = self
                .left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
            before.unwrap_or_else(|n| n).min(most)
        }
    }

    impl Job for Heap {
        fn wants_help(&self) -> bool {
            self.left.load(Ordering::Relaxed) > 0
        }
        fn descends_from(&self, other: &Self) -> bool {
            let parent = self.parent.as_ref();
            parent.is_some_and(|p| std::ptr::eq(&**p, other) || p.descends_from(other))
        }
        fn size(&self) -> i32 {
            1
        }
        fn helpers(&self) -> &AtomicUsize {
            &self.helpers
        }
    }

    /// A portion becomes a heap of its own while a thread is idle, as nested split points do.
    fn work(pool: &Pool<Heap>, heap: &Arc<Heap>, portion: u64) {
        loop {
            let n = heap.take(portion);
            if n == 0 {
                return;
            }
            let counted = if n > 1 && pool.has_idle() {
                let below = Heap::new(n, Some(Arc::clone(heap)));
                pool.open(Arc::clone(&below));
                work(pool, &below, portion / 4);
                pool.close(
                    &below,
                    || false,
                    |joined| {
                        work(pool, &joined, 1);
                        pool.leave(&joined);
                    },
                );
                below.sum.load(Ordering::Relaxed)
            } else {
                n
            };
            heap.sum.fetch_add(counted, Ordering::Relaxed);
        }
    }

    #[test]
    fn nested_jobs_are_done_once_and_no_thread_waits_for_ever() {
        let rounds = if cfg!(miri) { 1 } else { 200 };
        for _ in 0..rounds {
            let pool = Pool::<Heap>::default();
            let n = if cfg!(miri) { 40 } else { 1000 };
            let heap = Heap::new(n, None);
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        while let Some(job) = pool.wait_for_job() {
                            work(&pool, &job, 4);
                            pool.leave(&job);
                        }
                    });
                }
                pool.open(Arc::clone(&heap));
                work(&pool, &heap, 16);
                pool.close(
                    &heap,
                    || false,
                    |joined| {
                        work(&pool, &joined, 1);
                        pool.leave(&joined);
                    },
                );
                pool.shut_down();
            });
            assert_eq!(heap.sum.load(Ordering::Relaxed), n);
        }
    }

    /// A helper that the system does not let run, or that has panicked, does not delay the result
    /// once the search is over.
    #[test]
    fn an_owner_does_not_wait_beyond_the_end_of_the_search() {
        let pool = Pool::<Heap>::default();
        let heap = Heap::new(1, None);
        pool.open(Arc::clone(&heap));
        assert!(pool.wait_for_job().is_some());
        let asked = AtomicUsize::new(0);
        let is_over = || asked.fetch_add(1, Ordering::Relaxed) >= 3;
        pool.close(&heap, is_over, |_| ());
        assert_eq!(heap.helpers.load(Ordering::Relaxed), 1, "it never left");
    }
}
