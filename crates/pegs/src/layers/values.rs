//! Values of the positions of a layer, computed from those of their successors.

use std::convert::Infallible;
use std::ops::ControlFlow;

use everymove_kernel::parallel;
use everymove_kernel::run::{OverBudget, Ram, Reservation, Run};

use super::layout::{ClassLayers, Layer, Span};
use super::slices::{JOBS_PER_THREAD, split_lengths};
use super::split::Part;
use super::successors::{Steps, SuccessorTable};
use crate::error::PegError;
use crate::position::Bits;

/// How many positions of a layer come before each of its words.
pub(crate) struct OrdinalIndex {
    before: Vec<u32>,
    total: usize,
    _held: Reservation,
}

impl OrdinalIndex {
    /// The ordinals of a layer of fewer than 2^32 positions.
    pub(crate) fn new(layer: &Layer, ram: &Ram) -> Result<Self, OverBudget> {
        let held = ram.reserve("the ordinals of a layer", 4 * layer.words.len() as u64 + 4)?;
        let mut total = 0u64;
        let mut before = Vec::with_capacity(layer.words.len() + 1);
        for word in &layer.words {
            before.push(total as u32);
            total += u64::from(word.count_ones());
        }
        before.push(total as u32);
        assert!(
            total <= u64::from(u32::MAX),
            "a layer whose numbers fit memory has fewer positions"
        );
        Ok(Self {
            before,
            total: total as usize,
            _held: held,
        })
    }

    /// Number of positions.
    pub(crate) fn len(&self) -> usize {
        self.total
    }

    /// How many positions come before a word.
    pub(crate) fn before(&self, word: usize) -> usize {
        self.before[word] as usize
    }

    /// How many positions come before the one with an index, or `None` if it is not in the layer.
    #[inline(always)]
    pub(crate) fn of(&self, layer: &Layer, index: usize) -> Option<usize> {
        let (at, bit) = (index >> 6, index & 63);
        let word = layer.words[at];
        if word >> bit & 1 == 0 {
            return None;
        }
        Some(self.before[at] as usize + (word & ((1 << bit) - 1)).count_ones() as usize)
    }
}

/// A number for every position of a layer.
pub(crate) struct LayerValues<T> {
    pub(crate) ordinals: OrdinalIndex,
    pub(crate) values: Vec<T>,
    _held: Reservation,
}

impl<T: Copy + Default> LayerValues<T> {
    /// The default for every position.
    pub(crate) fn new(layer: &Layer, ram: &Ram) -> Result<Self, OverBudget> {
        let ordinals = OrdinalIndex::new(layer, ram)?;
        let bytes = (ordinals.len() * size_of::<T>()) as u64;
        let held = ram.reserve("the numbers of a layer", bytes)?;
        Ok(Self {
            values: vec![T::default(); ordinals.len()],
            ordinals,
            _held: held,
        })
    }

    /// The number of the position with an index.
    #[inline(always)]
    pub(crate) fn of(&self, layer: &Layer, index: usize) -> Option<&T> {
        self.ordinals
            .of(layer, index)
            .map(|ordinal| &self.values[ordinal])
    }
}

/// How a position's number follows from its children's.
pub(crate) trait Recurrence: Sync {
    /// The number.
    type Value: Copy + Default + Send + Sync;
    /// What is gathered over the children.
    type Sum: Copy + Default;
    /// Takes in a child.
    fn add(&self, sum: &mut Self::Sum, child: &Self::Value);
    /// The number of the position with an index.
    fn value(&self, sum: Self::Sum, index: usize) -> Self::Value;
}

/// A number for every position of a layer, each computed on its own.
///
/// Every thread begins with its own `start()`, calls `take` with the number of each canonical head it reaches, and
/// calls `value` with head, tail and index of each of its positions.
///
/// # Errors
/// [`PegError::OverBudget`] if the numbers do not fit, [`PegError::Stopped`].
pub(crate) fn values_of_positions<T: Copy + Default + Send + Sync, S: Send>(
    class_layers: &ClassLayers,
    layer: &Layer,
    run: &Run,
    start: impl Fn() -> S + Sync,
    take: impl Fn(&mut S, usize) + Sync,
    value: impl Fn(&mut S, Part, Part, usize) -> T + Sync,
) -> Result<LayerValues<T>, PegError> {
    let mut numbers = LayerValues::new(layer, &run.ram)?;
    let ordinals = &numbers.ordinals;
    let cuts = layer.layout.cut(JOBS_PER_THREAD * run.threads.get());
    let before = |id: usize| ordinals.before(layer.layout.start(id));
    let lengths = cuts
        .iter()
        .map(|heads| before(heads.end) - before(heads.start));
    let parts = split_lengths(&mut numbers.values, lengths);
    let jobs = cuts.iter().cloned().zip(parts);
    parallel::for_each(run, jobs, start, |state, (heads, values)| {
        let mut values = values.iter_mut();
        for id in heads {
            let range = layer.layout.range(id);
            if layer.words[range.clone()].iter().all(|&word| word == 0) {
                continue;
            }
            take(state, id);
            let head = class_layers.split().heads()[id];
            let tails = class_layers.group(id, layer.pegs()).chunks(64);
            for (at, tails) in range.zip(tails) {
                for (bit, number) in Bits(layer.words[at]).zip(&mut values) {
                    *number = value(state, head, tails[bit], at * 64 + bit);
                }
            }
        }
    })?;
    Ok(numbers)
}

/// The numbers of `from`, by `rule`, from those of the layer below; children that are not in it are passed over.
///
/// # Errors
/// As [`number`].
pub(crate) fn values_from_successors<const W: usize, R: Recurrence>(
    class_layers: &ClassLayers,
    from: &Layer,
    steps: &Steps<W>,
    below: Option<(&Layer, &LayerValues<R::Value>)>,
    rule: &R,
    run: &Run,
) -> Result<LayerValues<R::Value>, PegError> {
    let Some((layer, children)) = below else {
        return values_of_positions(
            class_layers,
            from,
            run,
            || (),
            |(), _| (),
            |(), _, _, index| rule.value(R::Sum::default(), index),
        );
    };
    let start = || SuccessorTable::new(class_layers.split(), steps, Span::whole(&layer.layout));
    values_of_positions(
        class_layers,
        from,
        run,
        start,
        SuccessorTable::take,
        |successors, _, tail, index| {
            let mut sum = R::Sum::default();
            let ControlFlow::Continue(()) = successors.each(tail, |index| {
                if let Some(child) = children.of(layer, index) {
                    rule.add(&mut sum, child);
                }
                ControlFlow::<Infallible>::Continue(())
            });
            rule.value(sum, index)
        },
    )
}
