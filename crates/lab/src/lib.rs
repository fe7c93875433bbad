//! Experiments: what is measured, the measuring, and reports of it.
//!
//! An [`Experiment`] runs at one of two [sizes](Size) inside a [`Run`] and gives a [`Report`]: tables and
//! charts, with every result that is known from elsewhere [checked](Check) against it. Work counters stand beside
//! times, because times are noisy and counts are not.
//!
//! In reading order:
//! - `measure`: repeated runs and their medians;
//! - `known`: results from the literature with their sources;
//! - [`report`]: what an experiment found, as text, CSV, SVG and one HTML page;
//! - `experiments`: the experiments themselves, a file each.
//!
//! ```
//! let names: Vec<_> = everymove_lab::experiments().iter().map(|e| e.name).collect();
//! assert!(names.contains(&"tours-speedup"));
//! ```

mod experiments;
mod known;
mod measure;
pub mod report;

use everymove_kernel::run::{Run, Stopped};
use thiserror::Error;

pub use experiments::all as experiments;
pub use report::{Check, Report, Setting};

/// How much of an experiment is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// All experiments together take about a minute.
    Quick,
    /// As large as the experiment was meant: minutes each.
    Full,
}

/// One experiment.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// How the command line calls it.
    pub name: &'static str,
    /// What it asks, in a line.
    pub about: &'static str,
    run: fn(Size, &Run) -> Result<Report, LabError>,
}

impl Experiment {
    /// Runs the experiment.
    ///
    /// # Errors
    /// [`LabError`] if it is stopped or one of its parts fails. A result that disagrees with a known one is no error
    /// here but a [`Check`] of the report.
    pub fn run(&self, size: Size, run: &Run) -> Result<Report, LabError> {
        (self.run)(size, run)
    }
}

/// Why an experiment has no report.
#[derive(Debug, Error)]
pub enum LabError {
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A part of the experiment failed.
    #[error("{part}: {reason}")]
    Part {
        /// Which.
        part: String,
        /// What it said.
        reason: String,
    },
}

impl LabError {
    /// The failure of a part of an experiment.
    fn part(part: impl Into<String>, reason: impl ToString) -> Self {
        Self::Part {
            part: part.into(),
            reason: reason.to_string(),
        }
    }
}
