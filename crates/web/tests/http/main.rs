//! The server from outside, over TCP.

mod answers;
mod client;
mod hostile;
mod jobs;
mod standard;
#[path = "../../../api/tests/schema/validate.rs"]
mod validate;
