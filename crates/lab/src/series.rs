//! Experiments one after another, with the time left.

use std::time::{Duration, Instant};

use everymove_kernel::run::Run;

use crate::{Experiment, LabError, Options, Report};

/// Runs experiments one after another and gives each report to `finished` as soon as it is there.
///
/// The progress of the run has a stage for each: `experiment 3 of 9 · pegs-search`. The time left
/// is that of the list of experiments, corrected by what the finished ones took.
///
/// # Errors
/// What an experiment or `finished` returns; nothing is run after that.
pub fn run_series<E: From<LabError>>(
    experiments: &[&'static Experiment],
    options: &Options,
    run: &Run,
    mut finished: impl FnMut(Report) -> Result<(), E>,
) -> Result<(), E> {
    let mut pace = Pace::default();
    for (number, experiment) in experiments.iter().enumerate() {
        let rest = &experiments[number..];
        let expected = rest.iter().map(|e| e.duration(options.size)).sum();
        let stage = match experiments.len() {
            1 => experiment.name.to_owned(),
            all => format!("experiment {} of {all} · {}", number + 1, experiment.name),
        };
        run.progress.stage(stage, Some(pace.corrected(expected)));
        let start = Instant::now();
        let report = experiment.run(options, run);
        pace.took(experiment.duration(options.size), start.elapsed());
        finished(report.map_err(|error| error.within(experiment.name))?)?;
    }
    Ok(())
}

/// How the times of this machine compare with those of the list.
#[derive(Debug, Default)]
struct Pace {
    expected: Duration,
    taken: Duration,
}

impl Pace {
    fn took(&mut self, expected: Duration, taken: Duration) {
        self.expected += expected;
        self.taken += taken;
    }

    fn corrected(&self, expected: Duration) -> Duration {
        if self.expected.is_zero() {
            return expected;
        }
        expected.mul_f64(self.taken.as_secs_f64() / self.expected.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_corrected_by_the_time_taken() {
        let seconds = Duration::from_secs;
        let mut pace = Pace::default();
        assert_eq!(pace.corrected(seconds(10)), seconds(10));
        pace.took(seconds(4), seconds(6));
        pace.took(seconds(6), seconds(14));
        assert_eq!(pace.corrected(seconds(10)), seconds(20));
    }
}
