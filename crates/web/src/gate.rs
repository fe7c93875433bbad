//! Threads for work, with a queue of limited length.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A number of threads that work may take, and a limit on how much work waits for them.
#[derive(Debug)]
pub(crate) struct Gate {
    threads: Arc<Semaphore>,
    all: usize,
    waiting: AtomicUsize,
    most_waiting: usize,
}

/// All threads are in use, and too much work waits for them.
#[derive(Debug)]
pub(crate) struct Busy;

impl Gate {
    pub(crate) fn new(threads: usize, most_waiting: usize) -> Self {
        Self {
            threads: Arc::new(Semaphore::new(threads)),
            all: threads,
            waiting: AtomicUsize::new(0),
            most_waiting,
        }
    }

    /// Threads that are in use.
    pub(crate) fn used(&self) -> usize {
        self.all - self.threads.available_permits().min(self.all)
    }

    /// Requests that wait for threads.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Waits for a number of threads, which are given back when the permit is dropped.
    pub(crate) async fn enter(
        &self,
        threads: usize,
        patience: Duration,
    ) -> Result<OwnedSemaphorePermit, Busy> {
        let threads = threads.clamp(1, self.all) as u32;
        if let Ok(permit) = self.threads.clone().try_acquire_many_owned(threads) {
            return Ok(permit);
        }
        let _waits = Waits::begin(self)?;
        let permit = self.threads.clone().acquire_many_owned(threads);
        match tokio::time::timeout(patience, permit).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(Busy),
        }
    }
}

/// Counts as waiting until it is dropped, also where the client leaves.
struct Waits<'a>(&'a Gate);

impl<'a> Waits<'a> {
    fn begin(gate: &'a Gate) -> Result<Self, Busy> {
        let before = gate.waiting.fetch_add(1, Ordering::Relaxed);
        let waits = Self(gate);
        if before < gate.most_waiting {
            Ok(waits)
        } else {
            Err(Busy)
        }
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_does_not_fit_waits_or_is_refused() {
        let gate = Arc::new(Gate::new(2, 1));
        let (short, long) = (Duration::from_millis(5), Duration::from_secs(60));
        let first = gate.enter(2, short).await.unwrap();
        assert_eq!(gate.used(), 2);
        let other = gate.clone();
        let waits = tokio::spawn(async move { other.enter(1, long).await.is_ok() });
        while gate.waiting.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        assert!(gate.enter(1, long).await.is_err(), "one waits already");
        drop(first);
        assert!(waits.await.unwrap());
        let all = gate.enter(9, long).await.unwrap();
        assert_eq!(gate.used(), 2);
        assert!(gate.enter(1, short).await.is_err(), "patience ends");
        drop(all);
        assert_eq!(gate.used(), 0);
    }
}
