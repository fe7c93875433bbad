//! The events of a job: `progress`, `line` for intermediate results, and `done`, after which the stream ends.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{Stream, StreamExt, unfold};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;

use crate::app::App;
use crate::job::{Job, Progress, Watcher};

/// How often the progress is looked at.
const INTERVAL: Duration = Duration::from_millis(250);

/// The identifier of the last event; a client that reconnects with it is told to stay away.
pub(crate) const LAST: &str = "end";

/// The events of a job, after the intermediate result with the number `seen`.
pub(crate) fn stream(
    app: Arc<App>,
    job: Arc<Job>,
    seen: u64,
    permit: OwnedSemaphorePermit,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
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
        Some((futures_util::stream::iter(batch), state))
    });
    Sse::new(batches.flatten().map(Ok)).keep_alive(KeepAlive::new().interval(INTERVAL * 20))
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
    async fn next(&mut self) -> Option<Vec<Event>> {
        loop {
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
    }

    fn batch(&mut self) -> Vec<Event> {
        // The outcome is read before the results, so that none is missed at the end.
        let outcome = self.job.outcome();
        self.versions.mark_unchanged();
        let mut events = Vec::new();
        for (number, update) in self.job.updates_after(self.seen) {
            self.seen = number;
            events.extend(event("line", &*update).map(|event| event.id(number.to_string())));
        }
        if outcome.is_final() {
            self.ended = true;
            events.extend(event("done", &self.job.now()).map(|event| event.id(LAST)));
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
            events.extend(event("progress", &shown));
            self.progress = Some(progress);
        }
        events
    }
}

fn event(name: &str, data: &impl Serialize) -> Option<Event> {
    Event::default().event(name).json_data(data).ok()
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
