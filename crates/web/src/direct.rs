//! Requests that are answered at once.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use everymove_api::Error;
use everymove_api::catalogue::served;
use everymove_api::command::{Command, JsonAnswer};
use everymove_kernel::run::{Ram, Reservation, Run, Stop};
use everymove_kernel::text::shown;
use serde::Deserialize;

use crate::app::App;
use crate::problem::{Body, Problem};

/// The part of a request that is not in its body.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Threads {
    /// Threads that may work on the answer; 1 by default.
    threads: Option<usize>,
}

/// Answers a request within the time limit, or refuses it.
pub(crate) async fn answer(
    State(app): State<Arc<App>>,
    Path(path): Path<String>,
    threads: Result<Query<Threads>, QueryRejection>,
    body: Body,
) -> Result<Response, Problem> {
    let command = served_command(&path.replace('/', " "))?;
    let Query(Threads { threads }) =
        threads.map_err(|e| Problem::input(Some("threads"), e.body_text()))?;
    let threads = threads.unwrap_or(1).clamp(1, app.config.limits.threads);
    let site = app.config.site.clone();
    let traffic = app.traffic.clone();
    let ask = move |run: &Run| {
        let read = reserve_values(&body.bytes, run)?;
        let prepared = command.prepare(&body.bytes, Some(&site))?;
        drop(read);
        sendable(prepared(run, &mut |_| {})?, &traffic)
    };
    let json = work(&app, threads, ask).await??;
    let kind = [(header::CONTENT_TYPE, "application/json")];
    Ok((StatusCode::OK, kind, json).into_response())
}

/// The command of a name, such as `tours count`.
pub(crate) fn served_command(name: &str) -> Result<&'static Command, Problem> {
    served()
        .find(|command| command.name == name)
        .ok_or_else(|| {
            let mut names: Vec<_> = served().map(|command| command.name).collect();
            names.sort_unstable();
            let names = names.join(", ");
            Problem::not_found(format!("no command '{}': expected {names}", shown(name)))
        })
}

/// Takes the memory of the values that some JSON may become.
pub(crate) fn reserve_values(json: &[u8], run: &Run) -> Result<Reservation, Error> {
    let values = json.iter().filter(|byte| b",:[{".contains(byte)).count();
    let bytes = json.len() + VALUE * values;
    Ok(run.ram.reserve("the request", bytes as u64)?)
}

/// The most bytes that a value of JSON takes beside its text.
const VALUE: usize = 96;

/// An answer whose bytes are taken from the memory of traffic until the last of them is sent or
/// forgotten.
pub(crate) fn sendable(answer: JsonAnswer, traffic: &Ram) -> Result<Bytes, Problem> {
    let bytes = answer.json.capacity() as u64;
    Ram::limited(traffic.limit())
        .require(ANSWER, bytes)
        .map_err(Error::from)?;
    let held = traffic.reserve(ANSWER, bytes);
    let held = held.map_err(|_| Problem::busy("too many answers wait for their readers"))?;
    Ok(Bytes::from_owner(Held {
        json: answer.json,
        _held: held,
    }))
}

/// What the memory of an answer is called in a refusal.
const ANSWER: &str = "the answer";

/// Bytes with the memory that they take.
struct Held {
    json: Vec<u8>,
    _held: Reservation,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.json
    }
}

/// Does some work on a thread of its own, with the limits of a direct request. The work is stopped
/// where it takes too long, the client leaves or the server is stopped.
pub(crate) async fn work<T: Send + 'static>(
    app: &App,
    threads: usize,
    work: impl FnOnce(&Run) -> T + Send + 'static,
) -> Result<T, Problem> {
    let limits = &app.config.limits;
    let permit = (app.direct.enter(threads, limits.patience).await).map_err(|_| busy())?;
    let run = Run::new(threads, Ram::limited(limits.ram_of_request()));
    let _guard = StopOnDrop(run.stop.clone());
    let task = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        work(&run)
    });
    tokio::select! {
        done = tokio::time::timeout(limits.time, task) => match done {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(panic)) => Err(Problem::internal(panic.to_string())),
            Err(_) => Err(too_slow(limits.time.as_secs())),
        },
        () = app.closed() => Err(Problem::stopped()),
    }
}

fn busy() -> Problem {
    Problem::busy("all threads are in use: repeat the request later")
}

fn too_slow(seconds: u64) -> Problem {
    let title = "The answer takes longer than a direct request may";
    let detail = format!(
        "not answered within {seconds} s: start it as a job (POST /api/v1/jobs), which has no such limit"
    );
    Problem::new(StatusCode::GATEWAY_TIMEOUT, "time-limit", title, detail)
}

/// Raises a stop flag when it is dropped: at the end of the work, and where the client leaves.
pub(crate) struct StopOnDrop(pub(crate) Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.raise();
    }
}

#[cfg(test)]
mod tests {
    use everymove_api::Outcome;

    use super::*;

    #[test]
    fn answers_that_are_being_sent_are_limited_together() {
        let traffic = Ram::limited(1000);
        let send = |bytes: usize| {
            let run = Run::serial();
            let answer = JsonAnswer {
                outcome: Outcome::Yes,
                json: vec![b'1'; bytes],
                held: run.ram.reserve("an answer", bytes as u64).unwrap(),
            };
            sendable(answer, &traffic).map_err(|problem| (problem.status, problem.retry_after))
        };
        let first = send(600).unwrap();
        assert_eq!(first.len(), 600);
        assert_eq!(send(600), Err((503, Some(1))));
        assert_eq!(send(400).unwrap().len(), 400);
        let part = first.slice(1..);
        drop(first);
        assert_eq!(send(401), Err((503, Some(1))), "a part is not sent yet");
        drop(part);
        assert_eq!(send(1000).unwrap().len(), 1000);
        for bytes in [1001, 2000, 1 << 20] {
            assert_eq!(send(bytes), Err((422, None)));
        }
        assert_eq!(traffic.used(), 0);
    }

    #[test]
    fn what_json_may_become_is_reserved() {
        let of = |json: &str, limit| {
            let run = Run::new(1, Ram::limited(limit));
            reserve_values(json.as_bytes(), &run).is_ok()
        };
        let long = format!("\"{}\"", "a".repeat(9_998));
        assert!(of(&long, 10_000) && !of(&long, 9_999));
        for open in ["[", "{\"\":", "0,", "[[],", "{\"a\":{"] {
            assert!(!of(&open.repeat(1000), 50_000), "{open}");
        }
    }
}
