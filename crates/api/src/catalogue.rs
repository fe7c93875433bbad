//! All commands with their schemas.

use serde_json::{Map, Value, json};

use crate::command::CommandSchema;
use crate::error::ErrorAnswer;
use crate::site::Serving;
use crate::{arena, chess, jobs, lab, pegs, schema, tables, tours};

/// The schemas of all commands.
pub fn commands() -> Vec<CommandSchema> {
    [
        arena::schemas(),
        chess::schemas(),
        jobs::schemas(),
        lab::schemas(),
        pegs::schemas(),
        tables::schemas(),
        tours::schemas(),
    ]
    .concat()
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
        "error": schema::of_answer::<ErrorAnswer>(),
        "serving": schema::of_answer::<Serving>(),
        "line of tables probe --fens": schema::of_answer::<tables::PositionValue>(),
    })
}
