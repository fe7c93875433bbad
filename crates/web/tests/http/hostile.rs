//! Requests that must not be served, or not for long.

use std::io::{Read, Write};
use std::time::Duration;

use everymove_web::Config;

use crate::client::{limits, parse, post, start, wait_until};

#[test]
fn only_known_hosts_are_served() {
    let mut config = Config::local(limits());
    config.hosts = vec!["board.example".to_owned()];
    let server = start(config);
    for (line, hosts, status) in [
        ("GET /metrics HTTP/1.1", "Host: localhost\r\n", 200),
        ("GET /metrics HTTP/1.1", "Host: board.example:8080\r\n", 200),
        ("GET /metrics HTTP/1.1", "Host: evil.example\r\n", 421),
        (
            "GET /metrics HTTP/1.1",
            "Host: localhost\r\nHost: localhost\r\n",
            421,
        ),
        ("GET /metrics HTTP/1.1", "", 421),
        (
            "GET http://evil.example/metrics HTTP/1.1",
            "Host: localhost\r\n",
            421,
        ),
        (
            "GET /assets/style.css HTTP/1.1",
            "Host: 127.0.0.1.evil.example\r\n",
            421,
        ),
    ] {
        let request = format!("{line}\r\n{hosts}Connection: close\r\n\r\n");
        let answer = server.raw(request.as_bytes());
        assert_eq!(answer.status, status, "{request}");
        assert!(answer.header("content-security-policy").is_some());
    }
}

#[test]
fn pages_of_other_sites_cannot_post() {
    let server = start(Config::local(limits()));
    let body = r#"{"board":"5x5"}"#;
    for (headers, status) in [
        ("", 200),
        ("Sec-Fetch-Site: same-origin\r\n", 200),
        ("Origin: http://localhost\r\n", 200),
        (
            "Sec-Fetch-Site: cross-site\r\nOrigin: http://evil.example\r\n",
            403,
        ),
        ("Origin: http://evil.example\r\n", 403),
        ("Origin: null\r\n", 403),
    ] {
        let answer = server.raw(post("/api/v1/tours/exists", body, headers).as_bytes());
        assert_eq!(answer.status, status, "{headers}");
    }
    let delete = "DELETE /api/v1/jobs/1 HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nConnection: close\r\n\r\n";
    assert_eq!(server.raw(delete.as_bytes()).problem().0, 403);
}

#[test]
fn no_path_leads_out_of_the_assets() {
    let server = start(Config::local(limits()));
    for path in [
        "/assets/../Cargo.toml",
        "/assets/%2e%2e/Cargo.toml",
        "/assets/..%2f..%2fCargo.toml",
        "/assets//etc/passwd",
        "/assets/%2fetc%2fpasswd",
        "/assets/pages/tours.html",
        "/assets/..\\Cargo.toml",
        "/assets/a%00.js",
        "/../../etc/passwd",
    ] {
        let answer = server.get(path);
        assert!(
            matches!(answer.status, 400 | 404),
            "{path}: {}",
            answer.status
        );
    }
}

#[test]
fn long_bodies_are_refused() {
    let server = start(Config::local(limits()));
    let announced = "POST /api/v1/tours/count HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                     Connection: close\r\nContent-Length: 104857600\r\n\r\n";
    assert_eq!(server.raw(announced.as_bytes()).problem().0, 413);
    // Without a length, as many chunks as the server takes.
    let mut stream = server.connect();
    let head = "POST /api/v1/tours/count HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    let mut sent = 0;
    while sent < 1600 && stream.write_all(chunk.as_bytes()).is_ok() {
        sent += 1;
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    // The connection may be reset before the answer is read, but not before megabytes were sent.
    assert!(sent < 1600, "100 MB were taken");
    if !answer.is_empty() {
        assert_eq!(parse(&answer).status, 413);
    }
    assert_eq!(server.get("/metrics").status, 200);
}

#[test]
fn slow_senders_are_cut_off() {
    let mut limits = limits();
    limits.header_time = Duration::from_millis(300);
    limits.body_time = Duration::from_millis(300);
    let server = start(Config::local(limits));
    for begin in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: localhost\r\nX: "] {
        let mut stream = server.connect();
        stream.write_all(begin.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // The end of the stream, or a reset: not a timeout of the client.
        match stream.read_to_end(&mut answer) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
        }
    }
    let slow = "POST /api/v1/tours/count HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"board\"";
    assert_eq!(server.raw(slow.as_bytes()).problem().0, 408);
}

#[test]
fn half_open_connections_are_bounded() {
    let mut limits = limits();
    limits.connections = 40;
    limits.header_time = Duration::from_millis(500);
    let server = start(Config::local(limits));
    let mut open: Vec<_> = (0..200).map(|_| server.connect()).collect();
    for stream in &mut open {
        let _ = stream.write_all(b"GET / HTTP/1.1\r\n");
    }
    wait_until("the server answers again", || {
        let mut stream = server.connect();
        let _ = stream
            .write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer.starts_with(b"HTTP/1.1 200")
    });
    assert!(server.metric("connections_refused_total") > 0.0);
    drop(open);
    wait_until("only this connection is open", || {
        server.metric("connections") <= 1.0
    });
}

#[test]
fn idle_connections_make_way_for_new_ones() {
    let mut limits = limits();
    limits.connections = 20;
    limits.header_time = Duration::from_secs(3600);
    let server = start(Config::local(limits));
    let body = r#"{"board":"7x7","method":"search"}"#;
    let mut works = server.connect();
    works
        .write_all(post("/api/v1/tours/count", body, "").as_bytes())
        .unwrap();
    wait_until("it works", || server.metric("threads_in_use") == 1.0);
    let open: Vec<_> = [
        "",
        "G",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ]
    .into_iter()
    .cycle()
    .take(120)
    .map(|begin| {
        let mut stream = server.connect();
        stream.write_all(begin.as_bytes()).unwrap();
        stream
    })
    .collect();
    // A new one may be closed as the oldest before its request is read.
    wait_until("the server answers", || {
        let mut stream = server.connect();
        let request = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer.starts_with(b"HTTP/1.1 200")
    });
    assert!(server.metric("connections_refused_total") > 0.0);
    assert_eq!(server.metric("threads_in_use"), 1.0, "work is not given up");
    drop(open);
}

#[test]
fn the_work_for_a_client_that_leaves_is_stopped() {
    let server = start(Config::local(limits()));
    let body = r#"{"board":"7x7","method":"search"}"#;
    let mut streams: Vec<_> = (0..4).map(|_| server.connect()).collect();
    for stream in &mut streams {
        stream
            .write_all(post("/api/v1/tours/count", body, "").as_bytes())
            .unwrap();
    }
    wait_until("both threads work", || {
        server.metric("threads_in_use") == 2.0
    });
    drop(streams);
    wait_until("the threads are free", || {
        server.metric("threads_in_use") == 0.0
    });
    let answer = server.post("/api/v1/tours/count", r#"{"board":"5x5"}"#);
    assert_eq!(answer.json()["count"], "864");
}

#[test]
fn what_does_not_fit_the_queue_is_refused_as_busy() {
    let mut limits = limits();
    (limits.threads, limits.waiting_requests) = (1, 1);
    limits.patience = Duration::from_secs(30);
    let server = start(Config::local(limits));
    let body = r#"{"board":"7x7","method":"search"}"#;
    let mut works = server.connect();
    works
        .write_all(post("/api/v1/tours/count", body, "").as_bytes())
        .unwrap();
    wait_until("the thread works", || {
        server.metric("threads_in_use") == 1.0
    });
    let mut waits = server.connect();
    waits
        .write_all(post("/api/v1/tours/count", body, "").as_bytes())
        .unwrap();
    wait_until("another request waits", || {
        server.metric("requests_waiting") == 1.0
    });
    wait_until("a third is refused", || {
        let refused = server.post("/api/v1/tours/exists", r#"{"board":"5x5"}"#);
        refused.status == 503 && refused.header("retry-after") == Some("1")
    });
}

/// A board for which `tours exists` takes long.
const LARGE: &str = r#"{"board":"999x999","leaper":"2,3"}"#;

#[test]
fn pages_are_answered_while_all_threads_work() {
    let server = start(Config::local(limits()));
    let mut streams: Vec<_> = (0..8).map(|_| server.connect()).collect();
    for stream in &mut streams {
        stream
            .write_all(post("/api/v1/tours/exists", LARGE, "").as_bytes())
            .unwrap();
    }
    wait_until(
        "pages are answered between two looks at full threads",
        || {
            let is_full = || server.metric("threads_in_use") == 2.0;
            is_full() && (0..3).all(|_| server.get("/").status == 200) && is_full()
        },
    );
}

#[test]
fn every_command_has_the_limit_of_time() {
    let mut limits = limits();
    limits.time = Duration::from_millis(20);
    let server = start(Config::local(limits));
    let long = r#"{"board":"7x7","method":"search"}"#;
    for (command, body) in [("tours/exists", LARGE), ("tours/count", long)] {
        let refused = server.post(&format!("/api/v1/{command}"), body);
        assert_eq!(refused.problem(), (504, "/problems/time-limit".to_owned()));
        let detail = refused.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains("/api/v1/jobs"), "{detail}");
    }
}

#[test]
fn bodies_are_limited_together() {
    let server = start(Config::local(everymove_web::config::Limits::new(
        2,
        16 << 20,
    )));
    let body = format!(r#"{{"board":"{}"}}"#, " ".repeat(600_000));
    let whole = post("/api/v1/tours/exists", &body, "");
    // The server may read the second before the first, and then it is the first that is refused:
    // each try has a first of its own.
    let mut first = server.connect();
    wait_until("the second is refused", || {
        first = server.connect();
        first.write_all(&whole.as_bytes()[..1000]).unwrap();
        let refused = server.raw(whole.as_bytes());
        refused.status == 503 && refused.header("retry-after") == Some("1")
    });
    drop(first);
    wait_until("it is read", || server.raw(whole.as_bytes()).status == 400);
}

/// Bytes and JSON that mean nothing: every request is answered or closed, and the server stays.
#[test]
fn noise_is_refused() {
    let server = start(Config::local(limits()));
    let mut rng = everymove_kernel::rng::SplitMix64::new(1);
    for _ in 0..100 {
        let bytes: Vec<u8> = (0..rng.below(300)).map(|_| rng.below(256) as u8).collect();
        let mut stream = server.connect();
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty() || !answer.starts_with(b"HTTP/1.1 2"));
    }
    let seed = r#"{"board":"5x5","closed":true,"holes":"a1","leaper":"1,2"}"#;
    for _ in 0..300 {
        let mut bytes = seed.as_bytes().to_vec();
        for _ in 0..=rng.below(4) {
            let at = rng.below(bytes.len() as u64) as usize;
            match rng.below(3) {
                0 => bytes[at] = b"{}[]\":,0129.eE-x5"[rng.below(17) as usize],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"\"{}[],9"[rng.below(7) as usize]),
            }
        }
        let body = String::from_utf8(bytes).unwrap();
        let answer = server.post("/api/v1/tours/exists", &body);
        assert!(
            matches!(answer.status, 200 | 400),
            "{body}: {}",
            answer.status
        );
    }
    let deep = "[".repeat(100_000);
    assert_eq!(server.post("/api/v1/tours/exists", &deep).problem().0, 400);
}
