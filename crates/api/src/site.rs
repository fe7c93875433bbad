//! What a server gives to requests.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use everymove_tables::search_path;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::pegs::KeptSets;
use crate::tables::KeptTables;
use crate::tours::KeptDrawers;

/// What requests may use, fixed when the server starts.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// Tables of our own, a search path: all are read, and tables are built in the first.
    pub tables: Option<PathBuf>,
    /// Syzygy tables, a search path, read.
    pub syzygy: Option<PathBuf>,
    /// Reports of experiments, written and read.
    pub reports: Option<PathBuf>,
    /// The commit that the program is built from, for reports.
    pub commit: String,
    /// The memory of what is kept for later requests: samplers of tours, winning sets, in bytes.
    pub kept_ram: u64,
    /// What is kept for later requests.
    pub kept: Arc<Kept>,
}

/// What a server keeps between requests: empty by default.
#[derive(Default)]
pub struct Kept {
    pub(crate) drawers: KeptDrawers,
    pub(crate) sets: KeptSets,
    pub(crate) tables: KeptTables,
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

impl Site {
    /// The part of the kept memory that is for winning sets, in bytes; the rest is for samplers.
    pub(crate) fn ram_of_sets(&self) -> u64 {
        self.kept_ram / 16
    }

    /// The folder of tables of our own, in place of the field `field`.
    pub(crate) fn tables_folder(&self, field: &'static str) -> Result<PathBuf, Error> {
        self.tables.clone().ok_or_else(|| {
            let line = "the server was started without a folder of tables";
            Error::message(Some(field), line)
        })
    }

    /// Sets the folders of the engine's tables, where there are any.
    pub(crate) fn set_engine_tables(
        &self,
        tables: &mut Option<String>,
        syzygy: &mut Option<String>,
    ) -> Result<(), Error> {
        absent("tables", tables)?;
        absent("syzygy_path", syzygy)?;
        let existing = |path: &Option<PathBuf>| {
            let mut folders = path.iter().flat_map(search_path);
            let usable = folders.any(|folder| folder.is_dir());
            path.as_ref()
                .filter(|_| usable)
                .map(|path| path.display().to_string())
        };
        *tables = existing(&self.tables);
        *syzygy = existing(&self.syzygy);
        Ok(())
    }
}

/// Refuses a path in a request of others.
pub(crate) fn absent<T>(field: &'static str, path: &Option<T>) -> Result<(), Error> {
    match path {
        None => Ok(()),
        Some(_) => {
            let line = format!("the server uses its own files: leave out '{field}'");
            Err(Error::message(Some(field), line))
        }
    }
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
