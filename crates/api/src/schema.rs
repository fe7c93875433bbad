//! The JSON Schema (draft 2020-12) of every request and answer, generated from the types.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::envelope::Envelope;
use crate::error::ErrorAnswer;
use crate::request::Request;
use crate::tours;

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
    pub(crate) fn of<R: Request>() -> Self {
        Self {
            command: R::COMMAND,
            request: request_schema::<R>(),
            answer: answer_schema::<Envelope<R::Answer>>(),
        }
    }
}

/// The schemas of all commands.
pub fn commands() -> Vec<CommandSchema> {
    [tours::schemas()].concat()
}

/// One JSON document with the schemas of all commands, and of what is printed in place of an answer.
pub fn document() -> Value {
    let commands: Map<String, Value> = commands()
        .into_iter()
        .map(|c| {
            let schemas = json!({ "request": c.request, "answer": c.answer });
            (c.command.to_owned(), schemas)
        })
        .collect();
    json!({
        "title": "Requests and answers of everymove",
        "version": env!("CARGO_PKG_VERSION"),
        "commands": commands,
        "error": answer_schema::<ErrorAnswer>(),
    })
}

/// The names of the fields of a request.
pub(crate) fn property_names<R: Request>() -> BTreeSet<String> {
    let schema = request_schema::<R>();
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flat_map(|p| p.keys().cloned())
        .collect()
}

fn request_schema<R: Request>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    settings
        .into_generator()
        .into_root_schema_for::<R>()
        .to_value()
}

fn answer_schema<A: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    let generator = settings.for_serialize().into_generator();
    generator.into_root_schema_for::<A>().to_value()
}
