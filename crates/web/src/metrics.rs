//! Counters as Prometheus reads them.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use everymove_kernel::machine;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use crate::app::App;
use crate::problem::Problem;

/// What a request was and how it ended. Labels have few values, whatever is requested.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    route: String,
    status: u16,
}

/// Counters of the server.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    seconds: Histogram,
    /// Open connections.
    pub(crate) connections: Gauge,
    /// Connections refused or closed because there were too many.
    pub(crate) refused: Counter,
    threads: Gauge,
    queued: Gauge,
    running: Gauge,
    waiting: Gauge,
    cpu: Gauge<f64, AtomicU64>,
    memory: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("everymove");
        let metrics = Self {
            requests: Family::default(),
            seconds: Histogram::new(exponential_buckets(1e-4, 4.0, 9)),
            connections: Gauge::default(),
            refused: Counter::default(),
            threads: Gauge::default(),
            queued: Gauge::default(),
            running: Gauge::default(),
            waiting: Gauge::default(),
            cpu: Gauge::default(),
            memory: Gauge::default(),
            registry: Registry::default(),
        };
        registry.register(
            "requests",
            "Requests by route and status",
            metrics.requests.clone(),
        );
        registry.register(
            "request_seconds",
            "Seconds until the headers of the response",
            metrics.seconds.clone(),
        );
        registry.register(
            "connections",
            "Open connections",
            metrics.connections.clone(),
        );
        registry.register(
            "connections_refused",
            "Connections above the limit",
            metrics.refused.clone(),
        );
        registry.register(
            "threads_in_use",
            "Threads that work on direct requests",
            metrics.threads.clone(),
        );
        registry.register(
            "requests_waiting",
            "Direct requests that wait for a thread",
            metrics.queued.clone(),
        );
        registry.register("jobs_running", "Jobs that run", metrics.running.clone());
        registry.register("jobs_waiting", "Jobs that wait", metrics.waiting.clone());
        registry.register(
            "cpu_seconds",
            "Processor seconds of the process",
            metrics.cpu.clone(),
        );
        registry.register(
            "peak_memory_bytes",
            "The most memory that the process held",
            metrics.memory.clone(),
        );
        Self {
            registry,
            ..metrics
        }
    }

    /// Counts a request.
    pub(crate) fn request(&self, route: Option<&str>, status: StatusCode, time: Duration) {
        let route = route.unwrap_or("other").to_owned();
        let status = status.as_u16();
        (self.requests)
            .get_or_create(&Request { route, status })
            .inc();
        self.seconds.observe(time.as_secs_f64());
    }
}

/// `/metrics`.
pub(crate) async fn serve(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let metrics = &app.metrics;
    let (running, waiting) = app.jobs.counts();
    let gauge = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    metrics.running.set(gauge(running));
    metrics.waiting.set(gauge(waiting));
    metrics.threads.set(gauge(app.direct.used()));
    metrics.queued.set(gauge(app.direct.waiting()));
    metrics.cpu.set(machine::process_cpu_seconds());
    metrics
        .memory
        .set(machine::peak_rss_bytes().map_or(0, |bytes| bytes as i64));
    let mut text = String::new();
    encode(&mut text, &metrics.registry).map_err(|e| Problem::internal(e.to_string()))?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}
