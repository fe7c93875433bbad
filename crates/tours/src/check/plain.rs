//! The slow check: orders the squares by step, examines every step and reports the first fault.

use everymove_kernel::grid::{Grid, Square};
use everymove_kernel::run::Stop;

use super::{Fault, Rules};
use crate::tour::Tour;

/// Squares between two checks of the stop flag.
const STRIDE: usize = 1 << 20;

/// The first and last square of a sound sequence of steps, or its fault.
///
/// Once the flag is raised, the result means nothing.
pub(super) fn ends(
    rules: &Rules,
    grid: Grid,
    steps: &[u32],
    stop: &Stop,
) -> Result<(Square, Square), Fault> {
    const NOWHERE: u32 = u32::MAX;
    let mut order = vec![NOWHERE; rules.squares];
    let mut twice = None;
    for (square, &step) in steps.iter().enumerate() {
        if square.is_multiple_of(STRIDE) && stop.is_raised() {
            return Ok((0, 0));
        }
        let name = || grid.name(square);
        let printed = u64::from(step) + 1;
        let hole = rules.holes.binary_search(&square).is_ok();
        match (hole, step == Tour::HOLE) {
            (true, true) => continue,
            (true, false) => {
                return Err(Fault::HoleVisited {
                    step: printed,
                    square: name(),
                });
            }
            (false, true) => return Err(Fault::NotVisited { square: name() }),
            (false, false) => {}
        }
        match order.get_mut(step as usize) {
            None => {
                return Err(Fault::StepTooLarge {
                    step: printed,
                    square: name(),
                    last: rules.squares as u64,
                });
            }
            Some(place) if *place == NOWHERE => *place = square as u32,
            Some(place) => twice = twice.or(Some((printed, *place as usize, square))),
        }
    }
    if let Some((step, first, second)) = twice {
        let missing = order.iter().position(|&square| square == NOWHERE);
        return Err(Fault::StepTwice {
            step,
            first: grid.name(first),
            second: grid.name(second),
            missing: missing.map_or(0, |step| step as u64 + 1),
        });
    }
    for (step, pair) in order.windows(2).enumerate() {
        if step.is_multiple_of(STRIDE) && stop.is_raised() {
            return Ok((0, 0));
        }
        let (from, to) = (pair[0] as usize, pair[1] as usize);
        if !rules.is_move(from, to) {
            return Err(Fault::NotAMove {
                step: step as u64 + 1,
                from: grid.name(from),
                to: grid.name(to),
                leaper: rules.piece(),
            });
        }
    }
    Ok((order[0] as usize, order[rules.squares - 1] as usize))
}
