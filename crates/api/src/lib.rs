//! Every question that everymove answers, as a type, and every answer, as a type: the one contract
//! between the problem crates and the interfaces (command line, web page, Python package).
//!
//! A *request* is read from JSON or the words of a command line; [`Request::plan`] checks it once
//! and names the field that is wrong, [`Request::run`] calls the problem crate, and the *answer* is
//! shown. Interfaces know the list of commands alone ([`catalogue::commands`]); which algorithm
//! answers a question is decided in the problem crates. [`Envelope`] adds the work and the cost to
//! an answer; `--json` prints exactly its serialization. [`catalogue::document`] is the JSON Schema
//! of all of it.
//!
//! In reading order:
//! - [`request`]: the traits [`Request`] and [`Answer`], and [`Outcome`];
//! - [`terminal`]: the trait [`OnTerminal`](terminal::OnTerminal): an answer in words, pictures and
//!   files;
//! - [`envelope`]: what every JSON answer carries beside its own fields;
//! - [`error`]: why a request has no answer, and which field is to blame;
//! - [`budget`]: threads and memory where a person left them open;
//! - one module for each problem, one file for each command: [`arena`], [`chess`], [`lab`],
//!   [`pegs`], [`pieces`], [`tables`], [`tours`];
//! - [`jobs`]: questions that fall into independent jobs, whose results are files;
//! - [`command`], [`catalogue`]: one command for interfaces that know none, and the list of all;
//! - [`site`]: what a server allows others.
//!
//! ```
//! use everymove_api::{Request, tours};
//! use everymove_kernel::run::Run;
//!
//! let request: tours::ExistsRequest = everymove_api::read(r#"{ "board": "4x10", "closed": true }"#)?;
//! let answer = tours::ExistsRequest::run(&request.plan()?, &Run::serial())?;
//! assert_eq!(answer.exists, tours::Existence::No);
//! # Ok::<(), everymove_api::Error>(())
//! ```

pub mod arena;
pub mod budget;
pub mod catalogue;
pub mod chess;
pub mod command;
pub mod envelope;
pub mod error;
pub mod jobs;
pub mod json;
pub mod lab;
pub mod pegs;
mod picture;
pub mod pieces;
pub mod request;
mod schema;
pub mod site;
pub mod tables;
pub mod terminal;
pub mod tours;

pub use envelope::{Cost, Counters, Envelope};
pub use error::{Error, ErrorKind};
pub use picture::Content;
pub use request::{Answer, Outcome, Request, Updates, read};
