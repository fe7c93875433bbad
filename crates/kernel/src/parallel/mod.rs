//! Jobs on several threads: stoppable, in order, with the answer of one thread.
//!
//! | function | result |
//! |---|---|
//! | [`for_each`], [`try_for_each`] | the state of each thread, for sums and buffers that are merged afterwards |
//! | [`map`], [`try_map`] | the result of each job, in the order of the jobs |
//! | [`try_in_order`] | nothing: a consumer on the calling thread gets the results in the order of the jobs, few of them in memory at a time |
//! | [`on_threads`] | what each thread returns: for protocols of their own |
//!
//! What they have in common:
//! - The calling thread works, too. No more threads are started than there are jobs (if the
//!   iterator's [`size_hint`](Iterator::size_hint) bounds them). With one thread nothing is
//!   spawned.
//! - **A thread that the system refuses is done without**: the others do its jobs. It is neither a
//!   panic nor an error.
//! - Jobs are taken in order, one at a time, from an iterator that threads share under a lock: a
//!   job should cost some microseconds at least. The jobs of one thread are in ascending order.
//! - The stop flag is checked before each job. A run that was stopped returns [`Stopped`], even if
//!   jobs failed, too.
//! - An error ends the work: no further job is taken. The error returned is that of the first job
//!   in order that failed, the one which a single thread would have returned.
//! - A panic in a job ends the work likewise and is passed on to the caller once all threads have
//!   ended.
//!
//! ```
//! use everymove_kernel::parallel;
//! use everymove_kernel::run::{Ram, Run, Stopped};
//!
//! let run = Run::new(4, Ram::unlimited());
//! let squares = parallel::map(&run, 0..1000u64, || (), |(), n| n * n)?;
//! assert_eq!(squares[31], 961);
//!
//! let sums = parallel::for_each(&run, 0..1000u64, || 0, |sum, n| *sum += n)?;
//! assert_eq!(sums.iter().sum::<u64>(), 499_500);
//!
//! let mut text = String::new();
//! parallel::try_in_order(&run, 0..5, 2, || (), |(), n| Ok::<_, Stopped>(n * n), |square| {
//!     text += &format!("{square} ");
//!     Ok(())
//! })?;
//! assert_eq!(text, "0 1 4 9 16 ");
//! # Ok::<(), Stopped>(())
//! ```

mod in_order;
mod threads;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

pub use in_order::try_in_order;
pub use threads::on_threads;
use threads::start_threads;

use crate::run::{Run, Stopped};

/// Cuts `0..len` into at most `parts` ranges in ascending order, as equal as can be; none is empty.
pub fn ranges(len: usize, parts: usize) -> impl ExactSizeIterator<Item = Range<usize>> + Send {
    let parts = parts.clamp(1, len.max(1)).min(len);
    let bound = move |i: usize| (len as u128 * i as u128 / parts as u128) as usize;
    (0..parts).map(move |i| bound(i)..bound(i + 1))
}

/// Does `work` with every job; each thread begins with a `start()` of its own. Returns the states
/// of the threads that worked, at least one, in no particular order.
///
/// # Errors
/// [`Stopped`] if the run was stopped.
pub fn for_each<J, S: Send>(
    run: &Run,
    jobs: impl IntoIterator<Item = J, IntoIter: Send>,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, J) + Sync,
) -> Result<Vec<S>, Stopped> {
    try_for_each(run, jobs, start, |state, job| {
        work(state, job);
        Ok(())
    })
}

/// Like [`for_each`] for work that may fail.
///
/// # Errors
/// [`Stopped`] if the run was stopped, otherwise the error of the first job in order that failed.
pub fn try_for_each<J, S: Send, E: From<Stopped> + Send>(
    run: &Run,
    jobs: impl IntoIterator<Item = J, IntoIter: Send>,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, J) -> Result<(), E> + Sync,
) -> Result<Vec<S>, E> {
    numbered(run, jobs, start, |state, _, job| work(state, job))
}

/// Does `work` with every job and returns the results in the order of the jobs.
///
/// # Errors
/// [`Stopped`] if the run was stopped.
pub fn map<J, S: Send, T: Send>(
    run: &Run,
    jobs: impl IntoIterator<Item = J, IntoIter: Send>,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, J) -> T + Sync,
) -> Result<Vec<T>, Stopped> {
    try_map(run, jobs, start, |state, job| Ok(work(state, job)))
}

/// Like [`map`] for work that may fail.
///
/// # Errors
/// [`Stopped`] if the run was stopped, otherwise the error of the first job in order that failed.
pub fn try_map<J, S: Send, T: Send, E: From<Stopped> + Send>(
    run: &Run,
    jobs: impl IntoIterator<Item = J, IntoIter: Send>,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, J) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let start = || (start(), Vec::new());
    let threads = numbered(run, jobs, start, |(state, results), number, job| {
        results.push((number, work(state, job)?));
        Ok::<_, E>(())
    })?;
    let mut results: Vec<Option<T>> = Vec::new();
    results.resize_with(threads.iter().map(|(_, done)| done.len()).sum(), || None);
    for (number, result) in threads.into_iter().flat_map(|(_, done)| done) {
        results[number as usize] = Some(result);
    }
    Ok(results.into_iter().flatten().collect())
}

/// The jobs that are left, and the failure with the lowest number so far.
struct Jobs<I, E> {
    jobs: std::iter::Zip<std::ops::RangeFrom<u64>, I>,
    failed: Option<(u64, E)>,
}

/// Like [`try_for_each`]; `work` also gets the number of the job, from 0.
fn numbered<J, S: Send, E: From<Stopped> + Send>(
    run: &Run,
    jobs: impl IntoIterator<Item = J, IntoIter: Send>,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, u64, J) -> Result<(), E> + Sync,
) -> Result<Vec<S>, E> {
    let jobs = jobs.into_iter();
    let threads = useful(run, &jobs);
    let shared = Mutex::new(Jobs {
        jobs: (0..).zip(jobs),
        failed: None,
    });
    let states = Mutex::new(Vec::new());
    until_over(threads, &|over| {
        let mut state = start();
        while !over.load(Ordering::Relaxed) && !run.stop.is_raised() {
            let job = lock(&shared).jobs.next();
            let Some((number, job)) = job else { break };
            if let Err(error) = work(&mut state, number, job) {
                over.store(true, Ordering::Relaxed);
                let failed = &mut lock(&shared).failed;
                if failed.as_ref().is_none_or(|&(first, _)| number < first) {
                    *failed = Some((number, error));
                }
            }
        }
        lock(&states).push(state);
    });
    run.stop.check()?;
    match lock(&shared).failed.take() {
        Some((_, error)) => Err(error),
        None => Ok(states.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

/// Calls `work` on up to `threads` threads with a flag that tells them not to go on. Compiled once
/// for all callers.
fn until_over(threads: usize, work: &(dyn Fn(&AtomicBool) + Sync)) {
    let over = AtomicBool::new(false);
    let work = || {
        // Raised when this thread unwinds, so that the others do not work on in vain.
        let _unwinding = RaisedOnPanic(&over);
        work(&over);
    };
    start_threads(threads - 1, &mut || work(), &|_| work());
}

/// How many threads to use: as many as the run has, but no more than there are jobs, and at least
/// one.
fn useful(run: &Run, jobs: &impl Iterator) -> usize {
    let jobs = jobs.size_hint().1.unwrap_or(usize::MAX);
    run.threads.get().min(jobs.max(1))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Raises a flag if it is dropped while its thread unwinds.
struct RaisedOnPanic<'a>(&'a AtomicBool);

impl Drop for RaisedOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
