//! Requests that are answered at once.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use everymove_api::Error;
use everymove_api::remote::RemoteAnswer;
use everymove_kernel::run::{Ram, Run, Stop};
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
    Body(body): Body,
) -> Result<Response, Problem> {
    let command = app.commands.find(&path.replace('/', " "))?;
    let Query(Threads { threads }) =
        threads.map_err(|e| Problem::input(Some("threads"), e.body_text()))?;
    let threads = threads.unwrap_or(1).clamp(1, app.config.limits.threads);
    let site = app.config.site.clone();
    let ask = move |run: &Run| command.prepare(&body, &site)?(run, &mut |_| {});
    Ok(json(work(&app, threads, ask).await??))
}

/// An answer as a response.
fn json(answer: RemoteAnswer) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::OK, kind, answer.json).into_response()
}

/// Does some work on a thread of its own, with the limits of a direct request. The work is stopped where it takes too
/// long, the client leaves or the server is stopped.
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

/// What a request comes to.
pub(crate) type Answered = Result<RemoteAnswer, Error>;
