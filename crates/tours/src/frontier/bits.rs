//! Sets of degree vectors as bitsets over `0..3^slots`.

use std::sync::atomic::{AtomicU64, Ordering};

use super::degrees::{Degrees, POW3};

/// A set that many threads may fill at once.
pub(super) struct Marks {
    words: Vec<AtomicU64>,
}

impl Marks {
    /// The empty set of degree vectors of `slots` slots.
    pub(super) fn new(slots: usize) -> Self {
        let words = POW3[slots].div_ceil(64) as usize;
        Self {
            words: (0..words).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// The size in bytes of a set over `slots` slots.
    pub(super) fn bytes(slots: usize) -> u64 {
        u64::from(POW3[slots].div_ceil(64)) * 8
    }

    pub(super) fn insert(&self, degrees: Degrees) {
        let (word, bit) = (degrees as usize / 64, 1 << (degrees % 64));
        // Most insertions repeat: a load first avoids an atomic write.
        if self.words[word].load(Ordering::Relaxed) & bit == 0 {
            self.words[word].fetch_or(bit, Ordering::Relaxed);
        }
    }

    pub(super) fn contains(&self, degrees: Degrees) -> bool {
        self.words[degrees as usize / 64].load(Ordering::Relaxed) >> (degrees % 64) & 1 == 1
    }

    /// The number of members.
    pub(super) fn len(&self) -> usize {
        let words = self.words.iter();
        let count = words.map(|w| w.load(Ordering::Relaxed).count_ones() as usize);
        count.sum()
    }

    /// The members in ascending order.
    pub(super) fn members(&self) -> Vec<Degrees> {
        let mut members = Vec::with_capacity(self.len());
        for (i, word) in self.words.iter().enumerate() {
            let mut left = word.load(Ordering::Relaxed);
            while left != 0 {
                members.push(i as u32 * 64 + left.trailing_zeros());
                left &= left - 1;
            }
        }
        members
    }
}

/// A sorted list of degree vectors with constant-time look-up of positions.
pub(super) struct Index {
    words: Vec<u64>,
    before: Vec<u32>,
}

impl Index {
    /// The index of an ascending list of degree vectors of `slots` slots.
    pub(super) fn new(members: &[Degrees], slots: usize) -> Self {
        let size = POW3[slots].div_ceil(64) as usize;
        let mut words = vec![0u64; size];
        for &degrees in members {
            words[degrees as usize / 64] |= 1 << (degrees % 64);
        }
        let mut sum = 0;
        let before = words
            .iter()
            .map(|w| {
                let here = sum;
                sum += w.count_ones();
                here
            })
            .collect();
        Self { words, before }
    }

    /// The size in bytes of an index over `slots` slots.
    pub(super) fn bytes(slots: usize) -> u64 {
        Marks::bytes(slots) * 3 / 2
    }

    /// The position of a degree vector in the list.
    #[inline]
    pub(super) fn position(&self, degrees: Degrees) -> Option<usize> {
        let (word, bit) = (degrees as usize / 64, degrees % 64);
        let bits = self.words[word];
        (bits >> bit & 1 == 1)
            .then(|| self.before[word] as usize + (bits & ((1 << bit) - 1)).count_ones() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_follow_the_list() {
        let marks = Marks::new(5);
        let list: Vec<u32> = (0..POW3[5]).filter(|d| d % 7 == 3 || d % 64 == 0).collect();
        for &d in list.iter().rev() {
            marks.insert(d);
        }
        assert_eq!(marks.members(), list);
        let index = Index::new(&list, 5);
        for d in 0..POW3[5] {
            assert_eq!(index.position(d), list.binary_search(&d).ok());
            assert_eq!(marks.contains(d), index.position(d).is_some());
        }
    }
}
