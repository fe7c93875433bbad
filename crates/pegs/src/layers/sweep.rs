//! Workers: a layer's heads cut into jobs, taken one by one by as many threads as the run allows.

use std::sync::{Mutex, PoisonError};

use everymove_kernel::run::{Run, Stopped};

/// Jobs per thread: enough that uneven jobs even out, few enough that taking one costs nothing.
pub(crate) const JOBS_PER_THREAD: usize = 32;

/// Works through `jobs` on the run's threads. Each thread begins with its own `start()`, does `work` on one
/// job after another and hands its state back.
///
/// # Errors
/// [`Stopped`] if the run was stopped before the last job was taken.
pub(crate) fn sweep<J: Send, T: Send>(
    run: &Run,
    jobs: impl Iterator<Item = J> + Send,
    start: impl Fn() -> T + Sync,
    work: impl Fn(&mut T, J) + Sync,
) -> Result<Vec<T>, Stopped> {
    let jobs = Mutex::new(jobs);
    let worker = || {
        let mut state = start();
        loop {
            run.stop.check()?;
            let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(job) = job else { return Ok(state) };
            work(&mut state, job);
        }
    };
    let threads = run.threads.get();
    if threads == 1 {
        return Ok(vec![worker()?]);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mut states = vec![worker()];
        for worker in workers {
            states.push(
                worker
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            );
        }
        states.into_iter().collect()
    })
}

/// Cuts a slice at the given lengths.
pub(crate) fn split_lengths<T>(
    mut rest: &mut [T],
    lengths: impl Iterator<Item = usize>,
) -> Vec<&mut [T]> {
    lengths
        .map(|length| {
            let (first, more) = std::mem::take(&mut rest).split_at_mut(length);
            rest = more;
            first
        })
        .collect()
}
