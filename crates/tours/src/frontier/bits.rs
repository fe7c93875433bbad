//! Positions of degree vectors in a list, by bitsets over `0..3^slots`.

use std::sync::Arc;

use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Stopped};

use super::degrees::{Degrees, Order, POW3};

/// Words of an index that a thread fills at a time.
const PART: usize = 1 << 14;

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
        let list: Vec<u32> = (0..POW3[5]).filter(|d| d % 7 == 3 || d % 64 == 0).collect();
        let other: Vec<u32> = (0..POW3[6]).step_by(5).collect();
        let other = Index::new(&other, 6, None, &Run::serial()).unwrap();
        for index in [other, Index::default()] {
            let index = index.renewed(&list, 5, None, &run).unwrap();
            for d in 0..POW3[5] {
                assert_eq!(index.position(d), list.binary_search(&d).ok());
            }
        }
    }
}
