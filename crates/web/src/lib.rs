//! The web page of everymove and its HTTP interface for programs.
//!
//! The server parses and shows: every question is a request of `everymove-api`, answered as the
//! command line answers it. Pages and scripts are embedded in the program. In reading order:
//! - [`config`]: address, folders and limits, fixed at the start;
//! - [`server`]: the accept loop: limits on connections, headers and idle time, orderly shutdown;
//! - `router`: addresses and layers; `guard`: which requests are let in; `problem`: errors as
//!   problem+json (RFC 9457);
//! - `direct`: a request answered at once; `jobs`: long work with events, cancellation and stored
//!   results;
//! - `standard`: the addresses of the public Lichess tablebase service;
//! - `reports`: stored reports of experiments; `tables`: which tables there are;
//! - `pages`, `assets`: pages, scripts and style sheets; `openapi`: the description of the
//!   interface;
//! - `metrics`: counters as Prometheus reads them.

pub mod config;
pub mod server;

mod app;
mod assets;
mod direct;
mod gate;
mod guard;
mod job;
mod job_events;
mod job_routes;
mod job_store;
mod jobs;
mod metrics;
mod openapi;
mod pages;
mod problem;
mod reports;
mod router;
mod standard;
mod tables;
mod transport;

pub use config::Config;
pub use pages::site_files;
pub use reports::report_list;
pub use server::{ServeError, Server};
