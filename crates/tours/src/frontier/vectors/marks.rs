//! Sets of degree vectors as bitsets, in spans of which those without members are skipped.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use everymove_kernel::dispatch::{self, Task};
use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Stopped};

use crate::frontier::vectors::degrees::{Degrees, POW3};

/// Slots whose degrees are the place of a bit within a word: 27 vectors.
pub(crate) const IN_WORD: usize = 3;

/// Vectors of a word.
const IN_A_WORD: u32 = POW3[IN_WORD];

/// Slots whose degrees are the place of a bit or of a word within a span.
pub(crate) const IN_SPAN: usize = 8;

/// Words of a span.
pub(crate) const SPAN: usize = POW3[IN_SPAN - IN_WORD] as usize;

/// The words of a span: vector `27 i + b` of the span is bit `b` of word `i`.
pub(crate) type Span = [u32; SPAN];

/// Chunks that a thread looks at, at a time.
pub(crate) const PART: usize = 64;

/// A set that many threads may fill at once.
#[derive(Default)]
pub(crate) struct Marks {
    words: Vec<AtomicU32>,
    /// Whether a span may have members.
    used: Vec<AtomicBool>,
}

/// The spans of a set of degree vectors of `slots` slots.
pub(crate) fn spans(slots: usize) -> usize {
    POW3[slots.max(IN_SPAN) - IN_SPAN] as usize
}

impl Marks {
    /// The empty set of degree vectors of `slots` slots.
    pub(crate) fn new(slots: usize) -> Self {
        Self::of(Plain {
            words: vec![0; spans(slots) * SPAN],
            used: vec![false; spans(slots)],
        })
    }

    /// The set with these words.
    pub(crate) fn of(plain: Plain) -> Self {
        let (words, used) = (plain.words.into_iter(), plain.used.into_iter());
        Self {
            words: words.map(AtomicU32::new).collect(),
            used: used.map(AtomicBool::new).collect(),
        }
    }

    /// The words of the set.
    pub(crate) fn into_plain(self) -> Plain {
        let (words, used) = (self.words.into_iter(), self.used.into_iter());
        Plain {
            words: words.map(AtomicU32::into_inner).collect(),
            used: used.map(AtomicBool::into_inner).collect(),
        }
    }

    /// The size in bytes of a set over `slots` slots.
    pub(crate) fn bytes(slots: usize) -> u64 {
        (spans(slots) * (size_of::<Span>() + size_of::<bool>())) as u64
    }

    #[inline]
    pub(crate) fn insert(&self, degrees: Degrees) {
        let (word, bit) = place(degrees);
        // Most insertions repeat: a load first avoids an atomic write.
        if self.words[word].load(Ordering::Relaxed) & bit == 0 {
            self.words[word].fetch_or(bit, Ordering::Relaxed);
            let used = &self.used[word / SPAN];
            if !used.load(Ordering::Relaxed) {
                used.store(true, Ordering::Relaxed);
            }
        }
    }

    #[inline]
    pub(crate) fn contains(&self, degrees: Degrees) -> bool {
        let (word, bit) = place(degrees);
        self.words[word].load(Ordering::Relaxed) & bit != 0
    }

    /// Makes an empty set large enough for degree vectors of `slots` slots. A larger one keeps its
    /// memory, all of which is zero.
    pub(crate) fn resize(&mut self, slots: usize) {
        if spans(slots) > self.used.len() {
            *self = Self::new(slots);
        }
    }

    /// Removes all members.
    pub(crate) fn clear(&mut self, run: &Run) -> Result<(), Stopped> {
        let parts = self.words.chunks_mut(PART * SPAN);
        let parts = parts.zip(self.used.chunks_mut(PART));
        let clear = |(): &mut (), (words, used): (&mut [AtomicU32], &mut [AtomicBool])| {
            for (words, used) in words.chunks_mut(SPAN).zip(used) {
                if std::mem::take(used.get_mut()) {
                    words.iter_mut().for_each(|word| *word.get_mut() = 0);
                }
            }
        };
        parallel::for_each(run, parts, || (), clear)?;
        Ok(())
    }

    /// Removes, of a set of degree vectors of `slots` slots, those in which no slot has degree 1;
    /// the one in which all slots have degree 2 stays if `may_close`.
    pub(crate) fn remove_without_ends(&mut self, slots: usize, may_close: bool) {
        let complete = POW3[slots] - 1;
        let stays = may_close && self.contains(complete);
        let without_ends = |slots: usize| {
            (0..slots).fold(vec![0], |vectors: Vec<u32>, slot| {
                let more = vectors.iter().map(|vector| vector + 2 * POW3[slot]);
                vectors.iter().copied().chain(more).collect()
            })
        };
        let bits = without_ends(IN_WORD).into_iter();
        let bits = bits.fold(0, |all, bit| all | 1 << bit);
        let within = without_ends(slots.clamp(IN_WORD, IN_SPAN) - IN_WORD);
        for span in without_ends(slots.saturating_sub(IN_SPAN)) {
            let span = span as usize;
            if *self.used[span].get_mut() {
                for word in &within {
                    *self.words[span * SPAN + *word as usize].get_mut() &= !bits;
                }
            }
        }
        if stays {
            self.insert(complete);
        }
    }

    /// Replaces every member by its image; the image of an image is itself.
    pub(crate) fn replace(
        &self,
        image: impl Fn(Degrees) -> Degrees + Sync,
        run: &Run,
    ) -> Result<(), Stopped> {
        let replace = |(): &mut (), (part, used): (usize, &[AtomicBool])| {
            for (span, used) in (part * PART..).zip(used) {
                if !used.load(Ordering::Relaxed) {
                    continue;
                }
                let first = span * SPAN;
                for (i, word) in (first as u32..).zip(&self.words[first..first + SPAN]) {
                    let mut replaced = 0;
                    for bit in ones(word.load(Ordering::Relaxed)) {
                        let degrees = i * IN_A_WORD + bit;
                        let image = image(degrees);
                        if image != degrees {
                            self.insert(image);
                            replaced |= 1 << bit;
                        }
                    }
                    if replaced != 0 {
                        word.fetch_and(!replaced, Ordering::Relaxed);
                    }
                }
            }
        };
        let parts = self.used.chunks(PART).enumerate();
        parallel::for_each(run, parts, || (), replace)?;
        Ok(())
    }

    /// The numbers of members in each part of the set, counted by the run's threads.
    pub(crate) fn lengths(&self, run: &Run) -> Result<Vec<usize>, Stopped> {
        let parts = self.words.chunks(PART * SPAN).zip(self.used.chunks(PART));
        let count = |(): &mut (), (words, used)| dispatch::run(Count { words, used });
        parallel::map(run, parts, || (), count)
    }

    /// Removes the members and lists them in ascending order, given their numbers in each part.
    pub(crate) fn drain(&mut self, lengths: &[usize], run: &Run) -> Result<Vec<Degrees>, Stopped> {
        let mut members = vec![0; lengths.iter().sum()];
        let mut left = members.as_mut_slice();
        let parts = self.words.chunks_mut(PART * SPAN);
        let parts = parts.zip(self.used.chunks_mut(PART)).zip(lengths);
        let parts = parts.enumerate().map(|(part, ((words, used), &length))| {
            let (members, rest) = std::mem::take(&mut left).split_at_mut(length);
            left = rest;
            List {
                first: part * PART * SPAN,
                words,
                used,
                members,
            }
        });
        parallel::for_each(run, parts, || (), |(), part| dispatch::run(part))?;
        Ok(members)
    }
}

/// A set in memory that no other thread changes.
#[derive(Default)]
pub(crate) struct Plain {
    pub(crate) words: Vec<u32>,
    /// Whether a span may have members.
    pub(crate) used: Vec<bool>,
}

impl Plain {
    /// A span; `None` if it has no members.
    #[inline]
    pub(crate) fn span(&self, number: usize) -> Option<&Span> {
        let is_used = self.used.get(number).copied().unwrap_or(false);
        is_used.then(|| &self.words.as_chunks().0[number])
    }
}

/// Counts the members of some spans.
struct Count<'a> {
    words: &'a [AtomicU32],
    used: &'a [AtomicBool],
}

impl Task for Count<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let spans = self.words.chunks_exact(SPAN).zip(self.used);
        let used = spans.filter(|(_, used)| used.load(Ordering::Relaxed));
        let words = used.flat_map(|(words, _)| words);
        words
            .map(|word| word.load(Ordering::Relaxed).count_ones() as usize)
            .sum()
    }
}

/// Removes the members of some spans, of which the first word has the number `first`, and lists
/// them.
struct List<'a> {
    first: usize,
    words: &'a mut [AtomicU32],
    used: &'a mut [AtomicBool],
    members: &'a mut [Degrees],
}

impl Task for List<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut members = self.members.iter_mut();
        let spans = self.words.chunks_exact_mut(SPAN).zip(self.used);
        for (first, (words, used)) in (self.first..).step_by(SPAN).zip(spans) {
            if !std::mem::take(used.get_mut()) {
                continue;
            }
            for (i, word) in (first as u32..).zip(words) {
                for bit in ones(std::mem::take(word.get_mut())) {
                    let member = members.next().expect("room for each member");
                    *member = i * IN_A_WORD + bit;
                }
            }
        }
    }
}

/// The word and the bit of a degree vector.
#[inline]
fn place(degrees: Degrees) -> (usize, u32) {
    ((degrees / IN_A_WORD) as usize, 1 << (degrees % IN_A_WORD))
}

/// The places of the ones of a word, ascending.
#[inline(always)]
fn ones(mut word: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let bit = word.trailing_zeros();
            word &= word - 1;
            bit
        })
    })
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Ram;

    use super::*;

    #[test]
    fn members_are_listed_and_removed() {
        let run = Run::new(2, Ram::unlimited());
        let mut marks = Marks::new(3);
        for slots in [5, 9, 10] {
            marks.resize(slots);
            let all = 0..POW3[slots];
            let list: Vec<u32> = all.clone().filter(|d| d % 7 == 3 || d % 64 == 0).collect();
            list.iter().rev().for_each(|&d| marks.insert(d));
            for d in all.clone() {
                assert_eq!(marks.contains(d), list.binary_search(&d).is_ok());
            }
            let lengths = marks.lengths(&run).unwrap();
            assert_eq!(marks.drain(&lengths, &run).unwrap(), list);
            assert_eq!(marks.lengths(&run).unwrap().iter().sum::<usize>(), 0);
            list.iter().for_each(|&d| marks.insert(d));
            marks.clear(&run).unwrap();
            assert!(list.iter().all(|&d| !marks.contains(d)));
            list.iter().for_each(|&d| marks.insert(d));
            marks.replace(|d| d - d % 5, &run).unwrap();
            let mut images: Vec<u32> = list.iter().map(|d| d - d % 5).collect();
            images.dedup();
            let lengths = marks.lengths(&run).unwrap();
            assert_eq!(marks.drain(&lengths, &run).unwrap(), images);
        }
    }

    #[test]
    fn vectors_without_ends_are_removed() {
        for (slots, &all) in POW3.iter().enumerate().take(10) {
            for may_close in [false, true] {
                let mut marks = Marks::new(slots);
                (0..all).for_each(|d| marks.insert(d));
                marks.remove_without_ends(slots, may_close);
                for d in 0..all {
                    let has_ends = (0..slots).any(|slot| d / POW3[slot] % 3 == 1);
                    let stays = has_ends || may_close && d == all - 1;
                    assert_eq!(marks.contains(d), stays, "{slots} {d}");
                }
            }
        }
    }
}
