//! What experiments with endgame tables share: an ending whose sub-tables are there, made again and
//! again.

use everymove_kernel::files::read_file;
use everymove_kernel::run::{Ram, Run};
use everymove_tables::{
    Material, Metric, Plan, Schedule, TableError, Tables, Traffic, build, least_bytes,
};
use tempfile::TempDir;

use crate::report::Check;
use crate::{LabError, known};

/// A folder with all that an ending needs.
pub(super) struct Workshop {
    folder: TempDir,
    material: Material,
    uncached: bool,
}

/// What making a table gave.
pub(super) struct Made {
    pub(super) traffic: Traffic,
    /// The most that was ever taken from the memory budget, in bytes.
    pub(super) budget_peak: u64,
    /// Plies of the longest win of either side.
    pub(super) longest: u16,
    /// Positions numbered, of both sides to move.
    pub(super) positions: u64,
}

fn failed(error: TableError) -> LabError {
    match error {
        TableError::Stopped(stopped) => stopped.into(),
        TableError::OverBudget(over) => over.into(),
        error => LabError::part("tables", error),
    }
}

impl Workshop {
    /// Makes what the ending needs.
    pub(super) fn new(ending: &str, run: &Run) -> Result<Self, LabError> {
        let folder = tempfile::tempdir().map_err(|e| LabError::part("temporary folder", e))?;
        let material: Material = ending.parse().map_err(|e| LabError::part("ending", e))?;
        let workshop = Self {
            folder,
            material,
            uncached: false,
        };
        let tables = workshop.tables();
        for child in workshop.material.children() {
            let plan = Plan {
                material: child,
                ..workshop.plan(Schedule::Leapfrog)
            };
            build(&plan, &tables, run).map_err(failed)?;
        }
        Ok(workshop)
    }

    fn tables(&self) -> Tables {
        Tables::new(self.folder.path(), Metric::Mate)
    }

    fn plan(&self, schedule: Schedule) -> Plan {
        Plan {
            schedule,
            uncached: self.uncached,
            ..Plan::new(self.material.clone(), Metric::Mate)
        }
    }

    /// Whether files are dropped from the system's cache while a table is made.
    pub(super) fn set_uncached(&mut self, uncached: bool) {
        self.uncached = uncached;
    }

    /// The least memory that it can be made in, in bytes.
    pub(super) fn least(&self, schedule: Schedule) -> u64 {
        let _ = std::fs::remove_file(self.tables().path(&self.material));
        least_bytes(&self.plan(schedule), &self.tables())
    }

    /// Makes the table, whether or not it is there.
    pub(super) fn make(&self, schedule: Schedule, run: &Run) -> Result<Made, LabError> {
        let tables = self.tables();
        let _ = std::fs::remove_file(tables.path(&self.material));
        // An account of its own, so that its peak is that of this table.
        let own = Run {
            ram: Ram::limited(run.ram.limit()),
            ..run.clone()
        };
        let built = build(&self.plan(schedule), &tables, &own).map_err(failed)?;
        Ok(Made {
            traffic: built.traffic,
            budget_peak: own.ram.peak(),
            longest: tables.longest_win(&self.material).map_err(failed)?,
            positions: built.work.get("positions"),
        })
    }

    /// The table's file.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, LabError> {
        let path = self.tables().path(&self.material);
        read_file(&path).map_err(|e| LabError::part("table", e))
    }
}

/// What each way to make a table is checked for: the bytes, and the longest win.
pub(super) fn checks(ending: &str, what: &str, made: &Made, same: bool) -> Vec<Check> {
    let words = |same| {
        if same {
            "the same bytes"
        } else {
            "other bytes"
        }
    };
    let bytes = Check {
        what: format!("{what}: the file"),
        found: words(same).into(),
        known: words(true).into(),
        source: "the first way to make it".into(),
    };
    let known = known::tables(ending, "longest win in plies");
    let longest = known.map(|known| Check {
        what: format!("{what}: longest win in plies"),
        found: made.longest.to_string(),
        known: known.value.into(),
        source: known.source.into(),
    });
    [bytes].into_iter().chain(longest).collect()
}
