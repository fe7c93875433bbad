//! How far a computation is.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How far a computation is; written by workers in batches, read by displays.
#[derive(Default)]
pub struct Progress {
    watcher: OnceLock<Watcher>,
    phase: Mutex<String>,
    stage: Mutex<Option<Stage>>,
    part: Mutex<String>,
    done: AtomicU64,
    total: AtomicU64,
    work: AtomicU64,
}

/// What is called whenever there is progress.
type Watcher = Box<dyn Fn(&Progress) + Send + Sync>;

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.snapshot().fmt(f)
    }
}

/// What the phases are part of.
#[derive(Clone, Debug)]
struct Stage {
    name: String,
    /// When everything is expected to be done.
    end: Option<Instant>,
}

/// The state of a [`Progress`] at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// What the phase is part of, if there is more than one phase: `experiment 3 of 9`.
    pub stage: Option<String>,
    /// The time left as the computation itself expects it; zero once it takes longer than
    /// expected.
    pub left: Option<Duration>,
    /// Which part of the stage or of the whole the phases belong to: `table 3 of 6`; empty if
    /// there are no such parts.
    pub part: String,
    /// What is being done, in words.
    pub phase: String,
    /// Parts of the phase that are done: jobs, layers, blocks.
    pub done: u64,
    /// Parts of the phase in all; 0 while unknown.
    pub total: u64,
    /// Units of work so far: nodes, states, transitions.
    pub work: u64,
}

impl Progress {
    /// Calls `watcher` after each batch of work, on the thread that did it: where no other thread
    /// can look. The first watcher stays.
    pub fn watch(&self, watcher: impl Fn(&Self) + Send + Sync + 'static) {
        _ = self.watcher.set(Box::new(watcher));
    }

    fn changed(&self) {
        if let Some(watcher) = self.watcher.get() {
            watcher(self);
        }
    }

    /// Starts a phase of `total` parts (0 if unknown).
    pub fn start(&self, phase: impl Into<String>, total: u64) {
        *lock(&self.phase) = phase.into();
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.changed();
    }

    /// Names the phase anew; its parts stay counted.
    pub fn rename(&self, phase: impl Into<String>) {
        *lock(&self.phase) = phase.into();
    }

    /// Starts a part of the computation that has phases of its own; `left` is the time after which
    /// everything is expected to be done, where that is known.
    pub fn stage(&self, name: impl Into<String>, left: Option<Duration>) {
        self.start("", 0);
        self.part("");
        *lock(&self.stage) = Some(Stage {
            name: name.into(),
            end: left.and_then(|left| Instant::now().checked_add(left)),
        });
    }

    /// Names the part that the phases from now on belong to: `table 3 of 6`.
    pub fn part(&self, part: impl Into<String>) {
        *lock(&self.part) = part.into();
    }

    /// Counts `parts` of the phase as done.
    pub fn advance(&self, parts: u64) {
        self.done.fetch_add(parts, Ordering::Relaxed);
        self.changed();
    }

    /// Counts units of work; call it in batches, not per node.
    pub fn worked(&self, units: u64) {
        self.work.fetch_add(units, Ordering::Relaxed);
        self.changed();
    }

    /// Everything as it is now.
    pub fn snapshot(&self) -> Snapshot {
        let stage = lock(&self.stage).clone();
        let end = stage.as_ref().and_then(|stage| stage.end);
        Snapshot {
            stage: stage.map(|stage| stage.name),
            left: end.map(|end| end.saturating_duration_since(Instant::now())),
            part: lock(&self.part).clone(),
            phase: lock(&self.phase).clone(),
            done: self.done.load(Ordering::Relaxed),
            total: self.total.load(Ordering::Relaxed),
            work: self.work.load(Ordering::Relaxed),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watcher_is_called_by_the_work() {
        let progress = Progress::default();
        let seen = std::sync::Arc::new(AtomicU64::new(0));
        let counted = seen.clone();
        progress.watch(move |now| counted.store(now.snapshot().work, Ordering::Relaxed));
        progress.watch(|_| unreachable!());
        progress.worked(7);
        assert_eq!(seen.load(Ordering::Relaxed), 7);
    }

    #[test]
    fn a_snapshot_holds_what_was_reported() {
        let progress = Progress::default();
        assert_eq!(progress.snapshot(), Snapshot::default());
        progress.stage("experiment 1 of 2", Some(Duration::from_secs(60)));
        progress.part("search 2 of 3");
        progress.start("searching", 10);
        progress.advance(3);
        progress.worked(1000);
        let now = progress.snapshot();
        assert_eq!(now.stage.as_deref(), Some("experiment 1 of 2"));
        assert!(now.left.is_some_and(|left| left <= Duration::from_secs(60)));
        assert_eq!(
            (&*now.part, &*now.phase, now.done, now.total, now.work),
            ("search 2 of 3", "searching", 3, 10, 1000)
        );
        progress.stage("experiment 2 of 2", None);
        let now = progress.snapshot();
        assert_eq!(
            (now.left, &*now.part, &*now.phase, now.done, now.total),
            (None, "", "", 0, 0)
        );
    }
}
