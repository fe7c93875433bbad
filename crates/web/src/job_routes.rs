//! The addresses of jobs.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use everymove_api::command::Prepared;
use everymove_kernel::run::Run;
use futures_util::stream::iter;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::app::App;
use crate::direct::{reserve_values, served_command, work};
use crate::job::{Job, Request};
use crate::job_events as events;
use crate::jobs::Jobs;
use crate::problem::{Body, Problem};

/// What starts a job.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    /// The command: `tours count`.
    command: String,
    /// Its request.
    #[serde(default)]
    request: Option<Value>,
    /// Threads that may work on it; by default all, divided by the number of jobs that run at the
    /// same time.
    #[serde(default)]
    threads: Option<usize>,
    /// Whether the job is cancelled when nobody watches its events.
    #[serde(default)]
    attended: bool,
}

/// Starts a job.
pub(crate) async fn start(State(app): State<Arc<App>>, body: Body) -> Result<Response, Problem> {
    let checks = app.clone();
    let (request, prepared) = work(&app, 1, move |run| check(&checks, body, run)).await??;
    let job = Jobs::start(&app, request, prepared)?;
    let place = format!("/api/v1/jobs/{}", job.id);
    let mut response = (StatusCode::ACCEPTED, json(job.now())).into_response();
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

/// Reads and checks what starts a job.
fn check(app: &App, body: Body, run: &Run) -> Result<(Request, Prepared), Problem> {
    let read = reserve_values(&body.bytes, run)?;
    let start: Start =
        everymove_api::json::read(&body.bytes).map_err(|e| Problem::input(None, e.to_string()))?;
    let command = served_command(&start.command)?;
    let limits = &app.config.limits;
    let threads = match start.threads {
        None => (limits.threads / limits.jobs.max(1)).max(1),
        Some(n) if (1..=limits.threads).contains(&n) => n,
        Some(n) => {
            let line = format!("cannot use {n} threads: expected 1 to {}", limits.threads);
            return Err(Problem::input(Some("threads"), line));
        }
    };
    // Written anew: in one line.
    let request = start
        .request
        .map_or_else(|| "{}".to_owned(), |r| r.to_string());
    drop(read);
    let read = reserve_values(request.as_bytes(), run)?;
    let prepared = command.prepare(request.as_bytes(), Some(&app.config.site))?;
    drop(read);
    let request = RawValue::from_string(request).map_err(|e| Problem::internal(e.to_string()))?;
    let request = Request {
        command: command.name,
        request,
        threads,
        attended: start.attended,
        _held: Some(body.held),
    };
    Ok((request, prepared))
}

/// JSON in parts, which are not copied.
fn json(parts: Vec<Bytes>) -> impl IntoResponse {
    let length: usize = parts.iter().map(Bytes::len).sum();
    let fields = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (header::CONTENT_LENGTH, HeaderValue::from(length)),
    ];
    let parts = parts.into_iter().map(Ok::<_, Infallible>);
    (fields, axum::body::Body::from_stream(iter(parts)))
}

fn find(app: &App, id: &str) -> Result<Arc<Job>, Problem> {
    (app.jobs.find(id)).ok_or_else(|| Problem::not_found("no such job, or it is too old"))
}

/// A job as it is now.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    Ok(json(find(&app, &id)?.now()).into_response())
}

/// Cancels a job.
pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let job = find(&app, &id)?;
    job.cancel();
    Ok((StatusCode::ACCEPTED, json(job.now())).into_response())
}

/// The events of a job.
pub(crate) async fn watch(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let job = find(&app, &id)?;
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    if last == Some(events::LAST) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let seen = last.and_then(|id| id.parse().ok()).unwrap_or(0);
    let permit = (app.streams.clone().try_acquire_owned())
        .map_err(|_| Problem::busy("too many event streams are open"))?;
    let stream = events::stream(app.clone(), job, seen, permit);
    let fields = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((fields, axum::body::Body::from_stream(stream)).into_response())
}

/// How many jobs there are.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    running: usize,
    waiting: usize,
}

/// How many jobs run and wait. Identifiers are not listed: who started a job has its identifier.
pub(crate) async fn summary(State(app): State<Arc<App>>) -> Json<Summary> {
    let (running, waiting) = app.jobs.counts();
    Json(Summary { running, waiting })
}
