//! Jumps by head: what every jump does to the positions of one canonical head, looked up once.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::layers::layout::Span;
use crate::layers::split::{Part, Split};
use crate::step_table::{Condition, StepTable};

/// Steps from positions to positions, each a flip of holes under a condition: the jumps of a board,
/// or the complement.
///
/// `W` words hold a bit for each step.
pub(crate) struct Steps<const W: usize> {
    /// What each step flips in the head and in the tail.
    flips: Vec<(Part, Part)>,
    /// Steps that the head forbids, and steps that the tail forbids.
    head: StepTable<W>,
    tail: StepTable<W>,
}

impl<const W: usize> Steps<W> {
    /// The jumps of the split's board, of which there are at most `64 * W`.
    pub(crate) fn jumps(split: &Split) -> Self {
        let conditions: Vec<Condition> = split.board().jumps().iter().map(Condition::of).collect();
        Self::new(split, &conditions)
    }

    /// The one step that exchanges pegs and empty holes; it has no condition.
    pub(crate) fn complement(split: &Split) -> Self {
        Self {
            flips: vec![split.pack_mask(split.board().full().0)],
            head: StepTable::new(split.head_len(), &[]),
            tail: StepTable::new(split.tail_len(), &[]),
        }
    }

    fn new(split: &Split, conditions: &[Condition]) -> Self {
        let parts = |part: fn((Part, Part)) -> Part| -> Vec<Condition> {
            let part = |word: u64| u64::from(part(split.pack_mask(word)));
            let conditions = conditions.iter().map(|condition| Condition {
                mask: part(condition.mask),
                pegs: part(condition.pegs),
            });
            conditions.collect()
        };
        let flips = conditions
            .iter()
            .map(|condition| split.pack_mask(condition.mask));
        Self {
            flips: flips.collect(),
            head: StepTable::new(split.head_len(), &parts(|(head, _)| head)),
            tail: StepTable::new(split.tail_len(), &parts(|(_, tail)| tail)),
        }
    }
}

/// The effect of a step on all tails of the current head.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// The first bit of the group it leads to.
    base: usize,
    /// What it flips in the tail.
    flip: Part,
    /// Where the ranks under the symmetry in use begin; for a symmetric head, the symmetries, a
    /// bit each.
    via: u32,
}

/// The steps of one canonical head into some heads of one layer.
pub(crate) struct SuccessorTable<'a, const W: usize> {
    split: &'a Split,
    steps: &'a Steps<W>,
    to: Span,
    /// Steps the head allows, wherever they lead.
    allowed: [u64; W],
    /// Steps the head allows that lead to a head with one symmetry, and to one with several.
    plain: [u64; W],
    symmetric: [u64; W],
    entries: Vec<[Entry; 64]>,
}

impl<'a, const W: usize> SuccessorTable<'a, W> {
    /// An empty table for steps into the heads `to` of a layer; [`take`](Self::take) fills it.
    pub(crate) fn new(split: &'a Split, steps: &'a Steps<W>, to: Span) -> Self {
        let entries = vec![[Entry::default(); 64]; W];
        Self {
            split,
            steps,
            to,
            allowed: [0; W],
            plain: [0; W],
            symmetric: [0; W],
            entries,
        }
    }

    /// Fills the table for the canonical head with number `id`.
    pub(crate) fn take(&mut self, id: usize) {
        let head = self.split.heads()[id];
        let forbidden = self.steps.head.forbidden(head.to_le_bytes());
        self.allowed = [0; W];
        self.plain = [0; W];
        self.symmetric = [0; W];
        for (number, &(head_flip, tail_flip)) in self.steps.flips.iter().enumerate() {
            let (word, bit) = (number / 64, number % 64);
            if forbidden[word] >> bit & 1 == 1 {
                continue;
            }
            self.allowed[word] |= 1 << bit;
            let canonical = self.split.canonical_head(head ^ head_flip);
            if !self.to.heads.contains(&(canonical.id as usize)) {
                continue;
            }
            let base = self.to.start(canonical.id as usize) * 64;
            let via = if canonical.by.is_power_of_two() {
                self.plain[word] |= 1 << bit;
                canonical.by.trailing_zeros() << self.split.tail_len()
            } else {
                self.symmetric[word] |= 1 << bit;
                u32::from(canonical.by)
            };
            self.entries[word][bit] = Entry {
                base,
                flip: tail_flip,
                via,
            };
        }
    }

    /// Whether no step of the current head leads to the heads of the table.
    pub(crate) fn is_empty(&self) -> bool {
        let mut steps = self.plain.iter().chain(&self.symmetric);
        steps.all(|&steps| steps == 0)
    }

    /// Calls `visit` as [`each`](Self::each) does; returns the number of all steps from the
    /// position, wherever they lead.
    #[inline(always)]
    pub(crate) fn count_each(&self, tail: Part, mut visit: impl FnMut(usize)) -> u64 {
        let forbidden = self.steps.tail.forbidden(tail.to_le_bytes());
        let ControlFlow::Continue(()) = self.each_of(forbidden, tail, |index| {
            visit(index);
            ControlFlow::<Infallible>::Continue(())
        });
        let steps = self.allowed.iter().zip(forbidden);
        steps.fold(0, |sum, (steps, no)| {
            sum + u64::from((steps & !no).count_ones())
        })
    }

    /// Calls `visit` with the index, among the bits of the table's heads, of every position one
    /// step from the current head with `tail`, until it breaks.
    #[inline(always)]
    pub(crate) fn each<B>(
        &self,
        tail: Part,
        visit: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.each_of(self.steps.tail.forbidden(tail.to_le_bytes()), tail, visit)
    }

    #[inline(always)]
    fn each_of<B>(
        &self,
        forbidden: [u64; W],
        tail: Part,
        mut visit: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let ranks = self.split.ranks();
        for (word, forbidden) in forbidden.into_iter().enumerate() {
            let entries = &self.entries[word];
            let mut bits = self.plain[word] & !forbidden;
            while bits != 0 {
                let entry = &entries[(bits.trailing_zeros() & 63) as usize];
                bits &= bits - 1;
                let rank = ranks[(entry.via + (tail ^ entry.flip)) as usize];
                visit(entry.base + usize::from(rank))?;
            }
            let mut bits = self.symmetric[word] & !forbidden;
            while bits != 0 {
                let entry = &entries[(bits.trailing_zeros() & 63) as usize];
                bits &= bits - 1;
                let rank = self.split.rank_by(entry.via as u16, tail ^ entry.flip);
                visit(entry.base + usize::from(rank))?;
            }
        }
        ControlFlow::Continue(())
    }
}
