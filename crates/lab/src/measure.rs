//! Repeated runs and their medians.

use everymove_kernel::machine::Meter;

use crate::Size;

/// How long something took, as medians over repeated runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timing {
    /// Seconds on the wall clock.
    pub(crate) wall: f64,
    /// Processor seconds of all threads.
    pub(crate) cpu: f64,
    /// How many runs there were.
    pub(crate) runs: usize,
}

/// Runs `act` often enough that its median means something, and gives its last result.
///
/// Short work is repeated up to 25 times; once a fair share of time is spent, no more runs begin.
pub(crate) fn repeat<T, E>(
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
        if walls.len() >= most || all.wall_seconds() >= share {
            let timing = Timing {
                wall: median(&mut walls),
                cpu: median(&mut cpus),
                runs: walls.len(),
            };
            return Ok((result, timing));
        }
    }
}

/// The middle value, or the mean of the two in the middle.
fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len().is_multiple_of(2) {
        (values[half - 1] + values[half]) / 2.0
    } else {
        values[half]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_lie_in_the_middle() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&mut [7.0]), 7.0);
    }

    #[test]
    fn short_work_is_repeated_and_errors_end_it() {
        let mut calls = 0;
        let (last, timing) = repeat(Size::Quick, || {
            calls += 1;
            Ok::<_, ()>(calls)
        })
        .unwrap();
        assert_eq!(last, timing.runs);
        assert!((1..=9).contains(&timing.runs));
        assert!(timing.wall >= 0.0 && timing.cpu >= 0.0);
        assert_eq!(repeat(Size::Full, || Err::<(), _>("no")), Err("no"));
    }
}
