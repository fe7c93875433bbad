//! Experiments: what is measured, the measuring, and reports of it.
//!
//! An [`Experiment`] runs at one of two [sizes](Size) inside a [`Run`] and returns a [`Report`]:
//! tables and charts, and every result that is known from elsewhere [checked](Check) against it.
//! Tables have work counters beside times, because times vary and counts do not.
//!
//! In reading order:
//! - `measure`: repeated runs and their medians;
//! - `known`: results from the literature with their sources;
//! - [`report`]: what an experiment found, as text, CSV, SVG and one HTML page;
//! - `experiments`: the experiments themselves, a file each;
//! - [`endings`]: statistics of endgame tables as pages;
//! - [`run_series`]: several experiments with their progress.
//!
//! ```
//! let names: Vec<_> = everymove_lab::experiments().iter().map(|e| e.name).collect();
//! assert!(names.contains(&"tours-speedup"));
//! ```

pub mod endings;
mod experiments;
mod known;
mod measure;
pub mod report;

mod error;
mod series;

use std::collections::BTreeSet;
use std::time::Duration;

use everymove_kernel::machine;
use everymove_kernel::run::Run;

pub use error::{LabError, UnknownExperiment};
pub use experiments::{all as experiments, find};
pub use report::{Check, Report, Setting};
pub use series::run_series;

/// How much of an experiment is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// All experiments together take about a minute.
    Quick,
    /// As large as the experiment was designed: up to some minutes each.
    Full,
}

/// How experiments are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How much of each is done.
    pub size: Size,
    /// The numbers of threads that are compared; nothing runs on more threads than the largest.
    /// Never empty.
    threads: BTreeSet<usize>,
    /// Whether they were asked for.
    asked: bool,
}

impl Options {
    /// Compares one thread, all cores and the doublings between, and twice as many threads as there
    /// are cores or four.
    pub fn new(size: Size) -> Self {
        let cores = machine::cores();
        Self {
            size,
            threads: up_to(cores).chain([(2 * cores).max(4)]).collect(),
            asked: false,
        }
    }

    /// Compares one thread, `most` threads and the doublings between; 0 counts as 1.
    #[must_use]
    pub fn up_to_threads(self, most: usize) -> Self {
        Self {
            threads: up_to(most.max(1)).collect(),
            asked: true,
            ..self
        }
    }

    /// Compares exactly these numbers of threads; zeros are left out, and none at all count as 1.
    #[must_use]
    pub fn on_threads(self, threads: impl IntoIterator<Item = usize>) -> Self {
        let mut threads: BTreeSet<usize> = threads.into_iter().filter(|&n| n > 0).collect();
        if threads.is_empty() {
            threads.insert(1);
        }
        Self {
            threads,
            asked: true,
            ..self
        }
    }

    /// The numbers of threads that are compared, ascending.
    pub fn threads(&self) -> &BTreeSet<usize> {
        &self.threads
    }

    /// The numbers of threads above one that are compared: those that were asked for, else `usual`.
    fn several(&self, usual: &[usize]) -> Vec<usize> {
        match self.asked {
            true => self.threads.iter().copied().filter(|&n| n > 1).collect(),
            false => usual.to_vec(),
        }
    }

    /// `wanted` threads, or as many as are allowed.
    fn at_most(&self, wanted: usize) -> usize {
        let most = self.threads.last().copied().unwrap_or(1);
        wanted.min(most)
    }
}

/// One, its doublings below `most`, and `most`.
fn up_to(most: usize) -> impl Iterator<Item = usize> {
    let doublings = std::iter::successors(Some(1), |n| Some(n * 2));
    doublings.take_while(move |&n| n < most).chain([most])
}

/// One experiment.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name in lists, commands and names of files.
    pub name: &'static str,
    /// What it measures, in a line.
    pub about: &'static str,
    /// Seconds that it takes, about, by size: quick and full, on a machine with two cores.
    seconds: (u32, u32),
    run: fn(&Options, &Run) -> Result<Report, LabError>,
}

impl Experiment {
    /// How long it takes, about, on a machine with two cores.
    pub fn duration(&self, size: Size) -> Duration {
        let (quick, full) = self.seconds;
        Duration::from_secs(u64::from(match size {
            Size::Quick => quick,
            Size::Full => full,
        }))
    }

    /// Runs the experiment. The threads are those of `options`, whatever those of `run` are.
    ///
    /// # Errors
    /// [`LabError`] if it is stopped or one of its parts fails. A result that disagrees with a
    /// known one is no error here but a [`Check`] of the report.
    pub fn run(&self, options: &Options, run: &Run) -> Result<Report, LabError> {
        let most = options.at_most(usize::MAX);
        (self.run)(options, &run.with_threads(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_those_that_are_asked_for() {
        let of = |options: Options| options.threads.into_iter().collect::<Vec<_>>();
        let quick = || Options::new(Size::Quick);
        assert_eq!(of(quick().up_to_threads(6)), [1, 2, 4, 6]);
        assert_eq!(of(quick().up_to_threads(0)), [1]);
        assert_eq!(of(quick().on_threads([3, 1, 0])), [1, 3]);
        assert_eq!(of(quick().on_threads([])), [1]);
        assert!(of(quick()).ends_with(&[(2 * machine::cores()).max(4)]));
        assert_eq!(quick().several(&[2, 8]), [2, 8]);
        assert_eq!(quick().on_threads([1, 3]).several(&[2, 8]), [3]);
        assert_eq!(quick().on_threads([3]).at_most(2), 2);
        assert_eq!(quick().on_threads([3]).at_most(8), 3);
    }
}
