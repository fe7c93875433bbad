//! The accept loop.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::{Future as _, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::task::Poll;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::HttpBody;
use axum::response::Response;
use everymove_api::tables::TableService;
use everymove_kernel::files::FileError;
use everymove_kernel::run::{Ram, Stop};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinSet;

use crate::app::App;
use crate::assets::Assets;
use crate::config::Config;
use crate::gate::Gate;
use crate::jobs::Jobs;
use crate::metrics::Metrics;
use crate::router::router;
use crate::transport::Transport;

/// How often the stop flag is looked at.
const INTERVAL: Duration = Duration::from_millis(50);

/// How often old results are removed.
const CLEANING: Duration = Duration::from_secs(30);

/// The pause after a failed accept, which usually means that there are too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 16 << 10;

/// Why there is no server.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is in use, or not of this machine.
    #[error("cannot listen on {address}: {source}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// The folder of pages cannot be read.
    #[error("cannot read the pages in {folder}: {source}")]
    Assets {
        /// The folder.
        folder: String,
        /// Why not.
        source: io::Error,
    },
    /// The folder of results cannot be used.
    #[error(transparent)]
    Store(#[from] FileError),
    /// The system refuses threads.
    #[error("cannot start the server's threads: {0}")]
    Threads(io::Error),
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
    closing: watch::Sender<bool>,
}

impl Server {
    /// Listens on the address of the configuration; requests are answered by [`Self::run`].
    ///
    /// # Errors
    /// [`ServeError`] if the address or a folder cannot be used.
    pub fn bind(mut config: Config) -> Result<Self, ServeError> {
        config.site.kept_ram = config.limits.ram_of_kept();
        let threads = config.limits.threads.clamp(2, 8);
        can_start(threads).map_err(ServeError::Threads)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_name("web")
            .enable_io()
            .enable_time()
            .build()
            .map_err(ServeError::Threads)?;
        let address = config.address;
        let listener = runtime.block_on(TcpListener::bind(address));
        let refused = |source| ServeError::Address { address, source };
        let listener = listener.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let assets = config.assets.as_deref();
        let assets = Assets::new(assets).map_err(|source| ServeError::Assets {
            folder: assets.map(|f| f.display().to_string()).unwrap_or_default(),
            source,
        })?;
        let limits = &config.limits;
        let (closing, closed) = watch::channel(false);
        let app = Arc::new(App {
            assets,
            openapi: OnceLock::new(),
            tables: Arc::new(TableService::new(&config.site)),
            direct: Gate::new(limits.threads, limits.waiting_requests),
            jobs: Arc::new(Jobs::new(limits, config.store.as_deref())?),
            streams: Arc::new(Semaphore::new(limits.streams)),
            traffic: Ram::limited(limits.ram_of_traffic()),
            metrics: Metrics::new(),
            closing: closed,
            config,
        });
        Ok(Self {
            runtime,
            listener,
            address,
            app,
            closing,
        })
    }

    /// The address, with the port that the system chose where it was 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The addresses without a connection, for tests.
    pub fn router(&self) -> Router {
        router(self.app.clone())
    }

    /// Answers requests until the stop flag is raised; then work is stopped and connections are
    /// closed.
    pub fn run(self, stop: &Stop) {
        let Self {
            runtime,
            listener,
            app,
            closing,
            ..
        } = self;
        let patience = app.config.limits.shutdown;
        let deadline = runtime.block_on(async {
            let mut connections = JoinSet::new();
            accept(&listener, &app, stop, &mut connections).await;
            drop(listener);
            closing.send_replace(true);
            let deadline = Instant::now() + patience;
            let all = async { while connections.join_next().await.is_some() {} };
            if tokio::time::timeout_at(deadline.into(), all).await.is_err() {
                tracing::warn!("connections are closed that did not end by themselves");
            }
            deadline
        });
        runtime.shutdown_timeout(deadline.saturating_duration_since(Instant::now()));
    }
}

/// Starts this many threads at once and ends them: a runtime that is refused one ends the program
/// with a panic.
fn can_start(threads: usize) -> io::Result<()> {
    let (release, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    std::thread::scope(|scope| {
        let start = |_| {
            // Until all have been started.
            let wait = || drop(held.lock().map(|held| held.recv()));
            std::thread::Builder::new().spawn_scoped(scope, wait)
        };
        let started: io::Result<Vec<_>> = (0..threads).map(start).collect();
        drop(release);
        started.map(drop)
    })
}

/// Accepts connections until the stop flag is raised.
async fn accept(
    listener: &TcpListener,
    app: &Arc<App>,
    stop: &Stop,
    connections: &mut JoinSet<()>,
) {
    let router = router(app.clone());
    let open = Arc::new(Semaphore::new(app.config.limits.connections));
    let idle = Arc::new(Idle::default());
    let mut clock = tokio::time::interval(INTERVAL);
    let mut cleaning = tokio::time::interval(CLEANING);
    loop {
        tokio::select! {
            _ = clock.tick() => if stop.is_raised() { return; },
            _ = cleaning.tick() => app.jobs.forget(app.config.limits.keep),
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    // In the queue from here on: the place of one that makes way must not go to a later one.
                    let mut permit = Box::pin(open.clone().acquire_owned());
                    let free = poll_fn(|context| match permit.as_mut().poll(context) {
                        Poll::Ready(permit) => Poll::Ready(Some(permit)),
                        Poll::Pending => Poll::Ready(None),
                    });
                    let free = free.await;
                    if free.is_none() {
                        app.metrics.refused.inc();
                        // Where all are at work the new one is closed: memory and open files stay bounded.
                        if !idle.close_first() {
                            continue;
                        }
                    }
                    let (app, idle, router) = (app.clone(), idle.clone(), router.clone());
                    connections.spawn(async move {
                        // That of the connection that makes way.
                        let permit = match free {
                            Some(permit) => permit,
                            None => permit.await,
                        };
                        if permit.is_ok() {
                            serve(stream, router, app, idle).await;
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(PAUSE).await;
                }
            },
        }
    }
}

/// Connections that have not sent a whole request since the last answer, those that were idle
/// longest first: they make way for new ones.
#[derive(Debug, Default)]
struct Idle(Mutex<(u64, BTreeMap<u64, Arc<Connection>>)>);

/// What closes a connection; its fields change under the lock of [`Idle`].
#[derive(Debug, Default)]
struct Connection {
    close: Notify,
    /// Its number among the idle ones, or the last that it had.
    number: AtomicU64,
    /// It makes way for another one, and must not be chosen for a second.
    leaves: AtomicBool,
}

impl Idle {
    fn lock(&self) -> MutexGuard<'_, (u64, BTreeMap<u64, Arc<Connection>>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, connection: &Arc<Connection>) {
        let (next, idle) = &mut *self.lock();
        if !connection.leaves.load(Ordering::Relaxed) {
            *next += 1;
            connection.number.store(*next, Ordering::Relaxed);
            idle.insert(*next, connection.clone());
        }
    }

    fn leave(&self, connection: &Connection) {
        let (_, idle) = &mut *self.lock();
        idle.remove(&connection.number.load(Ordering::Relaxed));
    }

    /// Closes the connection that was idle longest; false if none is.
    fn close_first(&self) -> bool {
        let (_, idle) = &mut *self.lock();
        idle.pop_first().is_some_and(|(_, connection)| {
            connection.leaves.store(true, Ordering::Relaxed);
            connection.close.notify_one();
            true
        })
    }
}

/// Whether a response is sent at once, so that its connection is idle after it.
fn is_short(response: &Response) -> bool {
    let most = response.body().size_hint().upper();
    most.is_some_and(|bytes| bytes <= MAX_HEAD as u64)
}

/// Answers the requests of a connection, one after the other.
async fn serve(stream: TcpStream, router: Router, app: Arc<App>, idle: Arc<Idle>) {
    let limits = &app.config.limits;
    let _ = stream.set_nodelay(true);
    app.metrics.connections.inc();
    let this = Arc::new(Connection::default());
    idle.enter(&this);
    let router = TowerToHyperService::new(router);
    let service = service_fn(|request| {
        idle.leave(&this);
        let answer = router.call(request);
        let (idle, this) = (idle.clone(), this.clone());
        async move {
            let response = answer.await?;
            if is_short(&response) {
                idle.enter(&this);
            }
            Ok::<_, Infallible>(response)
        }
    });
    let io = TokioIo::new(Transport::new(stream, limits.write_time));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_buf_size(MAX_HEAD)
        .serve_connection(io, service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = this.close.notified() => Ok(()),
        () = app.closed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
    idle.leave(&this);
    app.metrics.connections.dec();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_makes_way_for_one_other() {
        let idle = Idle::default();
        let [first, second] = [(); 2].map(|()| Arc::new(Connection::default()));
        idle.enter(&first);
        idle.enter(&second);
        assert!(idle.close_first());
        // Its request came meanwhile, and was answered.
        idle.leave(&first);
        idle.enter(&first);
        assert!(idle.close_first(), "the second makes way");
        assert!(second.leaves.load(Ordering::Relaxed));
        assert!(!idle.close_first());
    }
}
