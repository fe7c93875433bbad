//! Requests that are answered, and refusals that name what is wrong.

use everymove_web::Config;

use crate::client::{limits, start};
use crate::validate;

#[test]
fn commands_answer_as_on_the_command_line() {
    let server = start(Config::local(limits()));
    let answer = server.post("/api/v1/tours/count", r#"{"board":"5x5","directed":true}"#);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let json = answer.json();
    assert_eq!(
        (&json["command"], &json["count"]),
        (&"tours count".into(), &"1728".into())
    );
    let no = server.post("/api/v1/tours/exists", r#"{"board":"4x10","closed":true}"#);
    assert_eq!((no.status, no.json()["exists"].as_str()), (200, Some("no")));
    let hint = r#"{"position":"o/.o/.oo/oooo/ooooo","verdict_only":true}"#;
    for _ in 0..2 {
        let answer = server.post("/api/v1/pegs/hint", hint).json();
        assert_eq!(answer["winnable"], true, "{answer}");
    }
    let mate = server.post(
        "/api/v1/chess/move?threads=2",
        r#"{"moves":["f3","e5","g4"],"depth":3}"#,
    );
    assert_eq!(mate.json()["best"]["san"], "Qh4#");
}

#[test]
fn refusals_are_problems_that_name_the_field() {
    let server = start(Config::local(limits()));
    for (path, body, expected, field) in [
        (
            "/api/v1/tours/count",
            r#"{"board":"x"}"#,
            (400, "input"),
            Some("board"),
        ),
        (
            "/api/v1/tours/count",
            r#"{"bored":"5x5"}"#,
            (400, "input"),
            None,
        ),
        ("/api/v1/tours/count", "[1,", (400, "input"), None),
        (
            "/api/v1/tours/count",
            r#"{"board":"5x5","checkpoint":"/tmp"}"#,
            (400, "input"),
            Some("checkpoint"),
        ),
        ("/api/v1/tours/cuont", "{}", (404, "not-found"), None),
        ("/api/v1/arena/play", "{}", (404, "not-found"), None),
        (
            "/api/v1/tours/verify",
            r#"{"file":"/etc/passwd"}"#,
            (404, "not-found"),
            None,
        ),
        (
            "/api/v1/tables/probe",
            r#"{"fen":"8/8/8/8/8/2k5/7Q/K7 w - - 0 1","tables":"/"}"#,
            (400, "input"),
            Some("tables"),
        ),
        (
            "/api/v1/jobs",
            r#"{"command":"tours count","request":{"board":"x"}}"#,
            (400, "input"),
            Some("board"),
        ),
        (
            "/api/v1/jobs",
            r#"{"command":"tours count","request":{"board":"5x5"},"threads":99}"#,
            (400, "input"),
            Some("threads"),
        ),
        (
            "/api/v1/tours/find?threads=x",
            r#"{"board":"5x5"}"#,
            (400, "input"),
            Some("threads"),
        ),
    ] {
        let answer = server.post(path, body);
        let (status, kind) = answer.problem();
        assert_eq!(
            (status, &*kind),
            (expected.0, &*format!("/problems/{}", expected.1)),
            "{path} {body}"
        );
        assert_eq!(answer.json()["field"].as_str(), field, "{path} {body}");
    }
    assert_eq!(server.get("/api/v1/tours/count").problem().0, 405);
    assert_eq!(server.get("/nothing").problem().0, 404);
    let text = "POST /api/v1/tours/count HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(server.raw(text.as_bytes()).problem().0, 415);
}

#[test]
fn a_direct_request_that_takes_too_long_is_refused_with_advice() {
    let mut limits = limits();
    limits.time = std::time::Duration::from_millis(300);
    let server = start(Config::local(limits));
    let answer = server.post(
        "/api/v1/tours/count",
        r#"{"board":"7x7","method":"search"}"#,
    );
    assert_eq!(answer.problem(), (504, "/problems/time-limit".to_owned()));
    assert!(
        answer.json()["detail"]
            .as_str()
            .unwrap()
            .contains("/api/v1/jobs")
    );
}

#[test]
fn pages_and_scripts_are_embedded_with_tags() {
    let server = start(Config::local(limits()));
    let page = server.get("/tours");
    assert_eq!(page.status, 200);
    let html = String::from_utf8(page.body.clone()).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("\"assets/tours.js\""));
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    let style = server.get("/assets/style.css");
    assert_eq!(
        style.header("content-type"),
        Some("text/css; charset=utf-8")
    );
    let tag = style.header("etag").unwrap();
    let again = format!(
        "GET /assets/style.css HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nIf-None-Match: {tag}\r\n\r\n"
    );
    let again = server.raw(again.as_bytes());
    assert_eq!((again.status, again.body.len()), (304, 0));
}

/// The document is OpenAPI 3.1 in structure: each schema is one, each reference leads somewhere,
/// operations have names of their own, and parameters of paths are declared.
#[test]
fn the_description_is_valid() {
    let server = start(Config::local(limits()));
    let document = server.get("/api/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["info"]["title"].is_string() && document["info"]["version"].is_string());
    let mut names = std::collections::BTreeSet::new();
    let mut schemas = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        assert!(path.starts_with('/'));
        for method in ["get", "post", "delete"] {
            let operation = &item[method];
            if operation.is_null() {
                continue;
            }
            let name = operation["operationId"].as_str().unwrap().to_owned();
            assert!(names.insert(name), "{path}");
            assert!(
                operation["responses"]
                    .as_object()
                    .is_some_and(|r| !r.is_empty())
            );
            if path.contains('{') {
                let parameters = item["parameters"].as_array().unwrap();
                let declared = |p: &serde_json::Value| {
                    p["in"] == "path"
                        && path.contains(&format!("{{{}}}", p["name"].as_str().unwrap()))
                };
                assert!(parameters.iter().all(declared));
            }
        }
    }
    let mut open = vec![&document];
    while let Some(value) = open.pop() {
        if let Some(target) = value["$ref"].as_str() {
            let found = document.pointer(target.strip_prefix('#').unwrap());
            assert!(found.is_some(), "{target}");
        }
        if let Some(schema) = value.get("schema").filter(|s| s.get("$ref").is_none()) {
            // A schema that is not valid panics.
            let _ = validate::faults(schema, &serde_json::Value::Null);
            schemas += 1;
        }
        match value {
            serde_json::Value::Object(fields) => open.extend(fields.values()),
            serde_json::Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    assert!(
        schemas > 50 && names.len() > 25,
        "{schemas} {}",
        names.len()
    );
}
