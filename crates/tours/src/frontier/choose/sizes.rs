//! How large the layers of a count will be, before they are made.

mod filling;

use everymove_kernel::run::Run;

use crate::board::Board;
use crate::frontier::FrontierError;
use crate::frontier::choose::known::{Known, is_measured};
use crate::frontier::residues::{EXACT_BITS, primes_needed};
use crate::frontier::states::matching::matchings;
use crate::frontier::step::Step;
use crate::frontier::step::plan::{Phase, Phases, Plan};
use crate::frontier::step::weights::{branch_weights, transfer};
use crate::frontier::vectors::degrees::{Degrees, masks};
use crate::frontier::vectors::live::{List, Live, in_ranges};
use crate::question::Question;
pub(crate) use filling::{Filling, Size};

/// Boards of more squares than this are counted by residues from the start: 9x20 boards, for
/// example, have counts around 2^128, and narrower ones are cheap either way.
const SURELY_LARGE: usize = 180;

/// What the counts of a board are like, as far as the sizes of its blocks depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counts {
    /// Exact counts.
    Exact,
    /// Residues, eight bytes each, of boards so long that no exact count is tried.
    Residues,
}

impl Counts {
    /// Of a board.
    pub(crate) fn of(board: &Board) -> Self {
        match board.playable() {
            ..=SURELY_LARGE => Self::Exact,
            _ => Self::Residues,
        }
    }

    /// How often the layers of a count of at most this many bits are made.
    pub(crate) fn passes(self, bits: f64) -> usize {
        match self {
            Self::Exact if bits <= EXACT_BITS => 1,
            Self::Exact | Self::Residues => primes_needed(bits),
        }
    }
}

/// About the size of each layer after a step, and the weights of the last.
pub(crate) fn layer_sizes<L: List>(
    start: Vec<f64>,
    steps: &[Step],
    layers: &[L],
    counts: Counts,
    run: &Run,
) -> Result<(Vec<Size>, Vec<f64>), FrontierError> {
    let mut sizes = Vec::new();
    let last = transfer(start, steps, layers, run, |i, list, weights| {
        let filling = Filling::of(steps[i].slots_out, list, weights, counts);
        let parts = in_ranges(list.len(), run, |range| {
            let mut part = Size::default();
            for (&degrees, &weight) in list[range.clone()].iter().zip(&weights[range]) {
                part.add(filling.size(degrees, weight));
            }
            part
        })?;
        sizes.push(Size::sum(&parts));
        Ok(())
    })?;
    Ok((sizes, last))
}

/// About the most bytes that the layers of a count take at once.
pub(crate) fn layer_bytes<L: List>(
    question: &Question,
    plan: &Plan,
    live: &Live<L>,
    counts: Counts,
    run: &Run,
) -> Result<f64, FrontierError> {
    // Where what is known at once shows that memory is plenty, the estimate is not worth its time.
    let plenty = run.ram.left() / 2;
    let is_known = is_measured(question) && counts == Counts::Exact;
    let known = Known::of(question).whole;
    let known = if is_known {
        known + known / 4
    } else {
        u64::MAX
    };
    if known < plenty {
        return Ok(known as f64);
    }
    Ok(match known.min(upper_bytes(live, run)?) {
        upper if upper < plenty => upper as f64,
        _ => bytes_at_once(&sizes(plan, live, counts, run)?),
    })
}

/// More bytes than the layers of a count can take, in a fraction of the time of an estimate.
fn upper_bytes<L: List>(live: &Live<L>, run: &Run) -> Result<u64, FrontierError> {
    let states = |&d: &Degrees| matchings(masks(d).ends.count_ones() as usize) as u64;
    let mut all: u64 = 0;
    for list in live.lists() {
        let list = list.open(run)?;
        let parts = in_ranges(list.len(), run, |range| {
            list[range].iter().map(states).sum::<u64>()
        })?;
        let layer = parts.into_iter().sum::<u64>().saturating_mul(9);
        all = all.saturating_add(layer);
    }
    Ok(all)
}

/// The sizes of the layers of a plan.
pub(crate) fn sizes<L: List>(
    plan: &Plan,
    live: &Live<L>,
    counts: Counts,
    run: &Run,
) -> Result<Phases<Vec<Size>>, FrontierError> {
    let size = |phase, start| layer_sizes(start, &plan.steps[phase], &live[phase], counts, run);
    let (common, branch) = size(Phase::Common, vec![1.0])?;
    if plan.meet.is_none() {
        return Ok(Phases {
            common,
            ..Phases::default()
        });
    }
    let what = "counting: the weights of degree vectors";
    let _held = run.ram.reserve(what, size_of_val(&branch[..]) as u64)?;
    let half = |phase| {
        let start = branch_weights(live, &branch, phase, run)?;
        Ok::<_, FrontierError>(size(phase, start)?.0)
    };
    Ok(Phases {
        first: half(Phase::First)?,
        second: half(Phase::Second)?,
        common,
    })
}

/// About the states of all layers.
pub(crate) fn states(sizes: &Phases<Vec<Size>>) -> f64 {
    Size::sum(sizes.each().into_iter().flatten()).states
}

/// About the most bytes of layers that a count of whole layers keeps at once.
pub(crate) fn bytes_at_once(sizes: &Phases<Vec<Size>>) -> f64 {
    let Phases {
        common,
        first,
        second,
    } = sizes;
    let shared = match first.is_empty() && second.is_empty() {
        true => 0.0,
        false => last(common),
    };
    // While the first half is counted, the second is kept.
    let halves = neighbours(second).max(neighbours(first) + last(second));
    neighbours(common).max(halves + shared)
}

/// The most bytes of two layers in a row.
pub(crate) fn neighbours(sizes: &[Size]) -> f64 {
    let pairs = sizes.windows(2).map(|pair| pair[0].bytes + pair[1].bytes);
    pairs.fold(sizes.first().map_or(0.0, |size| size.bytes), f64::max)
}

/// The bytes of the last layer.
pub(crate) fn last(sizes: &[Size]) -> f64 {
    sizes.last().map_or(0.0, |size| size.bytes)
}

#[cfg(test)]
mod tests;
