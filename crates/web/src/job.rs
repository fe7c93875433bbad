//! One job.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use everymove_api::site::Progress;
use everymove_kernel::run::{Reservation, Run};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::problem::Problem;

/// Intermediate results that are kept for those who come late.
const MOST_UPDATES: usize = 512;

/// Bytes of them.
const MOST_UPDATE_BYTES: usize = 256 << 10;

/// What is to be done.
#[derive(Debug)]
pub(crate) struct Request {
    /// The command: `tours count`.
    pub(crate) command: &'static str,
    /// Its request.
    pub(crate) request: Box<RawValue>,
    /// Threads that may work.
    pub(crate) threads: usize,
    /// Whether the job ends when nobody watches its events.
    pub(crate) attended: bool,
    /// The memory of the request; `None` for a job of before the start.
    pub(crate) _held: Option<Reservation>,
}

/// How far a job is.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// It waits for threads.
    Waiting,
    /// It is being worked on.
    Running,
    /// Its answer in its envelope.
    Done(Bytes),
    /// Why it has no answer.
    Failed(Problem),
    /// It was stopped by a request, or because nobody watched it, or with the server.
    Cancelled,
}

impl Outcome {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done(_) => "done",
            Self::Failed(_) => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    pub(crate) fn is_final(&self) -> bool {
        !matches!(self, Self::Waiting | Self::Running)
    }

    pub(crate) fn is_worth_storing(&self) -> bool {
        matches!(self, Self::Done(_) | Self::Failed(_))
    }
}

/// One job.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) id: String,
    pub(crate) request: Request,
    pub(crate) run: Run,
    /// Seconds since 1970.
    pub(crate) created: f64,
    state: Mutex<State>,
    /// Raised by one at every change of the state.
    version: watch::Sender<u64>,
    cancel: watch::Sender<bool>,
    watchers: watch::Sender<usize>,
}

#[derive(Debug)]
struct State {
    outcome: Outcome,
    begun: Option<Instant>,
    ended: Option<Instant>,
    /// Intermediate results with their numbers, from 1.
    updates: VecDeque<(u64, Bytes)>,
    /// Their bytes.
    update_bytes: usize,
    pushed: u64,
}

/// A job as it is shown and stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) command: String,
    pub(crate) request: Box<RawValue>,
    pub(crate) state: String,
    pub(crate) threads: usize,
    /// Seconds since 1970.
    pub(crate) created: f64,
    /// Seconds of work so far.
    pub(crate) seconds: f64,
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(crate) progress: Option<Progress>,
    /// Written by [`Job::json`], which does not copy it.
    #[serde(default, skip_serializing)]
    pub(crate) answer: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<Problem>,
}

impl Job {
    pub(crate) fn new(request: Request, run: Run) -> Self {
        let created = SystemTime::now().duration_since(UNIX_EPOCH);
        Self::with(
            identifier(),
            request,
            run,
            created.unwrap_or_default().as_secs_f64(),
        )
    }

    fn with(id: String, request: Request, run: Run, created: f64) -> Self {
        Self {
            id,
            request,
            run,
            created,
            state: Mutex::new(State {
                outcome: Outcome::Waiting,
                begun: None,
                ended: None,
                updates: VecDeque::new(),
                update_bytes: 0,
                pushed: 0,
            }),
            version: watch::Sender::new(0),
            cancel: watch::Sender::new(false),
            watchers: watch::Sender::new(0),
        }
    }

    /// A job whose result was stored; `None` for a command that is no longer answered.
    pub(crate) fn stored(record: Record, command: &'static str) -> Option<Self> {
        let outcome = match (record.answer, record.problem) {
            (Some(answer), _) => {
                Outcome::Done(Box::<str>::from(answer).into_string().into_bytes().into())
            }
            (None, Some(problem)) => Outcome::Failed(problem),
            (None, None) => return None,
        };
        let request = Request {
            command,
            request: record.request,
            threads: record.threads,
            attended: false,
            _held: None,
        };
        let job = Self::with(record.id, request, Run::serial(), record.created);
        {
            let now = Instant::now();
            let mut state = job.lock();
            let seconds = Duration::try_from_secs_f64(record.seconds).unwrap_or_default();
            state.begun = Some(now.checked_sub(seconds).unwrap_or(now));
            state.ended = Some(now);
            state.outcome = outcome;
        }
        Some(job)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.lock().outcome.clone()
    }

    pub(crate) fn begin(&self) {
        let mut state = self.lock();
        state.outcome = Outcome::Running;
        state.begun = Some(Instant::now());
        drop(state);
        self.changed();
    }

    pub(crate) fn finish(&self, outcome: Outcome) {
        let mut state = self.lock();
        state.outcome = outcome;
        state.ended = Some(Instant::now());
        drop(state);
        self.changed();
    }

    /// Adds an intermediate result.
    pub(crate) fn push(&self, update: &Value) {
        let update = Bytes::from(update.to_string());
        let mut state = self.lock();
        state.pushed += 1;
        state.update_bytes += update.len();
        let number = state.pushed;
        state.updates.push_back((number, update));
        while state.updates.len() > MOST_UPDATES || state.update_bytes > MOST_UPDATE_BYTES {
            let Some((_, first)) = state.updates.pop_front() else {
                break;
            };
            state.update_bytes -= first.len();
        }
        drop(state);
        self.changed();
    }

    /// The intermediate results after a number.
    pub(crate) fn updates_after(&self, number: u64) -> Vec<(u64, Bytes)> {
        let state = self.lock();
        let new = state.updates.iter().filter(|(n, _)| *n > number);
        new.cloned().collect()
    }

    /// Stops the work.
    pub(crate) fn cancel(&self) {
        self.run.stop.raise();
        self.cancel.send_replace(true);
    }

    /// Ends once the job is cancelled.
    pub(crate) async fn cancelled(&self) {
        let _ = self
            .cancel
            .subscribe()
            .wait_for(|cancelled| *cancelled)
            .await;
    }

    /// Reports every change of the state.
    pub(crate) fn versions(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    pub(crate) fn watchers(&self) -> usize {
        *self.watchers.borrow()
    }

    pub(crate) fn watched(&self) -> bool {
        self.watchers() > 0
    }

    /// Ends once nobody watches.
    pub(crate) async fn unwatched(&self) {
        let _ = self.watchers.subscribe().wait_for(|n| *n == 0).await;
    }

    /// Ends once somebody begins or ends to watch.
    pub(crate) async fn changed_watchers(&self) {
        let _ = self.watchers.subscribe().changed().await;
    }

    /// Counts as a watcher until the result is dropped.
    pub(crate) fn watch(self: &Arc<Self>) -> Watcher {
        self.watchers.send_modify(|n| *n += 1);
        Watcher(self.clone())
    }

    /// The time since the job ended; `None` while it has not.
    pub(crate) fn age(&self) -> Option<Duration> {
        Some(self.lock().ended?.elapsed())
    }

    /// Bytes of the request, the intermediate results and the result.
    pub(crate) fn bytes(&self) -> usize {
        let state = self.lock();
        let answer = match &state.outcome {
            Outcome::Done(answer) => answer.len(),
            _ => 0,
        };
        self.request.request.get().len() + state.update_bytes + answer
    }

    fn seconds(&self) -> f64 {
        let state = self.lock();
        let begun = state.begun;
        let end = state.ended.unwrap_or_else(Instant::now);
        begun.map_or(0.0, |begun| (end - begun).as_secs_f64())
    }

    /// How far the work is, as the work itself counts it.
    pub(crate) fn progress(&self) -> Progress {
        self.run.progress.snapshot().into()
    }

    /// The record of the job with an outcome that it may not have yet, as the parts of its JSON: an
    /// answer may be long and is not copied.
    pub(crate) fn json(&self, outcome: &Outcome) -> Vec<Bytes> {
        let record = self.record(outcome);
        let mut head = serde_json::to_vec(&record).unwrap_or_default();
        let Outcome::Done(answer) = outcome else {
            return vec![head.into()];
        };
        head.pop();
        head.extend_from_slice(br#","answer":"#);
        vec![head.into(), answer.clone(), Bytes::from_static(b"}")]
    }

    fn record(&self, outcome: &Outcome) -> Record {
        let problem = match outcome {
            Outcome::Failed(problem) => Some(problem.clone()),
            _ => None,
        };
        Record {
            id: self.id.clone(),
            command: self.request.command.to_owned(),
            request: self.request.request.clone(),
            state: outcome.name().to_owned(),
            threads: self.request.threads,
            created: self.created,
            seconds: self.seconds(),
            progress: matches!(outcome, Outcome::Running).then(|| self.progress()),
            answer: None,
            problem,
        }
    }

    /// The job as it is now.
    pub(crate) fn now(&self) -> Vec<Bytes> {
        self.json(&self.outcome())
    }
}

/// One who watches the events of a job.
#[derive(Debug)]
pub(crate) struct Watcher(Arc<Job>);

impl Drop for Watcher {
    fn drop(&mut self) {
        self.0.watchers.send_modify(|n| *n -= 1);
    }
}

/// 128 random bits in hexadecimal, so that nobody guesses the identifier of another's job. The keys
/// of `RandomState` come from the system's random numbers, and the hash of a counter under them is
/// not predictable without the keys.
fn identifier() -> String {
    let half = |n: u64| {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u64(n);
        hasher.finish()
    };
    format!("{:016x}{:016x}", half(1), half(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        let request = Request {
            command: "tours count",
            request: RawValue::from_string("{}".to_owned()).unwrap(),
            threads: 1,
            attended: false,
            _held: None,
        };
        Job::new(request, Run::serial())
    }

    #[test]
    fn intermediate_results_are_limited_by_number_and_bytes() {
        for (length, number) in [(1, 2000), (1000, 1000), (100_000, 9), (300_000, 1)] {
            let job = job();
            for _ in 0..number {
                job.push(&Value::from("a".repeat(length)));
            }
            let kept = job.updates_after(0);
            let bytes: usize = kept.iter().map(|(_, update)| update.len()).sum();
            assert_eq!(job.bytes(), bytes + 2);
            assert!(bytes <= MOST_UPDATE_BYTES && kept.len() <= MOST_UPDATES);
            let all = (MOST_UPDATE_BYTES / (length + 2)).min(MOST_UPDATES);
            let numbers: Vec<_> = kept.iter().map(|(number, _)| *number).collect();
            let first = number - all.min(number as usize) as u64 + 1;
            assert_eq!(numbers, (first..=number).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_answer_is_part_of_the_record() {
        let job = job();
        let answer = Outcome::Done(Bytes::from_static(br#"{"count":"8"}"#));
        let json = job.json(&answer).concat();
        let record: Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(record["state"], "done");
        assert_eq!(record["answer"]["count"], "8");
        let stored: Record = serde_json::from_slice(&json).unwrap();
        let stored = Job::stored(stored, "tours count").unwrap();
        let again: Value = serde_json::from_slice(&stored.now().concat()).unwrap();
        for field in ["id", "command", "request", "state", "threads", "answer"] {
            assert_eq!(again[field], record[field], "{field}");
        }
        let waits: Value = serde_json::from_slice(&job.now().concat()).unwrap();
        assert_eq!(waits["state"], "waiting");
        assert!(waits.get("answer").is_none());
    }
}
