//! The schemas of one command.

use serde_json::Value;

use crate::envelope::Envelope;
use crate::request::Request;
use crate::schema;

/// The schemas of one command.
#[derive(Clone, Debug)]
pub struct CommandSchema {
    /// The command: `tours count`.
    pub command: &'static str,
    /// The schema of the request.
    pub request: Value,
    /// The schema of the answer in its envelope.
    pub answer: Value,
}

impl CommandSchema {
    /// The schemas of the command that `R` asks.
    pub fn of<R: Request>() -> Self {
        Self {
            command: R::COMMAND,
            request: schema::of_request::<R>(),
            answer: schema::of_answer::<Envelope<R::Answer>>(),
        }
    }
}
