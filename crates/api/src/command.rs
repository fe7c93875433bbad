//! Commands: their schemas, and what is wrong with a command line.

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

/// What is wrong with a command line and what is expected, of clap's longer text: its first paragraph, its tips and its
/// usage line.
pub fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let words = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts = text.split("\n\n").map(words);
    let mut line = parts.next().unwrap_or_default();
    for part in parts {
        if let Some(tip) = part.strip_prefix("tip: ") {
            line += &format!("; {tip}");
        } else if let Some(usage) = part.strip_prefix("Usage: ") {
            line += &format!(" (usage: {usage})");
        }
    }
    line
}
