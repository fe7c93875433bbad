//! Long work: started by a request, watched by events, cancelled, its result kept for a while.
//!
//! - `job`: one job, its state and its intermediate results;
//! - `job_routes`: the addresses `/api/v1/jobs`;
//! - `job_events`: the stream of events of one job;
//! - `job_store`: results in a folder.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use everymove_api::command::{JsonAnswer, Prepared};
use everymove_kernel::files::FileError;
use everymove_kernel::run::{Ram, Run};
use tokio::sync::Semaphore;

use crate::app::App;
use crate::config::Limits;
use crate::direct::sendable;
use crate::job::{self, Job, Outcome};
use crate::job_store::Store;
use crate::problem::Problem;

/// Results that are kept in memory at once.
const MOST_KEPT: usize = 500;

/// A job that is to end when nobody watches it may wait this long for its first watcher.
const FIRST_WATCHER: Duration = Duration::from_secs(10);

/// A job that is to end when nobody watches it ends this long after the last watcher left.
const LAST_WATCHER: Duration = Duration::from_millis(500);

/// All jobs, and what they may use.
#[derive(Debug)]
pub(crate) struct Jobs {
    jobs: Mutex<HashMap<String, Arc<Job>>>,
    threads: Arc<Semaphore>,
    running: Arc<Semaphore>,
    store: Option<Arc<Store>>,
    /// Bytes of results that are kept in memory at once.
    most_bytes: usize,
}

impl Jobs {
    /// No jobs but those of the store.
    pub(crate) fn new(limits: &Limits, folder: Option<&Path>) -> Result<Self, FileError> {
        let most = limits.ram_of_traffic() / 2;
        let store = folder.map(|folder| Store::open(folder, most));
        let jobs = Self {
            jobs: Mutex::default(),
            threads: Arc::new(Semaphore::new(limits.threads)),
            running: Arc::new(Semaphore::new(limits.jobs)),
            store: store.transpose()?.map(Arc::new),
            most_bytes: usize::try_from(most).unwrap_or(usize::MAX),
        };
        if let Some(store) = &jobs.store {
            store.load(|job| {
                jobs.lock().insert(job.id.clone(), Arc::new(job));
                jobs.forget(limits.keep);
            })?;
        }
        Ok(jobs)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Job>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The job of an identifier.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Job>> {
        self.lock().get(id).cloned()
    }

    /// Jobs that run, and jobs that wait.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let (mut running, mut waiting) = (0, 0);
        for job in self.lock().values() {
            match job.outcome() {
                Outcome::Waiting => waiting += 1,
                Outcome::Running => running += 1,
                _ => {}
            }
        }
        (running, waiting)
    }

    /// Starts a job.
    pub(crate) fn start(
        app: &Arc<App>,
        request: job::Request,
        prepared: Prepared,
    ) -> Result<Arc<Job>, Problem> {
        let limits = &app.config.limits;
        let jobs = app.jobs.clone();
        jobs.forget(limits.keep);
        let run = Run::new(request.threads, Ram::limited(limits.ram_of_job()));
        let job = Arc::new(Job::new(request, run));
        {
            let mut all = jobs.lock();
            let open = all.values().filter(|job| !job.outcome().is_final()).count();
            if open >= limits.jobs + limits.waiting_jobs {
                return Err(Problem::busy(
                    "the queue of jobs is full: repeat the request later",
                ));
            }
            all.insert(job.id.clone(), job.clone());
        }
        let (app, started) = (app.clone(), job.clone());
        tokio::spawn(async move { jobs.run(&app, started, prepared).await });
        if job.request.attended {
            tokio::spawn(end_unattended(job.clone()));
        }
        Ok(job)
    }

    async fn run(&self, app: &Arc<App>, job: Arc<Job>, prepared: Prepared) {
        let threads = job.request.threads as u32;
        let permits = async {
            let running = self.running.clone().acquire_owned().await;
            let threads = self.threads.clone().acquire_many_owned(threads).await;
            (running, threads)
        };
        let permits = tokio::select! {
            permits = permits => permits,
            () = job.cancelled() => return job.finish(Outcome::Cancelled),
            () = app.closed() => return job.finish(Outcome::Cancelled),
        };
        job.begin();
        let (run, worker, owner) = (job.run.clone(), job.clone(), app.clone());
        let task = tokio::task::spawn_blocking(move || {
            let _permits = permits;
            match prepared(&run, &mut |update| worker.push(&update)) {
                Ok(answer) => owner.jobs.hold(answer, &owner.traffic),
                Err(_) if run.stop.is_raised() => Outcome::Cancelled,
                Err(error) => Outcome::Failed(error.into()),
            }
        });
        let ended = tokio::select! {
            biased;
            ended = task => {
                ended.unwrap_or_else(|panic| Outcome::Failed(Problem::internal(panic.to_string())))
            }
            () = app.closed() => {
                job.cancel();
                Outcome::Cancelled
            }
        };
        if let (Some(store), true) = (&self.store, ended.is_worth_storing()) {
            let (store, job, record) = (store.clone(), job.clone(), job.json(&ended));
            let save = move || store.save(&job.id, &record);
            let saved = tokio::task::spawn_blocking(save).await;
            match saved {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::error!(%error, "a result was not stored"),
                Err(error) => tracing::error!(%error, "a result was not stored"),
            }
        }
        job.finish(ended);
        self.forget(app.config.limits.keep);
    }

    /// The outcome of a job with an answer; the oldest results make way for it.
    fn hold(&self, answer: JsonAnswer, traffic: &Ram) -> Outcome {
        while traffic.left() < answer.json.capacity() as u64 && self.forget_oldest() {}
        match sendable(answer, traffic) {
            Ok(answer) => Outcome::Done(answer),
            Err(problem) => Outcome::Failed(problem),
        }
    }

    /// Removes the oldest result; false where there is none.
    fn forget_oldest(&self) -> bool {
        let mut jobs = self.lock();
        let ended = jobs.values().filter_map(|job| Some((job.age()?, &job.id)));
        let oldest = ended.max().map(|(_, id)| id.clone());
        oldest.is_some_and(|id| jobs.remove(&id).is_some())
    }

    /// Removes results that are old, and the oldest where there are too many.
    pub(crate) fn forget(&self, keep: Duration) {
        let mut jobs = self.lock();
        jobs.retain(|_, job| job.age().is_none_or(|age| age < keep));
        let mut ended: Vec<_> = (jobs.values())
            .filter_map(|job| Some((job.age()?, job.id.clone(), job.bytes())))
            .collect();
        ended.sort();
        let mut bytes = 0;
        for (i, (_, id, size)) in ended.into_iter().enumerate() {
            bytes += size;
            if i >= MOST_KEPT || (i > 0 && bytes > self.most_bytes) {
                jobs.remove(&id);
            }
        }
    }
}

/// Cancels a job that nobody watches.
async fn end_unattended(job: Arc<Job>) {
    let mut grace = FIRST_WATCHER;
    while !job.outcome().is_final() {
        let watched = job.watched();
        if watched {
            job.unwatched().await;
            grace = LAST_WATCHER;
            continue;
        }
        tokio::select! {
            () = tokio::time::sleep(grace) => {
                if job.watchers() == 0 {
                    job.cancel();
                    return;
                }
            }
            () = job.changed_watchers() => {}
        }
    }
}
