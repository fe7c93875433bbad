//! Where tables are, and which.

use std::path::PathBuf;

use everymove_kernel::run::Run;
use everymove_tables::{Material, Wanted};
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
    /// The directory of the tables [default: tables]
    #[arg(long, value_name = "DIR")]
    pub tables: Option<PathBuf>,
    /// The distances: dtm (plies to mate), dtz (plies to a capture or pawn move, fifty-move rule), dtm50 (plies to mate under the
    /// fifty-move rule) or dtc (plies to a capture, promotion or mate) [default: dtm, or the first of dtz, dtm50 and dtc that exists]
    #[arg(long, value_name = "METRIC")]
    pub metric: Option<Metric>,
}

/// The most bytes of a cache of blocks of tables.
const MOST_CACHED: u64 = 64 << 20;

/// The bytes of the cache of blocks for each kind of tables of our own, of which there are two: together at most half of
/// what the budget has left.
pub(super) fn cache_bytes(run: &Run) -> u64 {
    (run.ram.left() / 4).min(MOST_CACHED)
}

impl SourceRequest {
    /// Sets the folder of tables of a server.
    pub(super) fn restrict(&mut self, site: &Site) -> Result<(), Error> {
        absent("tables", &self.tables)?;
        self.tables = Some(site.tables_folder("tables")?);
        Ok(())
    }

    /// The directory.
    pub fn folder(&self) -> PathBuf {
        self.tables.clone().unwrap_or_else(|| TABLES.into())
    }

    /// Which tables are wanted.
    pub(super) fn wanted(&self) -> Wanted {
        match self.metric {
            Some(metric) => Wanted::Metric(metric.into()),
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
