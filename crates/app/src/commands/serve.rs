//! `everymove serve`: the web page and the interface for programs.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use everymove_api::site::{Serving, Site};
use everymove_kernel::system;
use everymove_web::config::Limits;
use everymove_web::{Config, Server};

use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// `everymove serve`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The address and port; other than loopback addresses are open to the network, without a
    /// password
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    address: SocketAddr,
    /// The directories of endgame tables, separated as in PATH: all are read, and tables are built
    /// in the first
    #[arg(long, value_name = "DIRS", default_value = "tables")]
    tables: PathBuf,
    /// The directories of Syzygy tables
    #[arg(long, value_name = "DIRS")]
    syzygy: Option<PathBuf>,
    /// The directory of reports of experiments, written and shown
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
    /// Store the results of jobs in this directory, and load those that are there
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Another name of this server, as browsers know it; may be repeated
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Long questions that are worked on at the same time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,
    /// Read the pages from this directory, to write them
    #[arg(long, value_name = "DIR", hide = true)]
    assets: Option<PathBuf>,
}

pub(crate) fn run(args: Args, session: &Session) -> Result<Outcome, Failure> {
    let syzygy = args.syzygy.iter().flat_map(std::env::split_paths);
    for folder in syzygy.chain(args.assets.clone()) {
        if !folder.is_dir() {
            let line = format!("there is no directory {}", folder.display());
            return Err(Failure::Input(line));
        }
    }
    let mut limits = Limits::new(session.run.threads.get(), session.run.ram.left());
    limits.jobs = args.jobs.into();
    // Half of the files that may be open stay for tables and results.
    if let Some(files) = system::file_limit() {
        let half = usize::try_from(files / 2).unwrap_or(usize::MAX);
        limits.connections = limits.connections.min(half.max(1));
    }
    let config = Config {
        address: args.address,
        hosts: args.host,
        site: Site {
            tables: Some(args.tables),
            syzygy: args.syzygy,
            reports: Some(args.reports),
            commit: env!("EVERYMOVE_COMMIT").to_owned(),
            ..Site::default()
        },
        assets: args.assets,
        store: args.store,
        limits,
    };
    if session.is_logging() {
        let log = tracing_subscriber::fmt().with_writer(io::stderr);
        log.with_ansi(false).compact().init();
    }
    let server = Server::bind(config).map_err(Failure::input)?;
    let address = server.address();
    let page = match address.ip().is_unspecified() {
        true => format!(
            "http://{}/",
            SocketAddr::new(reached_at(address), address.port())
        ),
        false => format!("http://{address}/"),
    };
    let mut out = session.out();
    if session.format == OutputFormat::Json {
        let serving = Serving::new(page.clone());
        serde_json::to_writer(&mut out, &serving).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{page}")?;
    }
    out.flush()?;
    drop(out);
    if args.open {
        open(&page);
    }
    server.run(&session.run.stop);
    Err(Failure::Resource("the server was stopped".to_owned()))
}

/// The address of this machine in its network, for a server that listens on all of them; the
/// loopback address if there is no network.
fn reached_at(address: SocketAddr) -> IpAddr {
    let (own, other): (_, SocketAddr) = match address {
        SocketAddr::V4(_) => (
            Ipv4Addr::LOCALHOST.into(),
            (Ipv4Addr::new(192, 0, 2, 1), 9).into(),
        ),
        SocketAddr::V6(_) => (
            Ipv6Addr::LOCALHOST.into(),
            (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), 9).into(),
        ),
    };
    // Nothing is sent: to connect only chooses the way, and with it the own address. The other one
    // is of documentation.
    let way = UdpSocket::bind(SocketAddr::new(address.ip(), 0)).and_then(|socket| {
        socket.connect(other)?;
        socket.local_addr()
    });
    way.map_or(own, |way| way.ip())
}

/// Opens a page in the browser. Where that fails, the address was printed.
fn open(page: &str) {
    let mut command = Command::new(system::OPENS_PAGES);
    command.arg(page).stdin(Stdio::null());
    let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
