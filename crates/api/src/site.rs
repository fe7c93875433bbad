//! What a server gives to requests.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use everymove_kernel::run::Snapshot;
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

    /// The endings of the folders of tables, those with fewer pieces first.
    pub fn endings(&self) -> Vec<Ending> {
        let mut found: BTreeMap<(usize, String), Kinds> = BTreeMap::new();
        let folders = self.tables.iter().chain(&self.syzygy).flat_map(search_path);
        let entries = folders
            .filter_map(|folder| folder.read_dir().ok())
            .flatten()
            .flatten();
        for entry in entries {
            let path = entry.path();
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            let ending = path.extension().and_then(|ending| ending.to_str());
            let (Some(stem), Some(ending)) = (stem, ending) else {
                continue;
            };
            let set: fn(&mut Kinds) = match ending {
                "dtm" => |kinds| kinds.dtm = true,
                "dtz" => |kinds| kinds.dtz = true,
                "dtm50" => |kinds| kinds.dtm50 = true,
                "dtc" => |kinds| kinds.dtc = true,
                "rtbz" => |kinds| kinds.syzygy = true,
                _ => continue,
            };
            let is_name = stem.starts_with('K') && stem.bytes().all(|c| b"KQRBNPv".contains(&c));
            if is_name {
                set(found.entry((stem.len(), stem.to_owned())).or_default());
            }
        }
        let ending = |((_, material), kinds)| Ending { material, kinds };
        found.into_iter().map(ending).collect()
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

/// An ending and the kinds of its tables.
#[derive(Debug, Serialize)]
pub struct Ending {
    material: String,
    #[serde(flatten)]
    kinds: Kinds,
}

/// The kinds of tables of an ending.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Kinds {
    dtm: bool,
    dtz: bool,
    dtm50: bool,
    dtc: bool,
    syzygy: bool,
}

/// How far an answer is, as it is shown to others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// What the phase is part of, if there is more than one phase.
    pub stage: Option<String>,
    /// What the phase belongs to within that: `table 3 of 6`; empty where there is nothing.
    pub part: String,
    /// What is being done.
    pub what: String,
    /// Parts that are done.
    pub done: u64,
    /// Parts in all, 0 while unknown.
    pub total: u64,
    /// The share that is done, from 0 to 1, while it is known.
    pub fraction: Option<f64>,
    /// Units of work so far: nodes, states.
    pub work: u64,
    /// Seconds until everything is done, where that can be estimated.
    pub seconds_left: Option<f64>,
}

impl From<Snapshot> for Progress {
    fn from(now: Snapshot) -> Self {
        Self {
            fraction: (now.total > 0).then(|| (now.done as f64 / now.total as f64).min(1.0)),
            stage: now.stage,
            part: now.part,
            what: now.phase,
            done: now.done,
            total: now.total,
            work: now.work,
            seconds_left: now.left.map(|left| left.as_secs_f64()),
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
