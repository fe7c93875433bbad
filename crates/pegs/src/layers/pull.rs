//! Numbers attached to the positions of a layer, computed from those of their children.

use std::ops::ControlFlow;

use everymove_kernel::run::{OverBudget, Ram, Reservation, Run};

use super::desk::{Desk, Steps};
use super::layout::{Layer, Stack};
use super::sweep::{JOBS_PER_THREAD, split_lengths, sweep};
use crate::error::PegError;
use crate::position::Bits;

/// How many positions of a layer come before each of its words.
pub(crate) struct Ordinals {
    before: Vec<u32>,
    total: usize,
    _held: Reservation,
}

impl Ordinals {
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
pub(crate) struct Numbers<T> {
    pub(crate) ordinals: Ordinals,
    pub(crate) values: Vec<T>,
    _held: Reservation,
}

impl<T: Copy + Default> Numbers<T> {
    /// The default for every position.
    pub(crate) fn new(layer: &Layer, ram: &Ram) -> Result<Self, OverBudget> {
        let ordinals = Ordinals::new(layer, ram)?;
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
pub(crate) trait Rule: Sync {
    /// The number.
    type Value: Copy + Default + Send + Sync;
    /// What is gathered over the children.
    type Sum: Copy + Default;
    /// Takes in a child.
    fn add(&self, sum: &mut Self::Sum, child: &Self::Value);
    /// The number of the position with an index.
    fn value(&self, sum: Self::Sum, index: usize) -> Self::Value;
}

/// The numbers of `from`, by `rule`, from those of the layer below; children that are not in it are passed over.
///
/// # Errors
/// [`PegError::OverBudget`] if the numbers do not fit, [`PegError::Stopped`].
pub(crate) fn pull<const W: usize, R: Rule>(
    stack: &Stack,
    from: &Layer,
    steps: &Steps<W>,
    below: Option<(&Layer, &Numbers<R::Value>)>,
    rule: &R,
    run: &Run,
) -> Result<Numbers<R::Value>, PegError> {
    let mut numbers = Numbers::new(from, &run.ram)?;
    let ordinals = &numbers.ordinals;
    let cuts = from.layout.cut(JOBS_PER_THREAD * run.threads.get());
    let before = |id: usize| ordinals.before(from.layout.start(id));
    let lengths = cuts
        .iter()
        .map(|heads| before(heads.end) - before(heads.start));
    let parts = split_lengths(&mut numbers.values, lengths);
    let jobs = cuts.iter().cloned().zip(parts);
    let start = || below.map(|(layer, _)| Desk::new(stack.split(), steps, &layer.layout));
    sweep(run, jobs, start, |desk, (heads, values)| {
        let mut values = values.iter_mut();
        for id in heads {
            let range = from.layout.range(id);
            if from.words[range.clone()].iter().all(|&word| word == 0) {
                continue;
            }
            if let Some(desk) = desk {
                desk.take(id);
            }
            let tails = stack.group(id, from.pegs()).chunks(64);
            for (at, tails) in range.zip(tails) {
                for (bit, value) in Bits(from.words[at]).zip(&mut values) {
                    let mut sum = R::Sum::default();
                    if let (Some(desk), Some((layer, children))) = (&desk, below) {
                        let _: ControlFlow<()> = desk.each(tails[bit], |index| {
                            if let Some(child) = children.of(layer, index) {
                                rule.add(&mut sum, child);
                            }
                            ControlFlow::Continue(())
                        });
                    }
                    *value = rule.value(sum, at * 64 + bit);
                }
            }
        }
    })?;
    Ok(numbers)
}
