//! Compressed lists of positions, for sparse sets.
//!
//! A list holds words in ascending order. A word is a varint of `8 * gap + n`, where `gap` is its
//! distance from the word before, followed by `n` squares of one byte each for n = 1 to 6, or by
//! the set in 8 bytes for n = 0.

use everymove_kernel::files::{FileError, push_varint, take_varint};

use crate::store::words::Words;

/// Words of positions in ascending order, compressed.
#[derive(Clone, Debug, Default)]
pub(crate) struct List {
    bytes: Vec<u8>,
    last: u32,
    positions: u64,
}

impl List {
    /// Appends a word, which must be larger than those before it.
    #[inline]
    pub(crate) fn push(&mut self, word: u32, set: u64) {
        debug_assert!(set != 0 && (word > self.last || self.bytes.is_empty()));
        let gap = u64::from(word - self.last);
        self.last = word;
        let n = set.count_ones();
        self.positions += u64::from(n);
        if n <= 6 {
            push_varint(&mut self.bytes, gap << 3 | u64::from(n));
            let mut left = set;
            while left != 0 {
                self.bytes.push(left.trailing_zeros() as u8);
                left &= left - 1;
            }
        } else {
            push_varint(&mut self.bytes, gap << 3);
            self.bytes.extend_from_slice(&set.to_le_bytes());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Number of positions.
    pub(crate) fn positions(&self) -> u64 {
        self.positions
    }

    /// Size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns a list of these bytes; nothing can be appended to it.
    pub(crate) fn from_bytes(bytes: Vec<u8>, positions: u64) -> Self {
        Self {
            bytes,
            last: u32::MAX,
            positions,
        }
    }

    /// Whether bytes from outside are those of a list with as many positions as it says, all of
    /// them in words that `place` accepts.
    pub(crate) fn is_sound(&self, place: impl Fn(usize) -> bool) -> bool {
        let mut bytes = &self.bytes[..];
        let (mut word, mut first, mut positions) = (0u32, true, 0);
        while !bytes.is_empty() {
            let Some(n) = take_varint(&mut bytes) else {
                return false;
            };
            let next = u32::try_from(n >> 3)
                .ok()
                .and_then(|gap| word.checked_add(gap));
            let count = (n & 7) as usize;
            let Some((squares, rest)) = bytes.split_at_checked(if count == 0 { 8 } else { count })
            else {
                return false;
            };
            bytes = rest;
            let set = match count {
                0 => squares
                    .iter()
                    .map(|byte| u64::from(byte.count_ones()))
                    .sum(),
                _ => count as u64,
            };
            let ascends = count == 0
                || squares.windows(2).all(|pair| pair[0] < pair[1]) && squares[count - 1] < 64;
            match next {
                Some(next)
                    if ascends && count < 7 && (first || next > word) && place(next as usize) =>
                {
                    word = next;
                }
                _ => return false,
            }
            first = false;
            positions += set;
        }
        positions == self.positions
    }

    /// Releases unused capacity.
    pub(crate) fn pack(mut self) -> Self {
        self.bytes.shrink_to_fit();
        self
    }

    pub(crate) fn iter(&self) -> ListWords<'_> {
        ListWords {
            bytes: &self.bytes,
            word: 0,
        }
    }
}

/// Iterates over the words of a list in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct ListWords<'a> {
    bytes: &'a [u8],
    word: u32,
}

impl Iterator for ListWords<'_> {
    type Item = (u32, u64);

    #[inline]
    fn next(&mut self) -> Option<(u32, u64)> {
        let n = take_varint(&mut self.bytes)?;
        self.word += (n >> 3) as u32;
        let set = match (n & 7) as usize {
            0 => {
                let (set, rest) = self.bytes.split_first_chunk::<8>()?;
                self.bytes = rest;
                u64::from_le_bytes(*set)
            }
            n => {
                let (squares, rest) = self.bytes.split_at(n);
                self.bytes = rest;
                squares.iter().fold(0, |set, &s| set | 1 << s)
            }
        };
        Some((self.word, set))
    }
}

/// A set of positions of one chunk, filled in any order and drained in ascending order.
#[derive(Debug)]
pub(crate) struct Accumulator<S> {
    sets: S,
    /// One bit for each word that may be non-zero.
    touched: Vec<u64>,
}

impl<S: Words> Accumulator<S> {
    /// Returns an empty accumulator; `sets` must hold `words` empty words.
    pub(crate) fn new(sets: S, words: usize) -> Self {
        Self {
            sets,
            touched: vec![0; words.div_ceil(64)],
        }
    }

    #[inline]
    pub(crate) fn add(&mut self, word: usize, set: u64) {
        let known = self.sets.get(word);
        self.sets.set(word, known | set);
        self.touched[word >> 6] |= 1 << (word & 63);
    }

    /// Empties the accumulator, calling `visit(word, set)` in ascending order.
    #[inline]
    pub(crate) fn drain(&mut self, mut visit: impl FnMut(usize, u64)) {
        for (i, touched) in self.touched.iter_mut().enumerate() {
            let mut left = std::mem::take(touched);
            while left != 0 {
                let word = i << 6 | left.trailing_zeros() as usize;
                left &= left - 1;
                let set = self.sets.get(word);
                self.sets.set(word, 0);
                if set != 0 {
                    visit(word, set);
                }
            }
        }
    }

    /// Returns the first error of the underlying words.
    pub(crate) fn take_error(&mut self) -> Result<(), FileError> {
        self.sets.take_error()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_give_back_what_they_got(words in proptest::collection::btree_map(0u32..1 << 27, 1u64.., 0..200), sparse: bool) {
            let set = |s: u64| if sparse { s & s.wrapping_neg() } else { s };
            let mut list = List::default();
            for (&word, &s) in &words {
                list.push(word, set(s));
            }
            let expected: Vec<_> = words.iter().map(|(&w, &s)| (w, set(s))).collect();
            prop_assert_eq!(list.iter().collect::<Vec<_>>(), expected);
            let sound = List::from_bytes(list.as_bytes().to_vec(), list.positions());
            prop_assert!(sound.is_sound(|word| words.contains_key(&(word as u32))));
            prop_assert!(words.is_empty() || !sound.is_sound(|word| Some(word as u32) != words.keys().next().copied()));
            let other = List::from_bytes(list.as_bytes().to_vec(), list.positions() + 1);
            prop_assert!(!other.is_sound(|_| true));
            prop_assert_eq!(list.positions(), words.values().map(|&s| u64::from(set(s).count_ones())).sum::<u64>());
        }

        #[test]
        fn piles_drain_in_order(adds in proptest::collection::vec((0usize..500, 1u64..), 0..100)) {
            let mut accumulator = Accumulator::new(vec![0; 500], 500);
            let mut expected = std::collections::BTreeMap::<usize, u64>::new();
            for &(word, set) in &adds {
                accumulator.add(word, set);
                *expected.entry(word).or_default() |= set;
            }
            let mut drained = Vec::new();
            accumulator.drain(|word, set| drained.push((word, set)));
            prop_assert_eq!(drained, expected.into_iter().collect::<Vec<_>>());
            accumulator.drain(|_, _| panic!("the accumulator was emptied"));
        }
    }
}
