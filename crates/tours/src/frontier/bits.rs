//! Sets of degree vectors as bitsets over `0..3^slots`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use everymove_kernel::dispatch::{self, Task};
use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Stopped};

use super::degrees::{Degrees, Order, POW3};

/// Words of a set that a thread lists at a time.
const PART: usize = 1 << 14;

/// Slots whose degrees are the place of a bit within a word: 27 vectors.
pub(super) const IN_WORD: usize = 3;

/// Vectors of a word.
const IN_A_WORD: u32 = POW3[IN_WORD];

/// Sets have the words of at least this many slots.
pub(super) const LEAST_SLOTS: usize = 8;

/// A set that many threads may fill at once: vector `27 i + b` is bit `b` of word `i`.
#[derive(Default)]
pub(super) struct Marks {
    words: Vec<AtomicU32>,
}

/// The words of a set of degree vectors of `slots` slots.
fn words(slots: usize) -> usize {
    POW3[slots.max(LEAST_SLOTS) - IN_WORD] as usize
}

impl Marks {
    /// The empty set of degree vectors of `slots` slots.
    pub(super) fn new(slots: usize) -> Self {
        Self::of_words(vec![0; words(slots)])
    }

    /// The set with these words.
    pub(super) fn of_words(words: Vec<u32>) -> Self {
        let words = words.into_iter().map(AtomicU32::new);
        Self {
            words: words.collect(),
        }
    }

    /// The words of the set.
    pub(super) fn into_words(self) -> Vec<u32> {
        let words = self.words.into_iter();
        words.map(AtomicU32::into_inner).collect()
    }

    /// The size in bytes of a set over `slots` slots.
    pub(super) fn bytes(slots: usize) -> u64 {
        (words(slots) * size_of::<u32>()) as u64
    }

    pub(super) fn insert(&self, degrees: Degrees) {
        let (word, bit) = place(degrees);
        // Most insertions repeat: a load first avoids an atomic write.
        if self.words[word].load(Ordering::Relaxed) & bit == 0 {
            self.words[word].fetch_or(bit, Ordering::Relaxed);
        }
    }

    pub(super) fn contains(&self, degrees: Degrees) -> bool {
        let (word, bit) = place(degrees);
        self.words[word].load(Ordering::Relaxed) & bit != 0
    }

    /// Makes an empty set one of degree vectors of `slots` slots.
    pub(super) fn resize(&mut self, slots: usize) {
        self.words.resize_with(words(slots), AtomicU32::default);
    }

    /// Removes all members.
    pub(super) fn clear(&mut self, run: &Run) -> Result<(), Stopped> {
        let parts = self.words.chunks_mut(PART);
        let clear = |(): &mut (), words: &mut [AtomicU32]| {
            words.iter_mut().for_each(|word| *word.get_mut() = 0);
        };
        parallel::for_each(run, parts, || (), clear)?;
        Ok(())
    }

    /// Removes, of a set of degree vectors of `slots` slots, those in which no slot has degree 1; the one in which all slots have degree 2
    /// stays if `may_close`.
    pub(super) fn remove_without_ends(&mut self, slots: usize, may_close: bool) {
        let complete = POW3[slots] - 1;
        let stays = may_close && self.contains(complete);
        let without_ends = |slots: usize| {
            (0..slots).fold(vec![0], |vectors, slot| {
                let more = vectors.iter().map(|vector| vector + 2 * POW3[slot]);
                vectors.iter().copied().chain(more).collect()
            })
        };
        let bits = without_ends(IN_WORD).into_iter();
        let bits = bits.fold(0, |all, bit| all | 1 << bit);
        for word in without_ends(slots.saturating_sub(IN_WORD)) {
            *self.words[word as usize].get_mut() &= !bits;
        }
        if stays {
            self.insert(complete);
        }
    }

    /// Replaces every member by its image; the image of an image is itself.
    pub(super) fn replace(
        &self,
        image: impl Fn(Degrees) -> Degrees + Sync,
        run: &Run,
    ) -> Result<(), Stopped> {
        let parts = self.words.chunks(PART).enumerate();
        let replace = |(): &mut (), (part, words): (usize, &[AtomicU32])| {
            for (i, word) in ((part * PART) as u32..).zip(words) {
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
        };
        parallel::for_each(run, parts, || (), replace)?;
        Ok(())
    }

    /// The numbers of members in each part of the set, counted by the run's threads.
    pub(super) fn lengths(&self, run: &Run) -> Result<Vec<usize>, Stopped> {
        let count = |(): &mut (), words: &[AtomicU32]| dispatch::run(Count(words));
        parallel::map(run, self.words.chunks(PART), || (), count)
    }

    /// Removes the members and lists them in ascending order, given their numbers in each part.
    pub(super) fn drain(&mut self, lengths: &[usize], run: &Run) -> Result<Vec<Degrees>, Stopped> {
        let mut members = vec![0; lengths.iter().sum()];
        let mut left = members.as_mut_slice();
        let parts = self.words.chunks_mut(PART).zip(lengths).enumerate();
        let parts = parts.map(|(part, (words, &length))| {
            let (here, rest) = std::mem::take(&mut left).split_at_mut(length);
            left = rest;
            (part * PART, words, here)
        });
        type Part<'a> = (usize, &'a mut [AtomicU32], &'a mut [Degrees]);
        let list = |(): &mut (), (first, words, members): Part<'_>| {
            dispatch::run(List {
                first: first as u32,
                words,
                members,
            });
        };
        parallel::for_each(run, parts, || (), list)?;
        Ok(members)
    }
}

/// Counts the members of words.
struct Count<'a>(&'a [AtomicU32]);

impl Task for Count<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let ones = self.0.iter();
        let ones = ones.map(|word| word.load(Ordering::Relaxed).count_ones() as usize);
        ones.sum()
    }
}

/// Removes the members of words, of which the first has the number `first`, and lists them.
struct List<'a> {
    first: u32,
    words: &'a mut [AtomicU32],
    members: &'a mut [Degrees],
}

impl Task for List<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut members = self.members.iter_mut();
        for (i, word) in (self.first..).zip(self.words) {
            for bit in ones(std::mem::take(word.get_mut())) {
                let member = members.next().expect("room for each member");
                *member = i * IN_A_WORD + bit;
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

/// A sorted list of degree vectors with constant-time look-up of positions.
#[derive(Default)]
pub(super) struct Index {
    words: Vec<u64>,
    before: Vec<u32>,
    class: Option<Class>,
}

/// The degree vectors of one class of an order.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) order: Arc<Order>,
    pub(super) number: u32,
}

impl Class {
    /// The position of a degree vector of this class among all of them.
    #[inline]
    fn place(&self, degrees: Degrees) -> u32 {
        let first = self.number * POW3[self.order.rest()];
        self.order.code(degrees).wrapping_sub(first)
    }

    /// How many slots vary.
    fn slots(&self) -> usize {
        self.order.rest()
    }
}

impl Index {
    /// The index of a list of degree vectors of `slots` slots: ascending, or those of a class in its order.
    pub(super) fn new(
        members: &[Degrees],
        slots: usize,
        class: Option<&Class>,
        run: &Run,
    ) -> Result<Self, Stopped> {
        Self::default().renewed(members, slots, class, run)
    }

    /// The index of another list in the same memory.
    pub(super) fn renewed(
        self,
        members: &[Degrees],
        slots: usize,
        class: Option<&Class>,
        run: &Run,
    ) -> Result<Self, Stopped> {
        let slots = class.map_or(slots, Class::slots);
        let size = POW3[slots].div_ceil(64) as usize;
        let place = |degrees: Degrees| class.map_or(degrees, |class| class.place(degrees));
        let (mut words, mut before) = (self.words, self.before);
        // The system maps pages of a new vector when they are written: the words without a member take no memory then.
        let is_new = words.is_empty();
        if is_new {
            (words, before) = (vec![0; size], vec![0; size]);
        }
        words.resize(size, 0);
        before.resize(size, 0);
        let parts = words.chunks_mut(PART).zip(before.chunks_mut(PART));
        let fill = |(): &mut (), (part, (words, before)): (usize, (&mut [u64], &mut [u32]))| {
            if !is_new {
                words.fill(0);
            }
            let first = part * PART * 64;
            let from = members.partition_point(|&d| (place(d) as usize) < first);
            for &degrees in &members[from..] {
                let at = place(degrees) as usize - first;
                match words.get_mut(at / 64) {
                    Some(word) => *word |= 1 << (at % 64),
                    None => break,
                }
            }
            let mut sum = from as u32;
            for (here, word) in before.iter_mut().zip(words) {
                *here = sum;
                sum += word.count_ones();
            }
        };
        parallel::for_each(run, parts.enumerate(), || (), fill)?;
        Ok(Self {
            words,
            before,
            class: class.cloned(),
        })
    }

    /// The bytes of its memory, which may be that of a larger index.
    pub(super) fn held_bytes(&self) -> u64 {
        (self.words.capacity() * size_of::<u64>() + self.before.capacity() * size_of::<u32>())
            as u64
    }

    /// The size in bytes of an index over `slots` slots, or over those that vary in a class.
    pub(super) fn bytes(slots: usize, class: Option<&Class>) -> u64 {
        let slots = class.map_or(slots, Class::slots);
        u64::from(POW3[slots].div_ceil(64)) * (size_of::<u64>() + size_of::<u32>()) as u64
    }

    /// The position of a degree vector in the list; it must be of the class, if the list is that of a class.
    #[inline]
    pub(super) fn position(&self, degrees: Degrees) -> Option<usize> {
        let place = match &self.class {
            None => degrees,
            Some(class) => class.place(degrees),
        };
        let (word, bit) = (place as usize / 64, place % 64);
        let bits = self.words[word];
        (bits >> bit & 1 == 1)
            .then(|| self.before[word] as usize + (bits & ((1 << bit) - 1)).count_ones() as usize)
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Ram;

    use super::*;

    #[test]
    fn positions_follow_the_list() {
        let run = Run::new(2, Ram::unlimited());
        let mut marks = Marks::new(3);
        marks.resize(5);
        let list: Vec<u32> = (0..POW3[5]).filter(|d| d % 7 == 3 || d % 64 == 0).collect();
        for &d in list.iter().rev() {
            marks.insert(d);
        }
        let other: Vec<u32> = (0..POW3[6]).step_by(5).collect();
        let other = Index::new(&other, 6, None, &Run::serial()).unwrap();
        for index in [other, Index::default()] {
            let index = index.renewed(&list, 5, None, &run).unwrap();
            for d in 0..POW3[5] {
                assert_eq!(index.position(d), list.binary_search(&d).ok());
                assert_eq!(marks.contains(d), index.position(d).is_some());
            }
        }
        let lengths = marks.lengths(&run).unwrap();
        assert_eq!(marks.drain(&lengths, &run).unwrap(), list);
        assert_eq!(marks.lengths(&run).unwrap().iter().sum::<usize>(), 0);
        list.iter().for_each(|&d| marks.insert(d));
        marks.clear(&run).unwrap();
        assert!(list.iter().all(|&d| !marks.contains(d)));
    }
}
