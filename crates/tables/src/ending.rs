//! Builds everything of an ending: its table, those it needs, and their Syzygy files.

use everymove_kernel::run::{Run, Work};

use crate::error::TableError;
use crate::generate::{Built, Plan, build};
use crate::metric::Metric;
use crate::store::Tables;
use crate::syzygy;

/// Which files are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputFiles {
    /// Tables of this crate's own format.
    #[default]
    Tables,
    /// Those, and Syzygy files of the ending and of all it needs; only for [`Metric::Zeroing`].
    TablesAndSyzygy,
    /// Syzygy files alone, of many endings: the tables that they are made from are removed when all
    /// are made.
    Syzygy,
}

/// The result of building an ending.
#[derive(Clone, Debug, Default)]
pub struct BuiltEnding {
    /// The tables.
    pub built: Built,
    /// Names of the Syzygy files that were written, without those that existed.
    pub syzygy: Vec<String>,
    /// Counters of all the work.
    pub work: Work,
}

/// Builds the table of an ending and those it needs, as far as the directory does not have them,
/// and Syzygy files if these are asked for.
///
/// The memory budget is checked for every part before the first is begun. The table of the ending
/// itself, if it exists, is compared with its checksums; the others are when they are read.
///
/// # Errors
/// [`TableError::SyzygyMetric`] for Syzygy files of another metric, and as for [`build`].
pub fn build_ending(
    plan: &Plan,
    files: OutputFiles,
    tables: &Tables,
    run: &Run,
) -> Result<BuiltEnding, TableError> {
    if files != OutputFiles::Tables {
        if plan.metric != Metric::Zeroing {
            return Err(TableError::SyzygyMetric(plan.metric));
        }
        syzygy::require(&plan.material, tables, run)?;
    }
    if tables.has(&plan.material) {
        tables.scrub(&plan.material, run)?;
    }
    let built = build(plan, tables, run)?;
    let mut work = built.work.clone();
    let mut written = Vec::new();
    if files != OutputFiles::Tables {
        let _retained = match built.made.is_empty() {
            true => None,
            false => Some(syzygy::reserve_retained(&plan.material, tables, run)?),
        };
        for material in plan.material.closure() {
            written.extend(syzygy::write(&material, tables, run, &mut work)?);
        }
    }
    Ok(BuiltEnding {
        built,
        syzygy: written,
        work,
    })
}
