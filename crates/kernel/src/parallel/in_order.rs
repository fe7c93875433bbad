//! Results consumed in the order of the jobs while the jobs go on, with a bound on what is in
//! memory.

use std::collections::VecDeque;

#[cfg(loom)]
use loom::sync::{Condvar, Mutex, MutexGuard};
use std::sync::PoisonError;
#[cfg(not(loom))]
use std::sync::{Condvar, Mutex, MutexGuard};

use super::threads::start_threads;
use super::useful;
use crate::run::{Run, Stop, Stopped};

/// Does `work` with every job on the run's threads and gives the results to `consume`, on the
/// calling thread, in the order of the jobs. Between jobs the calling thread works like the others.
///
/// At most `window` jobs (at least one a thread) have been taken and not yet consumed at any time:
/// this bounds the memory of results, and so `window` should be a small multiple of the threads.
///
/// When a job fails, the results of all jobs before it are still consumed, then its error is
/// returned; so `consume` sees what it would have seen with one thread.
///
/// # Errors
/// [`Stopped`] if the run was stopped, otherwise the first error in the order of the jobs, of
/// `work` or `consume`.
pub fn try_in_order<J, S, T: Send, E: From<Stopped> + Send>(
    run: &Run,
    jobs: impl IntoIterator<Item = J, IntoIter: Send>,
    window: usize,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, J) -> Result<T, E> + Sync,
    mut consume: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let jobs = jobs.into_iter();
    let threads = useful(run, &jobs);
    let end = if threads == 1 {
        let mut state = start();
        jobs.into_iter().try_for_each(|job| {
            run.stop.check()?;
            consume(work(&mut state, job)?)
        })
    } else {
        let pipeline = Pipeline::new(jobs, window.max(threads));
        let worker = |_: usize| {
            let _closing = ClosedOnPanic(&pipeline);
            let mut state = start();
            while let Some((number, job)) = pipeline.take(&run.stop) {
                pipeline.put(number, work(&mut state, job));
            }
        };
        let mut caller = || {
            let _closing = ClosedOnDrop(&pipeline);
            let mut state = None;
            loop {
                match pipeline.next(&run.stop) {
                    Next::Result(result) => consume(result?)?,
                    Next::Job(number, job) => {
                        let result = work(state.get_or_insert_with(&start), job);
                        pipeline.put(number, result);
                    }
                    Next::End => return Ok(()),
                }
            }
        };
        let mut end = Ok(());
        start_threads(threads - 1, &mut || end = caller(), &worker);
        end
    };
    run.stop.check()?;
    end
}

/// Jobs given out in order, results taken back in order; `window` bounds the difference.
struct Pipeline<I, R> {
    window: u64,
    state: Mutex<State<I, R>>,
    /// A job may be taken again, or there will be none any more: workers wait for it.
    room: Condvar,
    /// A result was put, or there will be none any more: the caller waits for it.
    ready: Condvar,
}

struct State<I, R> {
    jobs: I,
    /// No job is left, or none is wanted any more.
    ended: bool,
    /// A thread panicked, or the caller has left.
    closed: bool,
    taken: u64,
    consumed: u64,
    /// The results of the jobs from `consumed` on that are done; `None` while a job is being
    /// worked on.
    results: VecDeque<Option<R>>,
}

/// What the calling thread does next.
enum Next<J, R> {
    Result(R),
    Job(u64, J),
    End,
}

impl<I: Iterator, T, E> Pipeline<I, Result<T, E>> {
    fn new(jobs: I, window: usize) -> Self {
        Self {
            window: window as u64,
            state: Mutex::new(State {
                jobs,
                ended: false,
                closed: false,
                taken: 0,
                consumed: 0,
                results: VecDeque::new(),
            }),
            room: Condvar::new(),
            ready: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<I, Result<T, E>>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job for a worker with its number, waiting for room; `None` if there will be no
    /// more.
    ///
    /// A wait always ends: while workers wait there are results to consume or jobs being worked on,
    /// and both look at the stop flag afterwards.
    fn take(&self, stop: &Stop) -> Option<(u64, I::Item)> {
        let mut state = self.lock();
        loop {
            if state.closed || stop.is_raised() {
                return None;
            }
            match self.job(&mut state) {
                Some(job) => return Some(job),
                None if state.ended => return None,
                None => {
                    state = self
                        .room
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner)
                }
            }
        }
    }

    /// A job, if there is one within the window.
    fn job(&self, state: &mut State<I, Result<T, E>>) -> Option<(u64, I::Item)> {
        if state.ended || state.taken - state.consumed >= self.window {
            return None;
        }
        let Some(job) = state.jobs.next() else {
            self.end(state);
            return None;
        };
        let number = state.taken;
        state.taken += 1;
        state.results.push_back(None);
        Some((number, job))
    }

    /// No more jobs: nobody need wait for one.
    fn end(&self, state: &mut State<I, Result<T, E>>) {
        state.ended = true;
        self.room.notify_all();
        self.ready.notify_one();
    }

    fn put(&self, number: u64, result: Result<T, E>) {
        let mut state = self.lock();
        if result.is_err() {
            self.end(&mut state);
        }
        let slot = (number - state.consumed) as usize;
        state.results[slot] = Some(result);
        if slot == 0 {
            self.ready.notify_one();
        }
    }

    /// A result to consume, if the next one is there; otherwise a job; otherwise waits for a
    /// result.
    fn next(&self, stop: &Stop) -> Next<I::Item, Result<T, E>> {
        let mut state = self.lock();
        loop {
            if state.closed || stop.is_raised() {
                return Next::End;
            }
            if let Some(result) = state.results.front_mut().and_then(Option::take) {
                state.results.pop_front();
                state.consumed += 1;
                self.room.notify_one();
                return Next::Result(result);
            }
            if let Some((number, job)) = self.job(&mut state) {
                return Next::Job(number, job);
            }
            if state.ended && state.results.is_empty() {
                return Next::End;
            }
            state = self
                .ready
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        self.room.notify_all();
        self.ready.notify_one();
    }
}

/// Ends the work for all when a worker unwinds.
struct ClosedOnPanic<'a, I: Iterator, T, E>(&'a Pipeline<I, Result<T, E>>);

impl<I: Iterator, T, E> Drop for ClosedOnPanic<'_, I, T, E> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

/// Ends the work for all when the calling thread leaves, for whatever reason.
struct ClosedOnDrop<'a, I: Iterator, T, E>(&'a Pipeline<I, Result<T, E>>);

impl<I: Iterator, T, E> Drop for ClosedOnDrop<'_, I, T, E> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Every interleaving of a worker and the calling thread, checked by loom.
#[cfg(all(loom, test))]
mod model {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    type Numbers = Pipeline<std::ops::Range<u32>, Result<u32, u32>>;

    /// Does `jobs` jobs with a worker and the calling thread; job `failing` fails. Returns what is
    /// consumed.
    fn consumed(jobs: u32, window: usize, failing: Option<u32>) -> Vec<Result<u32, u32>> {
        let stop = Stop::default();
        let pipeline: Arc<Numbers> = Arc::new(Pipeline::new(0..jobs, window));
        let work = move |n| if Some(n) == failing { Err(n) } else { Ok(n) };
        let worker = {
            let (pipeline, stop) = (pipeline.clone(), stop.clone());
            thread::spawn(move || {
                while let Some((number, job)) = pipeline.take(&stop) {
                    pipeline.put(number, work(job));
                }
            })
        };
        let mut consumed = Vec::new();
        loop {
            match pipeline.next(&stop) {
                Next::Result(result) => {
                    consumed.push(result);
                    if result.is_err() {
                        break;
                    }
                }
                Next::Job(number, job) => pipeline.put(number, work(job)),
                Next::End => break,
            }
        }
        pipeline.close();
        worker.join().unwrap();
        consumed
    }

    #[test]
    fn results_are_consumed_once_and_in_order() {
        loom::model(|| assert_eq!(consumed(2, 2, None), [Ok(0), Ok(1)]));
    }

    #[test]
    fn a_window_of_one_job_blocks_nobody_for_ever() {
        loom::model(|| assert_eq!(consumed(2, 1, None), [Ok(0), Ok(1)]));
    }

    #[test]
    fn what_comes_before_a_failure_is_consumed() {
        loom::model(|| assert_eq!(consumed(3, 2, Some(1)), [Ok(0), Err(1)]));
    }
}
