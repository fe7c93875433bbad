//! Values of the positions of a layer, computed from those of their successors.

use everymove_kernel::parallel;
use everymove_kernel::run::{OverBudget, Ram, Reservation, Run};

use crate::error::PegError;
use crate::layers::layout::{ClassLayers, Layer, Span};
use crate::layers::slices::{jobs, split_lengths};
use crate::layers::split::Part;
use crate::layers::successors::{Steps, SuccessorTable};
use crate::position::Bits;

/// How many positions come before each of some words of a layer.
pub(crate) struct OrdinalIndex {
    before: Vec<u32>,
    total: usize,
    _held: Reservation,
}

impl OrdinalIndex {
    /// The ordinals of fewer than 2^32 positions.
    pub(crate) fn new(words: &[u64], ram: &Ram) -> Result<Self, OverBudget> {
        let held = ram.reserve("the ordinals of a layer", 4 * words.len() as u64 + 4)?;
        let mut total = 0u64;
        let mut before = Vec::with_capacity(words.len() + 1);
        for word in words {
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

    /// How many positions come before the one with an index, or `None` if it is not among them.
    #[inline(always)]
    pub(crate) fn of(&self, words: &[u64], index: usize) -> Option<usize> {
        let (at, bit) = (index >> 6, index & 63);
        let word = words[at];
        if word >> bit & 1 == 0 {
            return None;
        }
        Some(self.before[at] as usize + (word & ((1 << bit) - 1)).count_ones() as usize)
    }
}

/// A number for every position of some words of a layer.
pub(crate) struct LayerValues<T> {
    pub(crate) ordinals: OrdinalIndex,
    pub(crate) values: Vec<T>,
    _held: Reservation,
}

impl<T: Copy + Default> LayerValues<T> {
    /// The default for every position.
    pub(crate) fn new(words: &[u64], ram: &Ram) -> Result<Self, OverBudget> {
        let ordinals = OrdinalIndex::new(words, ram)?;
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
    pub(crate) fn of(&self, words: &[u64], index: usize) -> Option<&T> {
        self.ordinals
            .of(words, index)
            .map(|ordinal| &self.values[ordinal])
    }
}

/// How a position's number follows from its successors'.
pub(crate) trait Recurrence: Sync {
    /// The number, and what is gathered over the successors.
    type Value: Copy + Default + Send + Sync;
    /// Takes in a successor.
    fn add(&self, sum: &mut Self::Value, successor: &Self::Value);
    /// The number of the position with an index in its layer, from which this many steps lead.
    fn value(&self, sum: Self::Value, steps: u64, index: usize) -> Self::Value;
}

/// Changes the number of every position of some heads, whose words are given.
///
/// Every thread begins with its own `start()` and calls `take` with the number of each canonical
/// head it reaches; if that returns true, it calls `change` with number, head, tail and index of
/// each of its positions.
fn change_values<T: Send, S: Send>(
    class_layers: &ClassLayers,
    (span, words): (&Span, &[u64]),
    numbers: &mut LayerValues<T>,
    run: &Run,
    start: impl Fn() -> S + Sync,
    take: impl Fn(&mut S, usize) -> bool + Sync,
    change: impl Fn(&mut S, &mut T, Part, Part, usize) + Sync,
) -> Result<(), PegError> {
    let ordinals = &numbers.ordinals;
    let first = span.layout.start(span.heads.start);
    let cuts = jobs(span, run);
    let before = |id: usize| ordinals.before(span.start(id));
    let lengths = cuts
        .iter()
        .map(|heads| before(heads.end) - before(heads.start));
    let parts = split_lengths(&mut numbers.values, lengths);
    let jobs = cuts.iter().cloned().zip(parts);
    parallel::for_each(run, jobs, start, |state, (heads, values)| {
        let offset = before(heads.start);
        for id in heads {
            let range = span.range(id);
            if words[range.clone()].iter().all(|&word| word == 0) || !take(state, id) {
                continue;
            }
            let mut values = values[before(id) - offset..].iter_mut();
            let head = class_layers.split().heads()[id];
            let tails = class_layers.group(id, span.layout.pegs).chunks(64);
            for (at, tails) in range.zip(tails) {
                for (bit, value) in Bits(words[at]).zip(&mut values) {
                    change(state, value, head, tails[bit], (first + at) * 64 + bit);
                }
            }
        }
    })?;
    Ok(())
}

/// A number for every position of a layer, computed from its head, its tail and its index.
///
/// # Errors
/// [`PegError::OverBudget`] if the numbers do not fit, [`PegError::Stopped`].
pub(crate) fn values_of_positions<T: Copy + Default + Send>(
    class_layers: &ClassLayers,
    layer: &Layer,
    run: &Run,
    value: impl Fn(Part, Part, usize) -> T + Sync,
) -> Result<LayerValues<T>, PegError> {
    let mut numbers = LayerValues::new(&layer.words, &run.ram)?;
    let whole = Span::whole(&layer.layout);
    change_values(
        class_layers,
        (&whole, &layer.words),
        &mut numbers,
        run,
        || (),
        |(), _| true,
        |(), number, head, tail, index| *number = value(head, tail, index),
    )?;
    Ok(numbers)
}

/// Some heads of a layer, their words and the numbers of their positions, and whether they are the
/// last heads.
pub(crate) type ValueWindow<'a, T> = (&'a Span, &'a [u64], &'a LayerValues<T>, bool);

/// Adds to the numbers of `from` those of their successors among `below`; what is no position there
/// is passed over. After the last of the windows that make the layer below, `rule` makes the sums
/// numbers; there is none below the last layer.
///
/// # Errors
/// [`PegError::Stopped`].
pub(crate) fn add_successors<const W: usize, R: Recurrence>(
    class_layers: &ClassLayers,
    from: (&Span, &[u64]),
    numbers: &mut LayerValues<R::Value>,
    steps: &Steps<W>,
    below: Option<ValueWindow<'_, R::Value>>,
    rule: &R,
    run: &Run,
) -> Result<(), PegError> {
    let Some((span, words, successors, is_last)) = below else {
        let change = |(): &mut (), number: &mut R::Value, _, _, index| {
            *number = rule.value(*number, 0, index);
        };
        return change_values(
            class_layers,
            from,
            numbers,
            run,
            || (),
            |(), _| true,
            change,
        );
    };
    let start = || SuccessorTable::new(class_layers.split(), steps, span.clone());
    let take = |table: &mut SuccessorTable<'_, W>, id| {
        table.take(id);
        is_last || !table.is_empty()
    };
    let change = |table: &mut SuccessorTable<'_, W>, number: &mut R::Value, _, tail, index| {
        let mut sum = *number;
        let steps = table.count_each(tail, |index| {
            if let Some(successor) = successors.of(words, index) {
                rule.add(&mut sum, successor);
            }
        });
        *number = match is_last {
            true => rule.value(sum, steps, index),
            false => sum,
        };
    };
    change_values(class_layers, from, numbers, run, start, take, change)
}
