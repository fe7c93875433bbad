//! Addresses and layers.

use std::any::Any;
use std::sync::Arc;

use axum::Router;
use axum::body::HttpBody;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};
use tower_http::csrf::{CsrfLayer, ProtectionError};
use tower_http::timeout::RequestBodyDeadlineLayer;

use crate::app::App;
use crate::guard::{self, Hosts};
use crate::job_routes as jobs;
use crate::problem::Problem;
use crate::{assets, direct, metrics, openapi, pages, reports, standard, tables};

/// All addresses with their layers, the outermost last.
pub(crate) fn router(app: Arc<App>) -> Router {
    let limits = app.config.limits.clone();
    let hosts = Hosts::new(&app.config.hosts);
    let mut router = Router::new();
    for page in &pages::PAGES {
        router = router.route(&page.path(), get(pages::serve));
    }
    router
        .route("/assets/{*name}", get(assets::serve))
        .route("/favicon.ico", get(assets::favicon))
        .route("/standard", get(standard::position))
        .route("/standard/mainline", get(standard::mainline))
        .route("/metrics", get(metrics::serve))
        .route("/api/openapi.json", get(openapi::serve))
        .route("/api/v1/jobs", post(jobs::start).get(jobs::summary))
        .route("/api/v1/jobs/{id}", get(jobs::show).delete(jobs::cancel))
        .route("/api/v1/jobs/{id}/events", get(jobs::watch))
        .route("/api/v1/lab/reports", get(reports::list))
        .route("/api/v1/lab/reports/{id}", get(reports::show))
        .route("/lab/reports/{id}/{file}", get(reports::file))
        .route("/api/v1/tables", get(tables::list))
        .route("/api/v1/{*command}", post(direct::answer))
        .fallback(not_found)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(limits.body))
        .layer(RequestBodyDeadlineLayer::new(limits.body_time))
        .layer(from_fn(move |request: Request, next: Next| {
            guard::announced_length(limits.body, request, next)
        }))
        .layer(from_fn(guard::json_only))
        .layer(CompressionLayer::new().compress_when(DefaultPredicate::new().and(IsShort)))
        .layer(CsrfLayer::new().with_rejection_response(cross_site))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(app.clone(), guard::observe))
        .with_state(app)
        .layer(from_fn_with_state(hosts, guard::host))
}

/// Only short bodies are compressed: it is done by the threads that serve all connections.
#[derive(Clone, Copy)]
struct IsShort;

impl Predicate for IsShort {
    fn should_compress<B: HttpBody>(&self, response: &Response<B>) -> bool {
        let most = response.body().size_hint().upper();
        most.is_some_and(|bytes| bytes <= MOST_COMPRESSED)
    }
}

/// The longest body that is compressed, in bytes: the description of the interface is shorter.
const MOST_COMPRESSED: u64 = 256 << 10;

async fn not_found() -> Problem {
    Problem::not_found("no such address")
}

async fn wrong_method() -> Problem {
    let status = StatusCode::METHOD_NOT_ALLOWED;
    let detail = "this address does not answer requests of this method";
    Problem::new(status, "method", "Wrong method", detail)
}

fn cross_site(_: ProtectionError) -> Response {
    let detail = "requests that change something are accepted from the server's own pages and from programs only";
    Problem::new(
        StatusCode::FORBIDDEN,
        "cross-site",
        "The request comes from another site",
        detail,
    )
    .into_response()
}

fn panicked(_: Box<dyn Any + Send>) -> Response {
    Problem::internal("a fault of the program; the request was not answered").into_response()
}
