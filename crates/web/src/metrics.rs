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
use prometheus_client::registry::{Metric, Registry};

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
    /// Connections refused, or closed while idle, because there were too many.
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
        let to = &mut registry;
        let seconds = Histogram::new(exponential_buckets(1e-4, 4.0, 9));
        to.register(
            "request_seconds",
            "Seconds until the headers of the response",
            seconds.clone(),
        );
        Self {
            requests: registered(to, "requests", "Requests by route and status"),
            seconds,
            connections: registered(to, "connections", "Open connections"),
            refused: registered(to, "connections_refused", "Connections above the limit"),
            threads: registered(to, "threads_in_use", "Threads that work on direct requests"),
            queued: registered(
                to,
                "requests_waiting",
                "Direct requests that wait for a thread",
            ),
            running: registered(to, "jobs_running", "Jobs that run"),
            waiting: registered(to, "jobs_waiting", "Jobs that wait"),
            cpu: registered(to, "cpu_seconds", "Processor seconds of the process"),
            memory: registered(
                to,
                "peak_memory_bytes",
                "The most memory that the process held",
            ),
            registry,
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

/// A new metric, which the registry reports under this name.
fn registered<M: Clone + Default + Metric>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
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
