//! Jobs: events, cancellation, stored results.

use std::io::{BufRead, BufReader, Write};

use everymove_web::Config;
use serde_json::Value;

use crate::client::{Running, limits, start, wait_until};

fn job(server: &Running, body: &str) -> Value {
    let answer = server.post("/api/v1/jobs", body);
    assert_eq!(
        answer.status,
        202,
        "{}",
        String::from_utf8_lossy(&answer.body)
    );
    let job = answer.json();
    let place = format!("/api/v1/jobs/{}", job["id"].as_str().unwrap());
    assert_eq!(answer.header("location"), Some(&*place));
    job
}

fn path(job: &Value) -> String {
    format!("/api/v1/jobs/{}", job["id"].as_str().unwrap())
}

/// A stream of the events of a job, after its headers.
fn watch(server: &Running, job: &Value) -> BufReader<std::net::TcpStream> {
    let mut stream = server.connect();
    let head = format!(
        "GET {}/events HTTP/1.1\r\nHost: localhost\r\n\r\n",
        path(job)
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line).unwrap();
    }
    reader
}

fn state(server: &Running, job: &Value) -> String {
    let now = server.get(&path(job)).json();
    now["state"].as_str().unwrap().to_owned()
}

const LONG: &str = r#"{"command":"tours count","request":{"board":"7x7","method":"search"}}"#;

#[test]
fn a_job_reports_its_lines_and_its_answer() {
    let server = start(Config::local(limits()));
    let body =
        r#"{"command":"analyse","request":{"fen":"7k/5ppp/8/8/8/8/8/K3R3 w - - 0 1","depth":6}}"#;
    let job = job(&server, body);
    let events = server.get(&format!("{}/events", path(&job)));
    assert_eq!(events.header("content-type"), Some("text/event-stream"));
    let text = String::from_utf8(events.body).unwrap();
    let count = |name: &str| text.matches(&format!("event: {name}\n")).count();
    assert_eq!(count("done"), 1, "{text}");
    assert!(count("line") >= 1, "{text}");
    let last = text.rsplit("data: ").next().unwrap();
    let last: Value = serde_json::from_str(last.trim()).unwrap_or_else(|_| {
        let line = text
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("data: "));
        serde_json::from_str(line.unwrap()).unwrap()
    });
    assert_eq!(last["state"], "done");
    assert_eq!(last["answer"]["lines"][0]["score"], "#1");
    let response = server.get(&path(&job));
    let length = response.header("content-length").unwrap();
    assert_eq!(length, response.body.len().to_string());
    assert_eq!(response.json()["answer"], last["answer"]);
    let again = format!(
        "GET {}/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nLast-Event-ID: end\r\n\r\n",
        path(&job)
    );
    assert_eq!(server.raw(again.as_bytes()).status, 204);
    assert_eq!(server.get("/api/v1/jobs/0123").problem().0, 404);
}

#[test]
fn jobs_are_cancelled_and_queues_are_limited() {
    let mut limits = limits();
    (limits.jobs, limits.waiting_jobs) = (1, 2);
    let server = start(Config::local(limits));
    let first = job(&server, LONG);
    wait_until("the first job runs", || state(&server, &first) == "running");
    let second = job(&server, LONG);
    let third = job(&server, LONG);
    let refused = server.post("/api/v1/jobs", LONG);
    assert_eq!(refused.problem(), (503, "/problems/busy".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(state(&server, &second), "waiting");
    for job in [&second, &first, &third] {
        assert_eq!(server.delete(&path(job)).status, 202);
        wait_until("it is cancelled", || state(&server, job) == "cancelled");
    }
    let next = job(
        &server,
        r#"{"command":"tours count","request":{"board":"5x5"}}"#,
    );
    wait_until("the next job is done", || state(&server, &next) == "done");
}

#[test]
fn an_attended_job_ends_with_its_last_watcher() {
    let server = start(Config::local(limits()));
    let body = LONG.replace("\"request\"", "\"attended\":true,\"request\"");
    let job = job(&server, &body);
    let mut stream = watch(&server, &job);
    let mut line = String::new();
    while !line.starts_with("event: progress") {
        line.clear();
        assert!(stream.read_line(&mut line).unwrap() > 0);
    }
    wait_until("it runs", || state(&server, &job) == "running");
    drop(stream);
    wait_until("it is cancelled", || state(&server, &job) == "cancelled");
}

#[test]
fn results_survive_a_restart_and_damaged_ones_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let config = || Config {
        store: Some(folder.path().join("jobs")),
        ..Config::local(limits())
    };
    let mut server = start(config());
    let body = r#"{"command":"tours count","request":{"board":"5x5"}}"#;
    let kept = job(&server, body);
    let damaged = job(&server, body);
    for job in [&kept, &damaged] {
        wait_until("it is done", || state(&server, job) == "done");
    }
    let before = server.get(&path(&kept)).json();
    server.end();
    let name = format!("{}.job.json", damaged["id"].as_str().unwrap());
    let file = folder.path().join("jobs").join(name);
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    std::fs::write(folder.path().join("jobs/half.job.json.draft"), "{").unwrap();
    let server = start(config());
    let after = server.get(&path(&kept)).json();
    for field in ["id", "command", "request", "state", "answer"] {
        assert_eq!(after[field], before[field]);
    }
    assert_eq!(server.get(&path(&damaged)).status, 404);
    assert!(!folder.path().join("jobs/half.job.json.draft").exists());
}

#[test]
fn the_oldest_results_make_way() {
    let server = start(Config::local(everymove_web::config::Limits::new(
        2,
        32 << 20,
    )));
    let body = r#"{"command":"tours list","request":{"board":"5x5"}}"#;
    let jobs: Vec<_> = (0..24)
        .map(|_| {
            let job = job(&server, body);
            wait_until("it is done", || state(&server, &job) == "done");
            job
        })
        .collect();
    assert_eq!(server.get(&path(&jobs[0])).status, 404);
    let last = server.get(&path(&jobs[23])).json();
    assert_eq!(last["answer"]["tours"].as_array().unwrap().len(), 864);
}

#[test]
fn a_request_of_several_lines_is_an_event_of_one() {
    let server = start(Config::local(limits()));
    let body = "{\"command\":\"tours count\",\n\"request\":{\n\"board\":\n\"5x5\"\n}}";
    let job = job(&server, body);
    let events = server.get(&format!("{}/events", path(&job)));
    let text = String::from_utf8(events.body).unwrap();
    let done = text.split_once("event: done\n").unwrap().1;
    let data = done.lines().find_map(|line| line.strip_prefix("data: "));
    let record: Value = serde_json::from_str(data.unwrap()).unwrap();
    assert_eq!(record["request"]["board"], "5x5");
    assert_eq!(record["answer"]["count"], "864");
}

#[test]
fn a_server_ends_although_a_stream_is_open() {
    let mut server = start(Config::local(limits()));
    let job = job(&server, LONG);
    let _stream = watch(&server, &job);
    server.end();
}
