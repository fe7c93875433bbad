//! `tables build --all` and `--estimate`: many endings built, or estimated.

use std::path::Path;

use everymove_kernel::run::{Bytes, Work};
use everymove_tables::Material;
use everymove_tables::batch::{Batch, BatchEstimate, BuiltBatch, EndingEstimate};
use schemars::JsonSchema;
use serde::Serialize;

use super::source::Metric;
use crate::terminal::Text;

/// The tables of many endings that were built.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BatchAnswer {
    /// The number of endings.
    pub endings: usize,
    /// What the distances count.
    pub metric: Metric,
    /// The directory of the tables.
    pub out: String,
    /// The endings whose tables were made.
    pub made: Vec<String>,
    /// The endings all of whose files existed.
    pub found: Vec<String>,
    /// The Syzygy files that were written.
    pub syzygy: Vec<String>,
    /// The endings whose tables were removed; left out where tables are kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    #[serde(skip)]
    work: Work,
}

/// What is missing, and about what it costs to make it. Bytes and seconds are estimates; memory is
/// what is asked for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EstimateAnswer {
    /// The number of endings.
    pub endings: usize,
    /// The number of endings all of whose files exist.
    pub found_endings: usize,
    /// What the distances count.
    pub metric: Metric,
    /// The endings of which a file is missing, in the order in which they are made.
    pub missing: Vec<MissingEnding>,
    /// Bytes of all files to be made, about.
    pub bytes: u64,
    /// Processor seconds of all threads together, about.
    pub estimated_cpu_seconds: f64,
    /// Bytes of memory without which an ending cannot be made, by the one that needs most; 0 if
    /// nothing is missing.
    pub ram_bytes: u64,
}

/// An ending of which a file is missing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MissingEnding {
    /// The ending.
    pub material: String,
    /// Bytes of the files to be made, about.
    pub bytes: u64,
    /// Processor seconds, about.
    pub estimated_cpu_seconds: f64,
    /// Bytes of memory without which it cannot be made.
    pub ram_bytes: u64,
}

fn names(list: &[Material]) -> Vec<String> {
    list.iter().map(Material::to_string).collect()
}

/// Seconds in hundredths.
fn rounded(seconds: f64) -> f64 {
    (seconds * 100.0).round() / 100.0
}

impl BatchAnswer {
    pub(super) fn new(batch: &Batch, built: BuiltBatch, out: &Path) -> Self {
        Self {
            endings: batch.endings().len(),
            metric: batch.metric.into(),
            out: out.display().to_string(),
            made: names(&built.made),
            found: names(&built.found),
            syzygy: built.syzygy,
            removed: names(&built.removed),
            work: built.work,
        }
    }

    pub(super) fn work(&self) -> Work {
        self.work.clone()
    }
}

impl EstimateAnswer {
    pub(super) fn new(batch: &Batch, estimate: &BatchEstimate) -> Self {
        let missing = estimate.missing.iter().map(|ending| {
            let EndingEstimate {
                material,
                bytes,
                cpu_seconds,
                ram,
            } = ending;
            MissingEnding::new(material.to_string(), *bytes, *cpu_seconds, *ram)
        });
        Self::of(
            batch.endings().len(),
            batch.metric.into(),
            missing.collect(),
        )
    }

    /// The estimate of some of a number of endings.
    pub(super) fn of(endings: usize, metric: Metric, missing: Vec<MissingEnding>) -> Self {
        Self {
            endings,
            found_endings: endings - missing.len(),
            metric,
            bytes: missing.iter().map(|one| one.bytes).sum(),
            estimated_cpu_seconds: rounded(
                missing.iter().map(|one| one.estimated_cpu_seconds).sum(),
            ),
            ram_bytes: missing.iter().map(|one| one.ram_bytes).max().unwrap_or(0),
            missing,
        }
    }
}

impl MissingEnding {
    pub(super) fn new(material: String, bytes: u64, cpu_seconds: f64, ram_bytes: u64) -> Self {
        Self {
            material,
            bytes,
            estimated_cpu_seconds: rounded(cpu_seconds),
            ram_bytes,
        }
    }
}

impl BatchAnswer {
    /// The answer in words.
    pub(super) fn text(&self) -> Text {
        let mut full = format!(
            "{} endings in {}: made {} tables",
            self.endings,
            self.out,
            self.made.len()
        );
        if !self.syzygy.is_empty() {
            full += &format!(" and {} Syzygy files", self.syzygy.len());
        }
        full += &format!(", found {} complete", self.found.len());
        if !self.removed.is_empty() {
            full += &format!("; removed {} tables", self.removed.len());
        }
        full += "\n";
        let bare = format!("{}\n", self.out);
        Text { bare, full }
    }
}

impl EstimateAnswer {
    /// The answer in words.
    pub(super) fn text(&self) -> Text {
        let line = |ending: &MissingEnding| {
            format!(
                "{:<8} about {:>7}, {:>6.1} CPU-s, needs {:>7} RAM\n",
                ending.material,
                Bytes(ending.bytes).to_string(),
                ending.estimated_cpu_seconds,
                Bytes(ending.ram_bytes).to_string()
            )
        };
        let bare: String = self.missing.iter().map(line).collect();
        let full = format!("{bare}{}\n", self.sum());
        Text { bare, full }
    }

    /// What all missing endings take, in a line.
    pub(super) fn sum(&self) -> String {
        let found = self.found_endings;
        match self.missing.len() {
            0 => format!("all {found} endings are there already"),
            missing => format!(
                "{missing} of {} endings to be made: about {} of files, {} CPU-s; needs {} RAM",
                self.endings,
                Bytes(self.bytes),
                self.estimated_cpu_seconds.round(),
                Bytes(self.ram_bytes)
            ),
        }
    }
}
