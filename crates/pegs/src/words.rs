//! An insert-only set of words that threads share without locks.
//!
//! A fixed table of atomic words, open addressing, linear probing; zero marks a free slot, so zero
//! itself cannot be a member. A word is published by one compare-and-exchange into the first free
//! slot of its probe sequence and never moves: who finds a free slot first has proof that the word
//! was absent at that moment. No word carries anything but itself, so relaxed ordering is enough: a
//! member's meaning must not depend on other memory written before.
//!
//! The table does not grow. An insertion that finds no room says so, and nothing that is in is ever
//! lost, so that a caller can keep its answer exact and report that the set was too small.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use everymove_kernel::run::{OverBudget, Ram, Reservation};

/// A set of non-zero words with a fixed capacity, shared by reference.
#[derive(Debug)]
pub(crate) struct WordSet {
    slots: Box<[AtomicU64]>,
    len: AtomicUsize,
    refused: AtomicUsize,
    _held: Reservation,
}

/// What became of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inserted {
    /// The word was not in the set and now is.
    New,
    /// The word was in the set.
    Known,
    /// The word is not in the set, and there was no room for it.
    Full,
}

/// The farthest a word may lie from its home slot. At three quarters full this is hardly ever
/// reached.
const REACH: usize = 128;

impl WordSet {
    /// A set with room for at least `words` words: the table has a third more slots, rounded up to
    /// a power of two.
    ///
    /// # Errors
    /// [`OverBudget`] naming `what` if the table does not fit the budget.
    pub(crate) fn new(what: &str, words: usize, ram: &Ram) -> Result<Self, OverBudget> {
        let slots = (words + words.div_ceil(3)).max(2).next_power_of_two();
        let held = ram.reserve(what, 8 * slots as u64)?;
        Ok(Self {
            slots: (0..slots).map(|_| AtomicU64::new(0)).collect(),
            len: AtomicUsize::new(0),
            refused: AtomicUsize::new(0),
            _held: held,
        })
    }

    /// The largest set that a number of bytes holds.
    ///
    /// # Errors
    /// [`OverBudget`] naming `what` if not even that fits the budget.
    pub(crate) fn with_bytes(what: &str, bytes: u64, ram: &Ram) -> Result<Self, OverBudget> {
        let slots = 1usize << (bytes / 8).max(2).ilog2();
        Self::new(what, slots - slots.div_ceil(4), ram)
    }

    /// Puts a word into the set.
    ///
    /// # Panics
    /// If the word is zero.
    pub(crate) fn insert(&self, word: u64) -> Inserted {
        assert_ne!(word, 0, "zero marks a free slot");
        if self.len.load(Ordering::Relaxed) > self.slots.len() / 4 * 3 {
            let known = self.contains(word);
            return if known {
                Inserted::Known
            } else {
                self.refuse()
            };
        }
        for slot in self.probe(word) {
            let mut found = slot.load(Ordering::Relaxed);
            if found == 0 {
                match slot.compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => {
                        self.len.fetch_add(1, Ordering::Relaxed);
                        return Inserted::New;
                    }
                    // Another thread took the slot, perhaps with the same word.
                    Err(now) => found = now,
                }
            }
            if found == word {
                return Inserted::Known;
            }
        }
        self.refuse()
    }

    /// Whether a word is in the set.
    pub(crate) fn contains(&self, word: u64) -> bool {
        let mut found = self.probe(word).map(|slot| slot.load(Ordering::Relaxed));
        found.find(|&found| found == 0 || found == word) == Some(word) && word != 0
    }

    /// Number of words in the set.
    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Insertions that found no room.
    pub(crate) fn refused(&self) -> usize {
        self.refused.load(Ordering::Relaxed)
    }

    fn refuse(&self) -> Inserted {
        self.refused.fetch_add(1, Ordering::Relaxed);
        Inserted::Full
    }

    /// The slots a word may lie in, in order.
    fn probe(&self, word: u64) -> impl Iterator<Item = &AtomicU64> {
        let mask = self.slots.len() - 1;
        let home = mix(word) as usize;
        (0..REACH.min(self.slots.len())).map(move |step| &self.slots[(home + step) & mask])
    }
}

/// Spreads a word over all bits (the finaliser of SplitMix64).
fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// Every interleaving of two threads on the smallest table, checked by loom.
#[cfg(all(loom, test))]
mod model {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    /// Two threads insert `ours` and `theirs` into a set that holds `before`; returns what became
    /// of each.
    fn race(
        before: &'static [u64],
        ours: u64,
        theirs: u64,
        check: fn(&WordSet, Inserted, Inserted),
    ) {
        loom::model(move || {
            let set = Arc::new(WordSet::new("model", 3, &Ram::unlimited()).unwrap());
            for &word in before {
                assert_eq!(set.insert(word), Inserted::New);
            }
            let other = {
                let set = Arc::clone(&set);
                thread::spawn(move || set.insert(theirs))
            };
            let mine = set.insert(ours);
            // One's own insertion is seen at once.
            assert_eq!(set.contains(ours), mine != Inserted::Full);
            let other = other.join().unwrap();
            assert!(before.iter().all(|&word| set.contains(word)));
            check(&set, mine, other);
        });
    }

    #[test]
    fn a_word_is_new_once() {
        race(&[], 7, 7, |set, mine, other| {
            assert!(matches!(
                (mine, other),
                (Inserted::New, Inserted::Known) | (Inserted::Known, Inserted::New)
            ));
            assert_eq!(set.len(), 1);
        });
    }

    #[test]
    fn no_word_pushes_out_another() {
        for theirs in 2..6 {
            race(&[], 1, theirs, |set, mine, other| {
                assert_eq!((mine, other, set.len()), (Inserted::New, Inserted::New, 2));
                assert_eq!((1..6).filter(|&word| set.contains(word)).count(), 2);
            });
        }
    }

    #[test]
    fn what_is_refused_is_not_in() {
        race(&[11, 12, 13], 14, 15, |set, mine, other| {
            let refused = [mine, other]
                .iter()
                .filter(|&&inserted| inserted == Inserted::Full)
                .count();
            assert_eq!((set.len() + refused, set.refused()), (5, refused));
            assert_eq!(set.contains(14), mine == Inserted::New);
            assert_eq!(set.contains(15), other == Inserted::New);
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::collections::HashSet;

    use everymove_kernel::rng::SplitMix64;

    use super::*;

    const WORDS: u64 = 20_000;

    #[test]
    fn agrees_with_a_hash_set() {
        let set = WordSet::new("test", WORDS as usize, &Ram::unlimited()).unwrap();
        let mut rng = SplitMix64::new(5);
        let mut expected = HashSet::new();
        for _ in 0..2 * WORDS {
            let word = 1 + rng.below(WORDS);
            let is_new = expected.insert(word);
            assert_eq!(set.insert(word) == Inserted::New, is_new);
        }
        assert_eq!((set.len(), set.refused()), (expected.len(), 0));
        for word in 0..=WORDS + 1 {
            assert_eq!(set.contains(word), expected.contains(&word));
        }
    }

    #[test]
    fn says_when_it_is_full_and_keeps_what_it_has() {
        let set = WordSet::new("test", 10, &Ram::unlimited()).unwrap();
        let kept: Vec<u64> = (1..100)
            .filter(|&word| set.insert(word) == Inserted::New)
            .collect();
        assert!(kept.len() >= 10 && kept.len() < 99);
        assert_eq!(set.refused(), 99 - kept.len());
        assert!(
            kept.iter()
                .all(|&word| set.contains(word) && set.insert(word) == Inserted::Known)
        );
        assert_eq!(
            (1..100).filter(|&word| set.contains(word)).count(),
            kept.len()
        );
    }

    /// Each word is new to exactly one of the threads that insert it.
    #[test]
    fn one_thread_is_the_first() {
        let set = WordSet::new("test", WORDS as usize, &Ram::unlimited()).unwrap();
        let insert_all = |offset: u64| {
            let words = (0..WORDS).map(|i| 1 + (i + offset) % WORDS);
            words
                .filter(|&word| set.insert(word) == Inserted::New)
                .count()
        };
        let firsts: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|t| scope.spawn(move || insert_all(t * WORDS / 7)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .sum()
        });
        assert_eq!((firsts, set.len()), (WORDS as usize, WORDS as usize));
    }

    #[test]
    fn a_budget_bounds_the_table() {
        let ram = Ram::limited(1 << 20);
        assert!(WordSet::new("big", 1 << 20, &ram).is_err());
        let set = WordSet::with_bytes("fits", 1 << 20, &ram).unwrap();
        assert_eq!((set.slots.len(), ram.used()), (1 << 17, 1 << 20));
    }
}
