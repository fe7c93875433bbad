//! The addresses of jobs.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::app::App;
use crate::job::{Job, Record, Request};
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
    /// Threads that may work on it; by default all, divided by the number of jobs that run at the same time.
    #[serde(default)]
    threads: Option<usize>,
    /// Whether the job is cancelled when nobody watches its events.
    #[serde(default)]
    attended: bool,
}

/// Starts a job.
pub(crate) async fn start(
    State(app): State<Arc<App>>,
    Body(body): Body,
) -> Result<Response, Problem> {
    let start: Start =
        serde_json::from_slice(&body).map_err(|e| Problem::input(None, e.to_string()))?;
    let command = app.commands.find(&start.command)?;
    let limits = &app.config.limits;
    let threads = match start.threads {
        None => (limits.threads / limits.jobs.max(1)).max(1),
        Some(n) if (1..=limits.threads).contains(&n) => n,
        Some(n) => {
            let line = format!("cannot use {n} threads: expected 1 to {}", limits.threads);
            return Err(Problem::input(Some("threads"), line));
        }
    };
    let request = start.request.unwrap_or_else(|| serde_json::json!({}));
    let prepared = {
        let (site, command) = (app.config.site.clone(), command.clone());
        let json = request.to_string();
        crate::direct::work(&app, 1, move |_| command.prepare(json.as_bytes(), &site)).await??
    };
    let request = Request {
        command: command.schema.command,
        request,
        threads,
        attended: start.attended,
    };
    let job = Jobs::start(&app, request, prepared)?;
    let place = format!("/api/v1/jobs/{}", job.id);
    let mut response = (StatusCode::ACCEPTED, Json(job.now())).into_response();
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

fn find(app: &App, id: &str) -> Result<Arc<Job>, Problem> {
    (app.jobs.find(id)).ok_or_else(|| Problem::not_found("no such job, or it is too old"))
}

/// A job as it is now.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<Record>, Problem> {
    Ok(Json(find(&app, &id)?.now()))
}

/// Cancels a job.
pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let job = find(&app, &id)?;
    job.cancel();
    Ok((StatusCode::ACCEPTED, Json(job.now())).into_response())
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
    Ok(([(header::CACHE_CONTROL, "no-store")], stream).into_response())
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
