//! The interface for programs as OpenAPI 3.1, from the schemas of the requests and answers.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use everymove_api::catalogue::served;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::assets::tagged;

/// `/api/openapi.json`.
pub(crate) async fn serve(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let json = || serde_json::to_vec(&document()).unwrap_or_default();
    let bytes = app.openapi.get_or_init(json).clone();
    tagged("application/json", bytes, &headers)
}

/// The description of all addresses for programs.
pub(crate) fn document() -> Value {
    let mut paths = Map::new();
    for command in served() {
        let (request, answer) = (command.request_schema(), command.answer_schema());
        let (group, _) = command.name.split_once(' ').unwrap_or((command.name, ""));
        let about = request["description"].as_str().unwrap_or_default();
        let operation = json!({
            "operationId": command.name.replace(' ', "_"),
            "summary": about,
            "tags": [group],
            "parameters": [{
                "name": "threads",
                "in": "query",
                "description": "Threads that may work on the answer; 1 by default",
                "schema": { "type": "integer", "minimum": 1 },
            }],
            "requestBody": { "required": true, "content": content("application/json", &request) },
            "responses": {
                "200": { "description": "The answer", "content": content("application/json", &answer) },
                "default": problem_response(),
            },
        });
        let path = format!("/api/v1/{}", command.name.replace(' ', "/"));
        paths.insert(path, json!({ "post": operation }));
    }
    paths.extend(job_paths());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "everymove",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Questions about boards, answered exactly. Every command answers at once, within a time limit; as a job it may take longer.",
            "license": { "name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later" },
        },
        "paths": paths,
        "components": { "schemas": { "Problem": problem_schema(), "Job": job_schema() } },
    })
}

fn content(kind: &str, schema: &Value) -> Value {
    json!({ kind: { "schema": schema } })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn problem_response() -> Value {
    json!({
        "description": "Why there is no answer (RFC 9457); 503 with Retry-After where the server is busy",
        "content": content("application/problem+json", &reference("Problem")),
    })
}

fn job_paths() -> Map<String, Value> {
    let mut names: Vec<_> = served().map(|command| command.name).collect();
    names.sort_unstable();
    let start = json!({
        "type": "object",
        "required": ["command"],
        "additionalProperties": false,
        "properties": {
            "command": { "enum": names },
            "request": { "type": "object", "description": "The request of the command" },
            "threads": { "type": "integer", "minimum": 1, "description": "Threads that may work" },
            "attended": { "type": "boolean", "description": "Whether the job is cancelled when nobody watches its events" },
        },
    });
    let job = |description: &str| json!({ "description": description, "content": content("application/json", &reference("Job")) });
    let id =
        json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } });
    let fen =
        json!({ "name": "fen", "in": "query", "required": true, "schema": { "type": "string" } });
    let object = |kind: &str| content("application/json", &json!({ "type": kind }));
    let service = |name: &str, summary: &str| {
        let answer = "As the public Lichess tablebase service";
        let text = content("text/plain", &json!({ "type": "string" }));
        json!({ "get": {
            "operationId": name, "tags": ["tables"], "summary": summary, "parameters": [fen],
            "responses": {
                "200": { "description": answer, "content": object("object") },
                "default": { "description": "What is wrong", "content": text },
            },
        } })
    };
    let list = |name: &str, tag: &str, summary: &str, kind: &str| {
        json!({ "get": {
            "operationId": name, "tags": [tag], "summary": summary,
            "responses": {
                "200": { "description": summary, "content": object(kind) },
                "default": problem_response(),
            },
        } })
    };
    let summary = "A stored run of experiments, with its tables";
    let mut run = list("show_report", "lab", summary, "object");
    run["parameters"] = json!([id]);
    let summary = "The stored runs of experiments, the newest first";
    let reports = list("list_reports", "lab", summary, "array");
    let summary = "The endings whose tables are there";
    let paths = json!({
        "/standard": service("standard", "The value of a position and of its moves"),
        "/standard/mainline": service("mainline", "The best play from a position"),
        "/api/v1/tables": list("list_tables", "tables", summary, "array"),
        "/api/v1/lab/reports": reports,
        "/api/v1/lab/reports/{id}": run,
        "/api/v1/jobs": { "post": {
            "operationId": "start_job", "tags": ["jobs"], "summary": "Starts long work",
            "requestBody": { "required": true, "content": content("application/json", &start) },
            "responses": { "202": job("The job"), "default": problem_response() },
        } },
        "/api/v1/jobs/{id}": {
            "parameters": [id],
            "get": {
                "operationId": "show_job", "tags": ["jobs"], "summary": "The state of a job, and its answer",
                "responses": { "200": job("The job"), "default": problem_response() },
            },
            "delete": {
                "operationId": "cancel_job", "tags": ["jobs"], "summary": "Cancels a job",
                "responses": { "202": job("The job"), "default": problem_response() },
            },
        },
        "/api/v1/jobs/{id}/events": {
            "parameters": [id],
            "get": {
                "operationId": "watch_job", "tags": ["jobs"],
                "summary": "Events of a job: progress, line (intermediate results), done (the job), after which the stream ends",
                "responses": {
                    "200": { "description": "Server-sent events", "content": { "text/event-stream": { "schema": { "type": "string" } } } },
                    "204": { "description": "The stream has ended before: do not connect again" },
                    "default": problem_response(),
                },
            },
        },
    });
    match paths {
        Value::Object(paths) => paths,
        _ => Map::new(),
    }
}

fn problem_schema() -> Value {
    json!({
        "type": "object",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": { "type": "string", "description": "The kind: /problems/input, busy, memory, time-limit, stopped, not-found, ..." },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string", "description": "What is wrong and what is expected, in one line" },
            "field": { "type": "string", "description": "The field of the request that is wrong, where one is" },
            "retry_after": { "type": "integer", "description": "Seconds after which the request may be repeated" },
        },
    })
}

fn job_schema() -> Value {
    json!({
        "type": "object",
        "required": ["id", "command", "request", "state", "threads", "created", "seconds"],
        "properties": {
            "id": { "type": "string" },
            "command": { "type": "string" },
            "request": { "type": "object" },
            "state": { "enum": ["waiting", "running", "done", "failed", "cancelled"] },
            "threads": { "type": "integer" },
            "created": { "type": "number", "description": "Seconds since 1970" },
            "seconds": { "type": "number", "description": "Seconds of work so far" },
            "progress": { "type": "object", "description": "While it runs: stage, what, done, total, fraction, work, seconds_left" },
            "answer": { "type": "object", "description": "The answer of the command, once it is done" },
            "problem": reference("Problem"),
        },
    })
}
