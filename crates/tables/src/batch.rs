//! Many endings as one piece of work: every ending of up to a number of pieces, or one with all it
//! needs. What is missing, about how much time and disk it takes and how much memory it needs are
//! computed before the start.

use std::collections::BTreeSet;

use everymove_kernel::run::{Run, Work};

use crate::ending::OutputFiles;
use crate::error::TableError;
use crate::generate::build::{build_endings, largest_half};
use crate::generate::{Checkpoint, Plan, Schedule};
use crate::metric::Metric;
use crate::position::material::Material;
use crate::store::Tables;
use crate::syzygy::{self, published_bytes};

/// Endings that are built one after the other, and how.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The endings; each comes after those that it leads to.
    endings: Vec<Material>,
    /// The metric of the distances.
    pub metric: Metric,
    /// Which files are written.
    pub files: OutputFiles,
    /// The order in which the chunks of a table are processed.
    pub schedule: Schedule,
    /// Where unfinished work is saved.
    pub checkpoint: Option<Checkpoint>,
}

/// What is missing of an ending, estimated.
#[derive(Clone, Debug, PartialEq)]
pub struct EndingEstimate {
    /// The ending.
    pub material: Material,
    /// Bytes of the files to be made: about those of the published files, and a calibrated share
    /// of the positions.
    pub bytes: u64,
    /// Processor seconds on a machine like that of `docs/performance.md`.
    pub cpu_seconds: f64,
    /// Bytes of memory without which it cannot be made: computed, not estimated.
    pub ram: u64,
}

/// What is missing of a batch, estimated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchEstimate {
    /// The endings of which a file is missing, in the order in which they are made.
    pub missing: Vec<EndingEstimate>,
    /// The endings whose files exist.
    pub found: Vec<Material>,
}

impl BatchEstimate {
    /// Bytes of all files to be made.
    pub fn bytes(&self) -> u64 {
        self.missing.iter().map(|ending| ending.bytes).sum()
    }

    /// Processor seconds of all threads together.
    pub fn cpu_seconds(&self) -> f64 {
        self.missing.iter().map(|ending| ending.cpu_seconds).sum()
    }

    /// The ending that needs most memory.
    pub fn largest(&self) -> Option<&EndingEstimate> {
        self.missing.iter().max_by_key(|ending| ending.ram)
    }
}

/// The result of building a batch.
#[derive(Clone, Debug, Default)]
pub struct BuiltBatch {
    /// The tables that were made, in order.
    pub made: Vec<Material>,
    /// The endings all of whose files existed.
    pub found: Vec<Material>,
    /// Names of the Syzygy files that were written.
    pub syzygy: Vec<String>,
    /// The endings whose tables were removed.
    pub removed: Vec<Material>,
    /// Counters of all the work.
    pub work: Work,
}

/// Processor nanoseconds for each index of both sides to move: of a table, and of its Syzygy files.
/// Calibrated by the builds of `docs/performance.md`.
const TABLE_NANOSECONDS: f64 = 16.0;
const SYZYGY_NANOSECONDS: f64 = 25.0;
/// Processor seconds of a table, and of its Syzygy files, for each megabyte of the published Syzygy
/// files: they are large where there are many distances and values that are hard to compress.
const TABLE_SECONDS_PER_MEGABYTE: f64 = 1.0;
const SYZYGY_SECONDS_PER_MEGABYTE: f64 = 1.5;
/// As `TABLE_NANOSECONDS`, for a table of plies to mate under the fifty-move rule.
const MATE_FIFTY_NANOSECONDS: f64 = 1000.0;
/// Processor seconds that the Syzygy files of the smallest ending take: orders of pieces are
/// compared.
const SYZYGY_LEAST_SECONDS: f64 = 0.4;
/// Bytes of a table: for each index, and for each byte of the published Syzygy files of the same
/// ending. Against a lone king nearly all positions have a distance, but the published files do not
/// store those of the side that has the fewer bytes.
const BYTES_PER_INDEX: f64 = 0.02;
const BYTES_PER_INDEX_OF_A_LONE_KING: f64 = 0.12;
const BYTES_PER_SYZYGY_BYTE: f64 = 5.0;
/// Bytes of a table of plies to mate, relative to one of plies to a zeroing move.
const MATE_BYTES: f64 = 1.6;
/// As `MATE_BYTES`, for a table of plies to mate under the fifty-move rule.
const MATE_FIFTY_BYTES: f64 = 2.7;

impl Batch {
    /// Every ending of 3 to `pieces` pieces, kings included.
    pub fn all(pieces: usize, metric: Metric) -> Self {
        let mut endings: Vec<Material> = (3..=pieces).flat_map(Material::all).collect();
        endings.sort_by_cached_key(|m| {
            let pawns = m.white().pawns() + m.black().pawns();
            (m.piece_count(), pawns, m.clone())
        });
        Self::new(endings, metric)
    }

    /// An ending and all it leads to.
    pub fn closure(material: &Material, metric: Metric) -> Self {
        Self::new(material.closure(), metric)
    }

    fn new(endings: Vec<Material>, metric: Metric) -> Self {
        Self {
            endings,
            metric,
            files: OutputFiles::default(),
            schedule: Schedule::default(),
            checkpoint: None,
        }
    }

    /// The endings in the order in which they are made.
    pub fn endings(&self) -> &[Material] {
        &self.endings
    }

    fn plan(&self, material: &Material) -> Plan {
        Plan {
            schedule: self.schedule,
            checkpoint: self.checkpoint.clone(),
            ..Plan::new(material.clone(), self.metric)
        }
    }

    fn wants_syzygy(&self) -> bool {
        self.files != OutputFiles::Tables
    }

    /// The endings whose tables are kept, or are needed for a file that is missing.
    fn with_tables(&self, tables: &Tables) -> BTreeSet<Material> {
        let endings = self.endings.iter();
        match self.files {
            OutputFiles::Tables | OutputFiles::TablesAndSyzygy => endings.cloned().collect(),
            OutputFiles::Syzygy => {
                let missing = endings.filter(|&m| syzygy::is_missing(m, tables));
                missing.flat_map(Material::closure).collect()
            }
        }
    }

    /// Estimates what is missing in the folder of `tables`. Nothing is opened or created.
    ///
    /// # Errors
    /// [`TableError::SyzygyMetric`] for Syzygy files of another metric; [`TableError::Stopped`].
    pub fn estimate(&self, tables: &Tables, run: &Run) -> Result<BatchEstimate, TableError> {
        if self.wants_syzygy() && self.metric != Metric::Zeroing {
            return Err(TableError::SyzygyMetric(self.metric));
        }
        let mut estimate = BatchEstimate::default();
        let with_tables = self.with_tables(tables);
        for material in &self.endings {
            run.stop.check()?;
            let table = with_tables.contains(material) && !tables.has(material);
            let syzygy = self.wants_syzygy() && syzygy::is_missing(material, tables);
            if !table && !syzygy {
                estimate.found.push(material.clone());
                continue;
            }
            let own = std::slice::from_ref(material);
            let mut ram = 0;
            if table {
                let half = largest_half(own, &self.plan(material), tables, run);
                ram = half.map_or(0, |(need, _)| need);
            }
            if syzygy {
                ram = ram.max(syzygy::least_bytes(own, tables, run));
            }
            let (bytes, cpu_seconds) = self.cost(material, table, syzygy, tables);
            estimate.missing.push(EndingEstimate {
                material: material.clone(),
                bytes,
                cpu_seconds,
                ram,
            });
        }
        Ok(estimate)
    }

    /// About the bytes and processor seconds of the files of an ending.
    fn cost(&self, material: &Material, table: bool, syzygy: bool, tables: &Tables) -> (u64, f64) {
        let halves = material.halves();
        let sides = halves.iter().map(|half| tables.space(half).len() as f64);
        let indices: f64 = 2.0 * sides.sum::<f64>() / halves.len() as f64;
        // Known of every ending of up to six pieces.
        let published = published_bytes(material).unwrap_or_default();
        let syzygy_bytes = published.iter().sum::<u64>() as f64;
        let megabytes = 1e-6 * syzygy_bytes;
        let (mut bytes, mut seconds) = (0.0, 0.0);
        if table {
            let per_index = match material.black().pieces().is_empty() {
                true => BYTES_PER_INDEX_OF_A_LONE_KING,
                false => BYTES_PER_INDEX,
            };
            let zeroing = per_index * indices + BYTES_PER_SYZYGY_BYTE * syzygy_bytes;
            bytes += match self.metric {
                Metric::Zeroing => zeroing,
                Metric::Mate | Metric::Conversion => MATE_BYTES * zeroing,
                Metric::MateFifty => MATE_FIFTY_BYTES * zeroing,
            };
            let each = match self.metric {
                Metric::MateFifty => MATE_FIFTY_NANOSECONDS,
                _ => TABLE_NANOSECONDS,
            };
            seconds += 1e-9 * each * indices + TABLE_SECONDS_PER_MEGABYTE * megabytes;
        }
        if syzygy {
            bytes += syzygy_bytes;
            seconds += SYZYGY_LEAST_SECONDS
                + 1e-9 * SYZYGY_NANOSECONDS * indices
                + SYZYGY_SECONDS_PER_MEGABYTE * megabytes;
        }
        (bytes as u64, seconds)
    }

    /// Estimates what is missing, and refuses a memory budget that is too small for an ending of
    /// it; creates nothing.
    ///
    /// # Errors
    /// [`TableError::OverBudget`] naming the ending that needs most; as for [`Batch::estimate`].
    pub fn require(&self, tables: &Tables, run: &Run) -> Result<BatchEstimate, TableError> {
        let estimate = self.estimate(tables, run)?;
        if let Some(largest) = estimate.largest() {
            let what = format!("{}, of {} endings", largest.material, self.endings.len());
            run.ram.require(&what, largest.ram)?;
        }
        Ok(estimate)
    }

    /// Builds what is missing, ending by ending. For [`OutputFiles::Syzygy`] the tables of all
    /// endings are removed at the end, also those that were there before. What exists is
    /// opened, and the checksums of Syzygy files are compared, so that a damaged
    /// file is refused; after a stop or a crash the same call resumes with the first unfinished
    /// file.
    ///
    /// # Errors
    /// [`TableError::OverBudget`] before the work starts if an ending does not fit; [`TableError`]
    /// as for [`build`](crate::build()).
    pub fn build(&self, tables: &Tables, run: &Run) -> Result<BuiltBatch, TableError> {
        let estimate = self.require(tables, run)?;
        let with_tables = self.with_tables(tables);
        let mut built = BuiltBatch {
            found: estimate.found,
            ..BuiltBatch::default()
        };
        built.found.sort_unstable();
        let count = self.endings.len();
        for (number, material) in (1..).zip(&self.endings) {
            run.stop.check()?;
            let part = || run.progress.part(format!("ending {number} of {count}"));
            part();
            let own = std::slice::from_ref(material);
            if with_tables.contains(material) {
                let table = build_endings(own, &self.plan(material), tables, run)?;
                built.work.merge(&table.work);
                built.made.extend(table.made);
            }
            if self.wants_syzygy() {
                part();
                run.progress.start(format!("checking {material}"), 0);
                let made = syzygy::write(material, tables, run, &mut built.work)?;
                built.syzygy.extend(made);
            }
        }
        run.progress.part("");
        if self.files == OutputFiles::Syzygy {
            built.removed = tables.remove(&self.endings)?;
        }
        Ok(built)
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Ram;

    use super::*;

    /// Each ending comes after those it leads to, and none is missing.
    #[test]
    fn endings_come_after_those_they_lead_to() {
        for (pieces, count) in [(3, 5), (4, 35), (5, 145)] {
            let batch = Batch::all(pieces, Metric::Zeroing);
            assert_eq!(batch.endings().len(), count);
            let mut before = BTreeSet::new();
            for material in batch.endings() {
                let children = material.children();
                assert!(children.iter().all(|c| before.contains(c)), "{material}");
                before.insert(material.clone());
            }
        }
    }

    /// What is missing is made, what exists is found, and the estimate is empty afterwards; a
    /// damaged file is refused.
    #[test]
    fn a_batch_is_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let mut batch = Batch::closure(&"KPvK".parse().unwrap(), Metric::Zeroing);
        batch.files = OutputFiles::TablesAndSyzygy;
        let run = Run::serial();
        let tables = || Tables::new(folder.path(), Metric::Zeroing);
        let estimate = batch.estimate(&tables(), &run).unwrap();
        assert_eq!((estimate.missing.len(), estimate.found.len()), (5, 0));
        assert!(estimate.bytes() > 10_000 && estimate.cpu_seconds() > 0.5);
        let small = Run::new(1, Ram::limited(1 << 20));
        let refused = batch.build(&tables(), &small).unwrap_err();
        assert!(matches!(refused, TableError::OverBudget(_)), "{refused}");
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
        let built = batch.build(&tables(), &run).unwrap();
        assert_eq!((built.made.len(), built.found.len()), (5, 0));
        assert_eq!(built.syzygy.len(), 10);
        // A table and a Syzygy file of different endings.
        std::fs::remove_file(folder.path().join("KQvK.dtz")).unwrap();
        std::fs::remove_file(folder.path().join("KRvK.rtbw")).unwrap();
        let names = |list: Vec<EndingEstimate>| {
            list.iter()
                .map(|e| e.material.to_string())
                .collect::<Vec<_>>()
        };
        let estimate = batch.estimate(&tables(), &run).unwrap();
        assert_eq!(names(estimate.missing), ["KQvK", "KRvK"]);
        let built = batch.build(&tables(), &run).unwrap();
        assert_eq!(built.made, ["KQvK".parse().unwrap()]);
        assert_eq!(built.syzygy, ["KRvK.rtbw"]);
        assert_eq!(built.found.len(), 3);
        let estimate = batch.estimate(&tables(), &run).unwrap();
        assert!(estimate.missing.is_empty() && estimate.largest().is_none());
        let damaged = folder.path().join("KPvK.rtbw");
        let mut bytes = std::fs::read(&damaged).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&damaged, bytes).unwrap();
        assert!(batch.build(&tables(), &run).is_err());
    }

    /// Of tables that only Syzygy files are made from none is left, and those that a missing file
    /// needs are made again.
    #[test]
    fn syzygy_files_are_kept_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut batch = Batch::closure(&"KPvK".parse().unwrap(), Metric::Zeroing);
        batch.files = OutputFiles::Syzygy;
        let run = Run::serial();
        let build = || {
            let tables = Tables::new(folder.path(), Metric::Zeroing);
            batch.build(&tables, &run).unwrap()
        };
        let names = || {
            let entries = std::fs::read_dir(folder.path()).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names.filter(|name| name != "lock").collect::<BTreeSet<_>>()
        };
        let built = build();
        assert_eq!((built.made.len(), built.removed.len()), (5, 5));
        let files = names();
        assert_eq!(files.len(), 10);
        assert!(files.iter().all(|name| name.contains(".rtb")), "{files:?}");
        let again = build();
        assert_eq!((again.found.len(), again.made.len()), (5, 0));
        // A rook and a king need the table of the kings alone, which is none.
        std::fs::remove_file(folder.path().join("KRvK.rtbz")).unwrap();
        let mended = build();
        assert_eq!(mended.made, ["KRvK".parse().unwrap()]);
        assert_eq!(mended.syzygy, ["KRvK.rtbz"]);
        assert_eq!(names(), files);
    }

    /// Syzygy files hold no plies to mate.
    #[test]
    fn syzygy_files_of_plies_to_mate_are_refused() {
        let mut batch = Batch::all(3, Metric::Mate);
        batch.files = OutputFiles::TablesAndSyzygy;
        let refused = batch.estimate(&Tables::new("nowhere", Metric::Mate), &Run::serial());
        assert!(matches!(refused, Err(TableError::SyzygyMetric(_))));
    }
}
