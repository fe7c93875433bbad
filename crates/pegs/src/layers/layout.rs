//! Where the groups of a layer lie, and the bitmap laid over them.

use std::ops::Range;
use std::sync::Arc;

use everymove_kernel::run::{OverBudget, Ram, Reservation};

use crate::invariant::Class;
use crate::layers::split::{Part, Split};
use crate::position::{Bits, Position};

/// All layers of one class.
pub(crate) struct ClassLayers {
    split: Arc<Split>,
    class: Class,
    /// For each canonical head the class number its tails must have; `NONE` if no tail has it.
    columns: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl ClassLayers {
    /// The layers of `class`, which the split's group must keep.
    pub(crate) fn new(split: &Arc<Split>, class: Class) -> Self {
        let board = split.board();
        let column = |&head: &Part| {
            let head_class = board.class(split.unpack(head, 0));
            split
                .class_number(Class(class.0 ^ head_class.0))
                .unwrap_or(NONE)
        };
        Self {
            columns: split.heads().iter().map(column).collect(),
            split: Arc::clone(split),
            class,
        }
    }

    /// The split of the holes.
    pub(crate) fn split(&self) -> &Arc<Split> {
        &self.split
    }

    /// The class.
    pub(crate) fn class(&self) -> Class {
        self.class
    }

    /// The tails that complete a canonical head to `pegs` pegs, by rank.
    #[inline]
    pub(crate) fn group(&self, id: usize, pegs: usize) -> &[Part] {
        let head_pegs = self.split.heads()[id].count_ones() as usize;
        let column = self.columns[id];
        match pegs.checked_sub(head_pegs) {
            Some(tail_pegs) if tail_pegs <= self.split.tail_len() && column != NONE => {
                self.split.group(tail_pegs, column)
            }
            _ => &[],
        }
    }

    /// Where the groups of the layer with `pegs` pegs lie.
    pub(crate) fn layout(&self, pegs: usize) -> Layout {
        let heads = self.split.heads().len();
        let mut starts = Vec::with_capacity(heads + 1);
        let mut words = 0u32;
        for id in 0..heads {
            starts.push(words);
            words += self.group(id, pegs).len().div_ceil(64) as u32;
        }
        starts.push(words);
        Layout { pegs, starts }
    }

    /// Words that the layer with `pegs` pegs takes, without its layout.
    pub(crate) fn words(&self, pegs: usize) -> u64 {
        let words = |id| self.group(id, pegs).len().div_ceil(64) as u64;
        (0..self.split.heads().len()).map(words).sum()
    }

    /// The number of positions in the words of some heads; `None` if a bit is set that is of no
    /// position.
    pub(crate) fn positions_in(&self, span: &Span, words: &[u64]) -> Option<u64> {
        let mut positions = 0;
        for id in span.heads.clone() {
            let words = &words[span.range(id)];
            positions += ones(words);
            let used = self.group(id, span.layout.pegs).len() % 64;
            if used > 0 && words.last().is_some_and(|word| word >> used > 0) {
                return None;
            }
        }
        Some(positions)
    }
}

/// The places of the groups of one layer, in words.
pub(crate) struct Layout {
    /// Pegs of every position in the layer.
    pub(crate) pegs: usize,
    starts: Vec<u32>,
}

impl Layout {
    /// The first word of a group.
    #[inline(always)]
    pub(crate) fn start(&self, id: usize) -> usize {
        self.starts[id] as usize
    }

    /// Words in all.
    pub(crate) fn words(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }

    /// Bytes of the places and of the bitmap over them.
    pub(crate) fn bytes(&self) -> u64 {
        4 * self.starts.len() as u64 + 8 * self.words() as u64
    }

    /// How many heads there are.
    pub(crate) fn heads(&self) -> usize {
        self.starts.len() - 1
    }

    /// The most heads from `first` on, at least one, that have at most `words` words.
    pub(crate) fn heads_within(&self, first: usize, words: usize) -> Range<usize> {
        let limit = self.start(first).saturating_add(words);
        let end = self
            .starts
            .partition_point(|&start| start as usize <= limit);
        first..(end - 1).clamp(first + 1, self.heads())
    }
}

/// Consecutive heads of a layer, whose words are in memory without those of the others.
#[derive(Clone)]
pub(crate) struct Span {
    pub(crate) layout: Arc<Layout>,
    pub(crate) heads: Range<usize>,
}

impl Span {
    /// All heads.
    pub(crate) fn whole(layout: &Arc<Layout>) -> Self {
        Self {
            layout: Arc::clone(layout),
            heads: 0..layout.heads(),
        }
    }

    /// The first word of a group among those of the span.
    #[inline(always)]
    pub(crate) fn start(&self, id: usize) -> usize {
        self.layout.start(id) - self.layout.start(self.heads.start)
    }

    /// The words of a group among those of the span.
    #[inline(always)]
    pub(crate) fn range(&self, id: usize) -> Range<usize> {
        self.start(id)..self.start(id + 1)
    }

    /// Words in all.
    pub(crate) fn words(&self) -> usize {
        self.start(self.heads.end)
    }

    /// Its heads in order, as many at a time as have at most `words` words, but at least one.
    pub(crate) fn windows(&self, words: usize) -> impl Iterator<Item = Span> {
        let whole = self.clone();
        let next = move |first: usize| {
            let heads = || whole.layout.heads_within(first, words);
            (first < whole.heads.end).then(|| Span {
                heads: first..heads().end.min(whole.heads.end),
                layout: Arc::clone(&whole.layout),
            })
        };
        std::iter::successors(next(self.heads.start), move |span| next(span.heads.end))
    }
}

/// A set of positions with equally many pegs: one bit each.
pub(crate) struct Layer {
    /// Where its groups lie.
    pub(crate) layout: Arc<Layout>,
    /// The bits.
    pub(crate) words: Vec<u64>,
    _held: Reservation,
}

impl Layer {
    /// The positions of some words, for which memory is held.
    pub(crate) fn new(layout: Arc<Layout>, words: Vec<u64>, held: Reservation) -> Self {
        Self {
            layout,
            words,
            _held: held,
        }
    }

    /// No positions.
    ///
    /// # Errors
    /// [`OverBudget`] if the bitmap does not fit.
    pub(crate) fn empty(layout: Arc<Layout>, ram: &Ram) -> Result<Self, OverBudget> {
        let held = ram.reserve("a layer of positions", layout.bytes())?;
        let words = vec![0; layout.words()];
        Ok(Self::new(layout, words, held))
    }

    /// Pegs of every position.
    pub(crate) fn pegs(&self) -> usize {
        self.layout.pegs
    }

    /// The index of a position's bit: position up to symmetry, in the class of the layers and with
    /// the layer's pegs.
    #[inline]
    pub(crate) fn index(&self, split: &Split, position: Position) -> usize {
        index(&self.layout, split, position)
    }

    /// The same for head and tail in one word, `head << 32 | tail`.
    #[inline(always)]
    pub(crate) fn packed_index(&self, split: &Split, packed: u64) -> usize {
        bit_of_parts(&self.layout, split, (packed >> 32) as Part, packed as Part)
    }

    /// Whether a position (or an image of it) is in the set.
    #[inline]
    pub(crate) fn has(&self, split: &Split, position: Position) -> bool {
        self.bit(self.index(split, position))
    }

    /// Whether a bit is set.
    #[inline(always)]
    pub(crate) fn bit(&self, index: usize) -> bool {
        self.words[index >> 6] >> (index & 63) & 1 == 1
    }

    /// Number of positions.
    pub(crate) fn len(&self) -> u64 {
        ones(&self.words)
    }

    /// The positions, each as the canonical one of its images.
    pub(crate) fn positions<'a>(
        &'a self,
        class_layers: &'a ClassLayers,
    ) -> impl Iterator<Item = Position> + 'a {
        let split = class_layers.split();
        (0..self.layout.heads()).flat_map(move |id| {
            let group = class_layers.group(id, self.pegs());
            let ranks = ranks(&self.words[self.layout.start(id)..self.layout.start(id + 1)]);
            ranks.map(move |rank| split.unpack(split.heads()[id], group[rank]))
        })
    }
}

/// The index of a position's bit in a layout.
#[inline]
pub(crate) fn index(layout: &Layout, split: &Split, position: Position) -> usize {
    let (head, tail) = split.pack(position);
    bit_of_parts(layout, split, head, tail)
}

#[inline(always)]
fn bit_of_parts(layout: &Layout, split: &Split, head: Part, tail: Part) -> usize {
    let canonical = split.canonical_head(head);
    layout.start(canonical.id as usize) * 64 + usize::from(split.rank_by(canonical.by, tail))
}

/// How many bits of some words are set.
pub(crate) fn ones(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// The indexes of the set bits of some words.
pub(crate) fn ranks(words: &[u64]) -> impl Iterator<Item = usize> {
    words
        .iter()
        .enumerate()
        .flat_map(|(i, &word)| Bits(word).map(move |bit| i * 64 + bit))
}
