//! What the server is started with.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use everymove_api::site::Site;

/// What the server is started with. Nothing of it can be changed by a request.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address to listen on; port 0 for any free one.
    pub address: SocketAddr,
    /// Names of the server beside `localhost` and the loopback addresses, as they occur in `Host`.
    pub hosts: Vec<String>,
    /// Folders of tables and reports, and the commit of the program.
    pub site: Site,
    /// Pages are read from this folder in place of the embedded ones.
    pub assets: Option<PathBuf>,
    /// Results of jobs are stored in this folder.
    pub store: Option<PathBuf>,
    /// What requests may use.
    pub limits: Limits,
}

/// What requests may use, one by one and together.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Threads that work at the same time on direct requests, and as many again on jobs.
    pub threads: usize,
    /// Memory of all work together, in bytes.
    pub ram: u64,
    /// Jobs that run at the same time.
    pub jobs: usize,
    /// Jobs that wait for their turn.
    pub waiting_jobs: usize,
    /// Direct requests that wait for a thread.
    pub waiting_requests: usize,
    /// How long a direct request waits for a thread.
    pub patience: Duration,
    /// How long a direct request may work.
    pub time: Duration,
    /// The longest body of a request, in bytes.
    pub body: usize,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    /// Open connections.
    pub connections: usize,
    /// Open event streams.
    pub streams: usize,
    /// How long the headers of a request may take to arrive, and how long a connection may be
    /// idle.
    pub header_time: Duration,
    /// How long a client may take to accept the next bytes of an answer.
    pub write_time: Duration,
    /// How long the result of a job is kept in memory.
    pub keep: Duration,
    /// How long connections and work may take to end after the server was stopped.
    pub shutdown: Duration,
}

/// Bytes of a connection: its buffers and the head of its request.
const CONNECTION: u64 = 16 << 10;

impl Limits {
    /// The limits of a server with this many threads and this much memory, in bytes.
    pub fn new(threads: usize, ram: u64) -> Self {
        let second = Duration::from_secs(1);
        Self {
            threads: threads.max(1),
            ram,
            jobs: 2,
            waiting_jobs: 16,
            waiting_requests: 128,
            patience: 5 * second,
            time: 20 * second,
            body: 1 << 20,
            body_time: 10 * second,
            connections: (ram / 16 / CONNECTION).clamp(64, 1024) as usize,
            streams: 256,
            header_time: 10 * second,
            write_time: 30 * second,
            keep: 3600 * second,
            shutdown: second * 2 / 5,
        }
    }

    /// The memory of one direct request: three sixteenths of all, divided by the threads.
    pub(crate) fn ram_of_request(&self) -> u64 {
        self.ram / 16 * 3 / self.threads as u64
    }

    /// The memory of one job: three eighths of all, divided by the jobs.
    pub(crate) fn ram_of_job(&self) -> u64 {
        self.ram / 8 * 3 / self.jobs.max(1) as u64
    }

    /// The memory of requests that wait, answers that are being sent and results that are kept: a
    /// sixteenth of all.
    pub(crate) fn ram_of_traffic(&self) -> u64 {
        self.ram / 16
    }

    /// The memory of what is kept for later requests: samplers of tours, winning sets: three
    /// eighths of all.
    pub(crate) fn ram_of_kept(&self) -> u64 {
        self.ram / 8 * 3
    }
}

impl Config {
    /// A server on a free port of the loopback interface, for tests.
    pub fn local(limits: Limits) -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            hosts: Vec::new(),
            site: Site::default(),
            assets: None,
            store: None,
            limits,
        }
    }
}
