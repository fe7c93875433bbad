//! The events of a job: `progress`, `line` for intermediate results, and `done`, after which the
//! stream ends.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use everymove_api::site::Progress;
use futures_util::stream::{Stream, StreamExt, iter, unfold};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;

use crate::app::App;
use crate::job::{Job, Watcher};

/// How often the progress is looked at.
const INTERVAL: Duration = Duration::from_millis(250);

/// After this many looks without an event a comment is sent, so that proxies keep the connection.
const SILENT: u32 = 20;

/// The identifier of the last event; a client that reconnects with it is told to stay away.
pub(crate) const LAST: &str = "end";

/// The events of a job, after the intermediate result with the number `seen`.
pub(crate) fn stream(
    app: Arc<App>,
    job: Arc<Job>,
    seen: u64,
    permit: OwnedSemaphorePermit,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let state = Watching {
        _watcher: job.watch(),
        _permit: permit,
        versions: job.versions(),
        app,
        job,
        seen,
        progress: None,
        pace: Pace::default(),
        ended: false,
    };
    let batches = unfold(state, async |mut state| {
        let batch = state.next().await?;
        Some((iter(batch), state))
    });
    batches.flatten().map(Ok)
}

struct Watching {
    _watcher: Watcher,
    _permit: OwnedSemaphorePermit,
    versions: tokio::sync::watch::Receiver<u64>,
    app: Arc<App>,
    job: Arc<Job>,
    seen: u64,
    progress: Option<Progress>,
    pace: Pace,
    ended: bool,
}

impl Watching {
    /// The next events; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Vec<Bytes>> {
        for _ in 0..SILENT {
            if self.ended {
                return None;
            }
            let batch = self.batch();
            if !batch.is_empty() {
                return Some(batch);
            }
            tokio::select! {
                _ = self.versions.changed() => {}
                () = tokio::time::sleep(INTERVAL) => {}
                () = self.app.closed() => return None,
            }
        }
        Some(vec![Bytes::from_static(b":\n\n")])
    }

    fn batch(&mut self) -> Vec<Bytes> {
        // The outcome is read before the results, so that none is missed at the end.
        let outcome = self.job.outcome();
        self.versions.mark_unchanged();
        let mut events = Vec::new();
        for (number, update) in self.job.updates_after(self.seen) {
            self.seen = number;
            events.extend(event("line", &number.to_string(), [update]));
        }
        if outcome.is_final() {
            self.ended = true;
            events.extend(event("done", LAST, self.job.json(&outcome)));
            return events;
        }
        let mut progress = self.job.progress();
        if progress.seconds_left.is_none() {
            progress.seconds_left = self.pace.left(&progress);
        }
        if self.progress.as_ref() != Some(&progress) {
            #[derive(Serialize)]
            struct Shown<'a> {
                state: &'static str,
                #[serde(flatten)]
                progress: &'a Progress,
            }
            let shown = Shown {
                state: outcome.name(),
                progress: &progress,
            };
            let shown = serde_json::to_vec(&shown).unwrap_or_default();
            events.extend(event("progress", "", [shown.into()]));
            self.progress = Some(progress);
        }
        events
    }
}

/// The parts of an event whose data are one line of JSON; an event without an identifier leaves
/// that of the one before.
fn event(
    name: &str,
    id: &str,
    data: impl IntoIterator<Item = Bytes>,
) -> impl Iterator<Item = Bytes> {
    let id = match id {
        "" => String::new(),
        id => format!("id: {id}\n"),
    };
    let head = Bytes::from(format!("event: {name}\n{id}data: "));
    let end = Bytes::from_static(b"\n\n");
    [head].into_iter().chain(data).chain([end])
}

/// Estimates the time left in a phase, if its parts take equal times.
#[derive(Debug, Default)]
struct Pace {
    phase: Option<(String, Instant, u64)>,
}

impl Pace {
    /// Seconds left; `None` until two seconds and a twentieth of the phase have passed.
    fn left(&mut self, now: &Progress) -> Option<f64> {
        let known = (self.phase.as_ref())
            .filter(|(what, _, done)| *what == now.what && *done <= now.done)
            .map(|(_, begin, done)| (*begin, *done));
        let (begin, first) = known.unwrap_or_else(|| {
            let begin = Instant::now();
            self.phase = Some((now.what.clone(), begin, now.done));
            (begin, now.done)
        });
        let (seconds, done) = (begin.elapsed().as_secs_f64(), now.done - first);
        let enough = seconds > 2.0 && done >= 3 && done * 20 >= now.total;
        let left = now.total.saturating_sub(now.done);
        (enough && left > 0).then(|| (seconds / done as f64 * left as f64).round())
    }
}
