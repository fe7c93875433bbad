//! Repeated runs and their medians.

use everymove_draw::chart::Measured;
use everymove_kernel::machine::Meter;

use crate::Size;

/// How long something took over repeated runs: medians, with the least and the greatest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timing {
    /// Seconds on the wall clock.
    pub(crate) wall: Measured,
    /// Processor seconds of all threads.
    pub(crate) cpu: Measured,
    /// How many runs there were.
    pub(crate) runs: usize,
}

impl Timing {
    /// How many times as fast this is as `other`, by the wall clock: the ratio of the medians, with
    /// the ratios of the extremes that are furthest apart.
    pub(crate) fn speed_up(&self, other: &Self) -> Measured {
        ratio(other.wall, self.wall)
    }
}

/// Runs `act` often enough that its median means something, and gives its last result.
///
/// Short work is repeated up to 25 times; once a fair share of time is spent, no more runs begin.
/// The first run, which finds caches and memory cold, counts only where there are at most two.
pub(crate) fn repeat<T, E>(
    size: Size,
    act: impl FnMut() -> Result<T, E>,
) -> Result<(T, Timing), E> {
    repeat_at_least(1, size, act)
}

/// As [`repeat`], with at least `least` runs.
pub(crate) fn repeat_at_least<T, E>(
    least: usize,
    size: Size,
    mut act: impl FnMut() -> Result<T, E>,
) -> Result<(T, Timing), E> {
    let (share, most) = match size {
        Size::Quick => (0.25, 9),
        Size::Full => (3.0, 25),
    };
    let (mut walls, mut cpus) = (Vec::new(), Vec::new());
    let all = Meter::start();
    loop {
        let meter = Meter::start();
        let result = act()?;
        walls.push(meter.wall_seconds());
        cpus.push(meter.cpu_seconds());
        let enough = walls.len() > most || all.wall_seconds() >= share;
        if enough && walls.len() >= least {
            if walls.len() > 2 {
                walls.remove(0);
                cpus.remove(0);
            }
            let timing = Timing {
                wall: summary(&mut walls),
                cpu: summary(&mut cpus),
                runs: walls.len(),
            };
            return Ok((result, timing));
        }
    }
}

/// The ratio of two measured values: of their medians, with the ratios of the extremes that are
/// furthest apart; 1 for equal ones.
pub(crate) fn ratio(a: Measured, b: Measured) -> Measured {
    if a == b {
        return 1.0.into();
    }
    Measured {
        value: a.value / b.value,
        least: a.least / b.greatest,
        greatest: a.greatest / b.least,
    }
}

/// The median of one or more values (the middle one, or the mean of the two in the middle) between
/// the least and the greatest.
pub(crate) fn summary(values: &mut [f64]) -> Measured {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    let value = if values.len().is_multiple_of(2) {
        (values[half - 1] + values[half]) / 2.0
    } else {
        values[half]
    };
    Measured {
        value,
        least: values[0],
        greatest: values[values.len() - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_lie_in_the_middle() {
        assert_eq!(summary(&mut [3.0, 1.0, 2.0]).value, 2.0);
        let even = summary(&mut [4.0, 1.0, 3.0, 2.0]);
        assert_eq!((even.value, even.least, even.greatest), (2.5, 1.0, 4.0));
        assert_eq!(summary(&mut [7.0]), 7.0.into());
    }

    #[test]
    fn short_work_is_repeated_and_errors_end_it() {
        let mut calls = 0;
        let (last, timing) = repeat(Size::Quick, || {
            calls += 1;
            Ok::<_, ()>(calls)
        })
        .unwrap();
        // The first run does not count where there are more.
        assert_eq!(timing.runs, if last > 2 { last - 1 } else { last });
        assert!((1..=9).contains(&timing.runs));
        assert!(timing.wall.least >= 0.0 && timing.cpu.least >= 0.0);
        assert_eq!(repeat(Size::Full, || Err::<(), _>("no")), Err("no"));
    }
}
