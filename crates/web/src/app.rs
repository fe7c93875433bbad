//! What all requests share.

use std::sync::{Arc, OnceLock};

use everymove_api::tables::TableService;
use everymove_kernel::run::Ram;
use tokio::sync::{Semaphore, watch};

use crate::assets::Assets;
use crate::config::Config;
use crate::gate::Gate;
use crate::jobs::Jobs;
use crate::metrics::Metrics;

/// What all requests share.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) assets: Assets,
    /// The description of the interface, made on first use.
    pub(crate) openapi: OnceLock<Vec<u8>>,
    /// Tables whose files stay open.
    pub(crate) tables: Arc<TableService>,
    /// The threads of direct requests.
    pub(crate) direct: Gate,
    pub(crate) jobs: Arc<Jobs>,
    /// The memory of requests that wait, answers that are being sent and results that are kept.
    pub(crate) traffic: Ram,
    /// Open event streams.
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) metrics: Metrics,
    /// Becomes true when the server is stopped.
    pub(crate) closing: watch::Receiver<bool>,
}

impl App {
    /// Ends once the server is stopped.
    pub(crate) async fn closed(&self) {
        // A sender that is gone means the same.
        let _ = self.closing.clone().wait_for(|closing| *closing).await;
    }
}
