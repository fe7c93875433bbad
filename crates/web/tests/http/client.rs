//! A server in a thread, and requests to it as bytes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use everymove_kernel::run::Stop;
use everymove_web::config::Limits;
use everymove_web::{Config, Server};
use serde_json::Value;

/// Whatever is waited for comes far sooner on an idle machine; a busy one is no fault of the
/// server.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A server that ends with the test.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

/// Limits of two threads and 512 MB.
pub(crate) fn limits() -> Limits {
    Limits::new(2, 512 << 20)
}

/// Starts a server.
pub(crate) fn start(config: Config) -> Running {
    let server = Server::bind(config).unwrap();
    let (address, stop) = (server.address(), Stop::default());
    let flag = stop.clone();
    let thread = std::thread::spawn(move || server.run(&flag));
    Running {
        address,
        stop,
        thread: Some(thread),
    }
}

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }

    /// The status and the kind of the problem that the body describes.
    pub(crate) fn problem(&self) -> (u16, String) {
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json")
        );
        let problem = self.json();
        assert_eq!(problem["status"], self.status);
        assert!(
            problem["detail"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
        (self.status, problem["type"].as_str().unwrap().to_owned())
    }
}

impl Running {
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes on a connection of their own and reads until the server closes it.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Response {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        let mut all = Vec::new();
        // A connection that is closed while bytes are on their way may be reset after the answer.
        let _ = stream.read_to_end(&mut all);
        parse(&all)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        self.raw(head.as_bytes())
    }

    pub(crate) fn delete(&self, path: &str) -> Response {
        let head =
            format!("DELETE {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        self.raw(head.as_bytes())
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Response {
        self.raw(post(path, body, "").as_bytes())
    }

    /// Ends the server and waits for it.
    pub(crate) fn end(&mut self) {
        self.stop.raise();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    /// A value of `/metrics`.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let response = self.get("/metrics");
        let text = String::from_utf8(response.body).unwrap();
        let name = format!("everymove_{name} ");
        let line = text.lines().find_map(|line| line.strip_prefix(&name));
        line.unwrap_or_else(|| panic!("no {name} in {text}"))
            .parse()
            .unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.raise();
    }
}

/// The bytes of a POST of JSON with more headers, each ended by a line break.
pub(crate) fn post(path: &str, body: &str, headers: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         {headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Splits a response into its parts.
pub(crate) fn parse(bytes: &[u8]) -> Response {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no response: {}", String::from_utf8_lossy(bytes)));
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut body = bytes[end + 4..].to_vec();
    if head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked")
    {
        body = unchunked(&body);
    }
    Response { status, head, body }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        let from = end + 2;
        let to = (from + size).min(bytes.len());
        all.extend_from_slice(&bytes[from..to]);
        bytes = &bytes[(to + 2).min(bytes.len())..];
        if size == 0 {
            break;
        }
    }
    all
}

/// Waits until something holds.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < PATIENCE, "{what} did not come true");
        std::thread::sleep(Duration::from_millis(20));
    }
}
