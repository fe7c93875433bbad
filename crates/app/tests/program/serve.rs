//! `serve`: the address, interrupts, and stored results after the process is killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use everymove_kernel::rng::SplitMix64;
use serde_json::Value;

#[cfg(unix)]
use crate::{kill, validate};

struct Running {
    child: Child,
    address: String,
}

/// Starts a server on a free port, with a store and a folder of tables in `folder`.
fn start(folder: &Path) -> Running {
    let (child, line) = begin(folder, "--quiet");
    let page = line.trim().strip_prefix("http://").unwrap();
    let address = page.trim_end_matches('/').to_owned();
    Running { child, address }
}

/// Starts a server with one more option; also returns its first line.
fn begin(folder: &Path, option: &str) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_everymove"))
        .args(["serve", "--address", "127.0.0.1:0", "--store", "jobs"])
        .args(["--threads", "2", "--ram", "512M", option])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    (child, line)
}

/// The status and body of an answer; `None` where the connection breaks.
fn ask(address: &str, method: &str, path: &str, body: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .ok()?;
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    assert!(kill(name, child));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = start(folder.path());
    let (status, _) = ask(&server.address, "GET", "/metrics", "").unwrap();
    assert_eq!(status, 200);
    signal(&server.child, "-INT");
    assert_eq!(server.child.wait().unwrap().code(), Some(3));
}

#[cfg(unix)]
#[test]
fn the_address_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, line) = begin(folder.path(), "--json");
    let serving: Value = serde_json::from_str(&line).unwrap();
    let schema = everymove_api::catalogue::document();
    let faults = validate::faults(&schema["serving"], &serving);
    assert!(faults.is_empty(), "{faults:?}");
    let address = serving["page"].as_str().unwrap().strip_prefix("http://");
    let (status, _) = ask(
        address.unwrap().trim_end_matches('/'),
        "GET",
        "/metrics",
        "",
    )
    .unwrap();
    assert_eq!(status, 200);
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

/// The process is killed at random times while it stores results; after a restart each result is
/// whole or absent, and what was reported as done before is there.
#[cfg(unix)]
#[test]
fn stored_results_are_whole_or_absent_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = SplitMix64::new(7);
    let body = r#"{"command":"tours list","request":{"board":"5x5"}}"#;
    let (mut whole, mut absent) = (0, 0);
    for _ in 0..8 {
        let mut server = start(folder.path());
        let jobs: Vec<String> = (0..6)
            .map(|_| {
                let (status, job) = ask(&server.address, "POST", "/api/v1/jobs", body).unwrap();
                assert_eq!(status, 202);
                let job: Value = serde_json::from_str(&job).unwrap();
                format!("/api/v1/jobs/{}", job["id"].as_str().unwrap())
            })
            .collect();
        std::thread::sleep(Duration::from_millis(rng.below(400)));
        let is_done = |address: &str, path: &str| {
            ask(address, "GET", path, "").is_some_and(|(_, job)| job.contains(r#""state":"done""#))
        };
        let done: Vec<_> = (jobs.iter())
            .filter(|job| is_done(&server.address, job))
            .collect();
        signal(&server.child, "-KILL");
        server.child.wait().unwrap();
        let mut server = start(folder.path());
        for job in &jobs {
            let (status, text) = ask(&server.address, "GET", job, "").unwrap();
            match status {
                200 => {
                    let record: Value = serde_json::from_str(&text).unwrap();
                    assert_eq!(record["state"], "done");
                    assert_eq!(record["answer"]["tours"].as_array().unwrap().len(), 864);
                    whole += 1;
                }
                404 => {
                    assert!(!done.contains(&job), "a result that was reported is lost");
                    absent += 1;
                }
                _ => panic!("{status}: {text}"),
            }
        }
        signal(&server.child, "-INT");
        server.child.wait().unwrap();
    }
    assert!(whole > 0, "{absent} absent");
}
