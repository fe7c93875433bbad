//! What a server gives to requests.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

/// What requests may use, fixed when the server starts.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// Tables of our own, read and built.
    pub tables: Option<PathBuf>,
    /// Syzygy tables, read.
    pub syzygy: Option<PathBuf>,
    /// Reports of experiments, written and read.
    pub reports: Option<PathBuf>,
    /// The commit that the program is built from, for reports.
    pub commit: String,
    /// The memory of what is kept for later requests: samplers of tours, winning sets, in bytes.
    pub kept_ram: u64,
}

/// What `serve` prints with `--json` as soon as it accepts connections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Serving {
    /// Always `serve`.
    pub command: &'static str,
    /// The address of the first page: `http://127.0.0.1:8080/`.
    pub page: String,
    /// The version of everymove.
    pub version: &'static str,
}

impl Serving {
    /// A server whose first page has this address.
    pub fn new(page: String) -> Self {
        Self {
            command: "serve",
            page,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}
