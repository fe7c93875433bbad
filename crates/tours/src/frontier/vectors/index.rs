//! Positions of degree vectors in a list, by bitsets over `0..3^slots`, in spans of which those
//! without members are skipped.

use std::sync::Arc;

use everymove_kernel::parallel;
use everymove_kernel::run::{Reservation, Run, Stopped};

use crate::frontier::vectors::degrees::{Degrees, Order, POW3};

/// Words of a span.
const SPAN: usize = 1 << 7;

/// Spans that a thread fills at a time.
const PART: usize = 1 << 7;

/// A sorted list of degree vectors with constant-time look-up of positions.
#[derive(Default)]
pub(crate) struct Index {
    words: Vec<u64>,
    /// How many members come before each word of a span that has some.
    before: Vec<u32>,
    /// Whether a span has members.
    used: Vec<bool>,
    class: Option<Class>,
}

/// The degree vectors of one class of an order.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) order: Arc<Order>,
    pub(crate) number: u32,
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

/// The degree vectors of a layer, or of a class of it.
#[derive(Debug)]
pub(crate) struct Vectors {
    pub(crate) list: Vec<Degrees>,
    /// The class whose order they have; without one they ascend.
    pub(crate) class: Option<Class>,
    /// Their memory, if the layer is to keep it.
    pub(crate) held: Option<Reservation>,
}

impl Index {
    /// The index of a list of degree vectors of `slots` slots: ascending, or those of a class in
    /// its order.
    pub(crate) fn new(
        members: &[Degrees],
        slots: usize,
        class: Option<&Class>,
        run: &Run,
    ) -> Result<Self, Stopped> {
        Self::default().renewed(members, slots, class, run)
    }

    /// The index of another list in the same memory.
    pub(crate) fn renewed(
        self,
        members: &[Degrees],
        slots: usize,
        class: Option<&Class>,
        run: &Run,
    ) -> Result<Self, Stopped> {
        let slots = class.map_or(slots, Class::slots);
        let size = POW3[slots].div_ceil(64) as usize;
        let place = |degrees: Degrees| class.map_or(degrees, |class| class.place(degrees));
        let mut index = self;
        if index.words.len() < size {
            index = Self::default();
            // The system maps pages of a new vector when they are written: spans without members
            // take no memory then.
            index.words = vec![0; size];
            index.before = vec![0; size];
            index.used = vec![false; size.div_ceil(SPAN)];
        }
        let words = index.words.chunks_mut(PART * SPAN);
        let before = index.before.chunks_mut(PART * SPAN);
        let used = index.used.chunks_mut(PART);
        let parts = words.zip(before).zip(used).enumerate();
        let fill = |(): &mut (), (part, ((words, before), used)): (usize, ((&mut [_], _), _))| {
            let first = part * PART * SPAN * 64;
            let sum = members.partition_point(|&d| (place(d) as usize) < first);
            let places = members[sum..].iter().map(|&d| place(d) as usize - first);
            let spans = Spans {
                words,
                before,
                used,
            };
            spans.fill(sum as u32, places);
        };
        parallel::for_each(run, parts, || (), fill)?;
        index.class = class.cloned();
        Ok(index)
    }

    /// The bytes of its memory, which may be that of a larger index.
    pub(crate) fn held_bytes(&self) -> u64 {
        let words = self.words.capacity() * (size_of::<u64>() + size_of::<u32>());
        (words + self.used.capacity()) as u64
    }

    /// The size in bytes of an index over `slots` slots, or over those that vary in a class.
    pub(crate) fn bytes(slots: usize, class: Option<&Class>) -> u64 {
        let slots = class.map_or(slots, Class::slots);
        let words = u64::from(POW3[slots].div_ceil(64));
        words * (size_of::<u64>() + size_of::<u32>()) as u64 + words.div_ceil(SPAN as u64)
    }

    /// The position of a degree vector in the list; it must be of the class, if the list is that of
    /// a class.
    #[inline]
    pub(crate) fn position(&self, degrees: Degrees) -> Option<usize> {
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

/// Some spans of an index.
struct Spans<'a> {
    words: &'a mut [u64],
    before: &'a mut [u32],
    used: &'a mut [bool],
}

impl Spans<'_> {
    /// Removes all members and adds those at these places, counted from the first word, ascending;
    /// those beyond the last word are left out. `sum` members come before the first word.
    fn fill(self, mut sum: u32, places: impl Iterator<Item = usize>) {
        let mut places = places.peekable();
        let spans = self
            .words
            .chunks_mut(SPAN)
            .zip(self.before.chunks_mut(SPAN));
        for (first, ((words, before), used)) in (0..).step_by(64 * SPAN).zip(spans.zip(self.used)) {
            if std::mem::take(used) {
                words.fill(0);
            }
            let end = first + 64 * words.len();
            while let Some(place) = places.next_if(|&place| place < end) {
                words[(place - first) / 64] |= 1 << (place % 64);
                *used = true;
            }
            if *used {
                for (here, word) in before.iter_mut().zip(words) {
                    *here = sum;
                    sum += word.count_ones();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Ram;

    use super::*;

    #[test]
    fn positions_follow_the_list() {
        let run = Run::new(2, Ram::unlimited());
        let list: Vec<u32> = (0..POW3[5]).filter(|d| d % 7 == 3 || d % 64 == 0).collect();
        let other: Vec<u32> = (0..POW3[6]).step_by(5).collect();
        let other = Index::new(&other, 6, None, &Run::serial()).unwrap();
        // Some spans of it have members, and a part ends within them.
        let wide = |d: &u32| d / 10_000 % 7 == 3 && d % 5 < 2;
        let wide: Vec<u32> = (0..POW3[13]).filter(wide).collect();
        let wider = Index::new(
            &(0..POW3[14]).step_by(9).collect::<Vec<_>>(),
            14,
            None,
            &run,
        );
        for index in [other, Index::default(), wider.unwrap()] {
            let mut index = index;
            for (list, slots) in [(&list, 5), (&wide, 13), (&list, 5)] {
                index = index.renewed(list, slots, None, &run).unwrap();
                for d in 0..POW3[slots] {
                    assert_eq!(index.position(d), list.binary_search(&d).ok());
                }
            }
        }
    }
}
