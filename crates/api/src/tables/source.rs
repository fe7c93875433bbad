//! Where tables are, and which.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use everymove_kernel::run::Run;
use everymove_tables::{Material, Source, Tablebase, Tables, Wanted, search_path};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::site::{Site, absent};

/// The directory where tables are by default.
pub(super) const TABLES: &str = "tables";

/// What the distances of a table count.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Plies to mate
    Dtm,
    /// Plies to a capture or pawn move, under the fifty-move rule
    Dtz,
    /// Plies to mate under the fifty-move rule, for every half-move clock
    Dtm50,
    /// Plies to a capture, a promotion or mate, without the fifty-move rule
    Dtc,
}

/// The distance of a position, in the field of its metric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Distance {
    /// Plies to mate, null for a draw; only in that metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtm: Option<Option<u16>>,
    /// Plies to a capture, a pawn move or mate, null for a draw; only in that metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtz: Option<Option<u16>>,
    /// Plies to mate under the fifty-move rule, null for a draw; only in that metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtm50: Option<Option<u16>>,
    /// Plies to a capture, a promotion or mate, null for a draw; only in that metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtc: Option<Option<u16>>,
}

impl Distance {
    pub(super) fn new(metric: Metric, plies: Option<u16>) -> Self {
        let of = |field| (field == metric).then_some(plies);
        Self {
            dtm: of(Metric::Dtm),
            dtz: of(Metric::Dtz),
            dtm50: of(Metric::Dtm50),
            dtc: of(Metric::Dtc),
        }
    }

    /// The plies, whatever they count; `None` for a draw.
    pub fn plies(self) -> Option<u16> {
        self.dtm.or(self.dtz).or(self.dtm50).or(self.dtc).flatten()
    }
}

impl From<Metric> for everymove_tables::Metric {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::Dtm => Self::Mate,
            Metric::Dtz => Self::Zeroing,
            Metric::Dtm50 => Self::MateFifty,
            Metric::Dtc => Self::Conversion,
        }
    }
}

impl From<everymove_tables::Metric> for Metric {
    fn from(metric: everymove_tables::Metric) -> Self {
        match metric {
            everymove_tables::Metric::Mate => Self::Dtm,
            everymove_tables::Metric::Zeroing => Self::Dtz,
            everymove_tables::Metric::MateFifty => Self::Dtm50,
            everymove_tables::Metric::Conversion => Self::Dtc,
        }
    }
}

/// Where tables are, and which of them are meant.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct SourceRequest {
    /// The directories of the tables, separated as in PATH: the first that has a table is used
    /// [default: tables]
    #[arg(long, value_name = "DIRS")]
    pub tables: Option<PathBuf>,
    /// The distances: dtm (plies to mate), dtz (plies to a capture or pawn move, fifty-move rule),
    /// dtm50 (plies to mate under the fifty-move rule) or dtc (plies to a capture, promotion
    /// or mate) [default: dtm, or the first of dtz, dtm50 and dtc that exists]
    #[arg(long, value_name = "METRIC")]
    pub metric: Option<Metric>,
}

/// The most bytes of a cache of blocks of tables.
const MOST_CACHED: u64 = 64 << 20;

/// Opens the tables of folders of our own, whose Syzygy files are used too, and the files of
/// folders of Syzygy files; both are search paths. Blocks are cached in at most a quarter of the
/// memory that the budget has left.
pub(super) fn open(tables: Option<&Path>, syzygy: Option<&Path>, run: &Run) -> Tablebase {
    let [own, files] = [tables, syzygy].map(|path| path.map(search_path).unwrap_or_default());
    let files: Vec<_> = files.into_iter().chain(own.iter().cloned()).collect();
    // A folder that cannot be read has no tables; what is asked for is named where it is missing.
    let (opened, _) = Tablebase::open(&own, &files);
    opened.with_cache((run.ram.left() / 4).min(MOST_CACHED))
}

/// The first folder of a search path that has a table of an ending, of one of some metrics; the
/// first of all if none has.
pub(super) fn folder_with(
    path: &Path,
    material: &Material,
    metrics: &[everymove_tables::Metric],
) -> Result<PathBuf, Error> {
    let folders = search_path(path);
    let has = |folder: &&PathBuf| {
        metrics
            .iter()
            .any(|&metric| Tables::new(folder, metric).has(material))
    };
    let found = folders.iter().find(has).or(folders.first());
    found
        .cloned()
        .ok_or_else(|| Error::message(Some("tables"), "expected a directory"))
}

/// The tables of the folders of a server; their files stay open until the folders change.
#[derive(Debug, Default)]
pub(crate) struct KeptTables(Mutex<Option<Arc<Tablebase>>>);

impl KeptTables {
    /// The tables of the folders, as for [`open`], with the files that they have now.
    pub(super) fn get(
        &self,
        tables: Option<&Path>,
        syzygy: Option<&Path>,
        run: &Run,
    ) -> Arc<Tablebase> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(tables) if tables.is_current() => tables.clone(),
            _ => kept.insert(Arc::new(open(tables, syzygy, run))).clone(),
        }
    }
}

impl SourceRequest {
    /// Sets the folder of tables of a server.
    pub(super) fn restrict(&mut self, site: &Site) -> Result<(), Error> {
        absent("tables", &self.tables)?;
        self.tables = Some(site.tables_folder("tables")?);
        Ok(())
    }

    /// The directories, a search path.
    pub fn folder(&self) -> PathBuf {
        self.tables.clone().unwrap_or_else(|| TABLES.into())
    }

    /// Which tables are wanted.
    pub(super) fn wanted(&self) -> Wanted {
        match self.metric {
            Some(metric) => Wanted::Only(Source::Own(metric.into())),
            None => Wanted::Any,
        }
    }
}

/// An ending by its name, given in the field `material`.
pub(super) fn material(text: &str) -> Result<Material, Error> {
    text.parse().map_err(Error::field("material"))
}

/// Checks the name of an ending, and returns its number of pieces, kings included.
pub(crate) fn check_material(text: &str) -> Result<usize, Error> {
    Ok(material(text)?.piece_count())
}
