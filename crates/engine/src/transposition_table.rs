//! The transposition table that all threads of a search share, without locks and without undefined
//! behaviour.
//!
//! An entry is two atomic words: `key ^ data` and `data` (Hyatt and Mann: "A lock-less
//! transposition-table implementation for parallel search", ICGA Journal 25(1), 2002). Two threads
//! may write the same entry at once and leave one word of each; the key read back is then
//! neither's, and the entry counts as absent. Every access is a relaxed atomic: no word's meaning
//! depends on other memory.
//!
//! Four entries form a cluster of 64 bytes, aligned to a cache line, so that a probe touches one
//! line.
//!
//! | bits of `data` | 0..16 | 16..32 | 32..48 | 48..56 | 56..58 | 58 | 59..64 |
//! |---|---|---|---|---|---|---|---|
//! | | move | score | static evaluation | depth | bound | PV | age |

use everymove_kernel::prefetch::prefetch;
use everymove_kernel::system;

use crate::error::HashError;
use crate::position::ShortMove;
use crate::score::{self, Score};
use crate::sync::{AtomicU8, AtomicU64, Ordering};

/// What a stored score says about the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Nothing: only move and static evaluation are meaningful.
    None = 0,
    /// At most.
    Upper = 1,
    /// At least.
    Lower = 2,
    /// Exactly.
    Exact = 3,
}

impl Bound {
    /// What the score of a search in a window says.
    pub fn of(score: Score, alpha: Score, beta: Score) -> Self {
        match score {
            s if s >= beta => Self::Lower,
            s if s > alpha => Self::Exact,
            _ => Self::Upper,
        }
    }
}

/// What the table stores of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move known.
    pub best: ShortMove,
    /// Its score, mates counted from this position.
    pub score: Score,
    /// The static evaluation, [`crate::score::NONE`] if it was not computed.
    pub evaluation: Score,
    /// Remaining depth of the search behind the score, `-8..=247`.
    pub depth: i32,
    /// What the score says.
    pub bound: Bound,
    /// Whether the position was ever on a principal variation.
    pub pv: bool,
}

impl Entry {
    /// The score at `ply` plies from the root, if its bound settles the window.
    #[inline]
    pub(crate) fn settled_score(&self, alpha: Score, beta: Score, ply: usize) -> Option<Score> {
        let score = score::from_table(self.score, ply);
        let settles = match self.bound {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        };
        settles.then_some(score)
    }
}

const WAYS: usize = 4;
const DEPTH_OFFSET: i32 = 8;
const AGES: u8 = 32;

/// Bytes of a cluster.
const CLUSTER_BYTES: u64 = 64;

/// Entries that share a cache line; entry `i` has its lock word at `2 i` and its data at `2 i + 1`.
#[derive(Debug)]
#[repr(align(64))]
struct Cluster([AtomicU64; 2 * WAYS]);

impl Cluster {
    fn new() -> Self {
        Self(std::array::from_fn(|_| AtomicU64::new(0)))
    }
}

/// The transposition table.
#[derive(Debug)]
pub struct TranspositionTable {
    clusters: Box<[Cluster]>,
    age: AtomicU8,
}

impl TranspositionTable {
    /// A table of `bytes`, rounded down to whole clusters of 64 bytes, at least one.
    ///
    /// # Errors
    /// [`HashError`] if the system refuses the memory.
    pub fn new(bytes: u64) -> Result<Self, HashError> {
        let refused = |source| HashError { bytes, source };
        let count = usize::try_from(bytes / CLUSTER_BYTES).unwrap_or(usize::MAX);
        let mut clusters = Vec::new();
        clusters.try_reserve_exact(count.max(1)).map_err(refused)?;
        system::request_large_pages(clusters.spare_capacity_mut());
        clusters.resize_with(count.max(1), Cluster::new);
        Ok(Self {
            clusters: clusters.into(),
            age: AtomicU8::new(0),
        })
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.clusters.len() as u64 * CLUSTER_BYTES
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.clusters.fill_with(Cluster::new);
        self.age = AtomicU8::new(0);
    }

    /// Starts a new search: entries of earlier searches are replaced first.
    pub fn new_search(&self) {
        let age = (self.age.load(Ordering::Relaxed) + 1) % AGES;
        self.age.store(age, Ordering::Relaxed);
    }

    /// Entries of the current search in thousandths, from a sample of 1000 entries.
    pub fn hashfull(&self) -> u32 {
        let age = self.age.load(Ordering::Relaxed);
        let entries = (self.clusters.len() * WAYS).min(1000);
        let data = |i: usize| self.clusters[i / WAYS].0[2 * (i % WAYS) + 1].load(Ordering::Relaxed);
        let used = (0..entries)
            .map(data)
            .filter(|&data| data != 0 && data_age(data) == age)
            .count();
        (used * 1000 / entries) as u32
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }

    /// Asks the processor to load the entry of a position, which will be probed soon.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// The entry of a position.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let words = &self.cluster(key).0;
        for way in 0..WAYS {
            let data = words[2 * way + 1].load(Ordering::Relaxed);
            let lock = words[2 * way].load(Ordering::Relaxed);
            if lock ^ data == key && data != 0 {
                return Some(unpack(data));
            }
        }
        None
    }

    /// Stores the result of a search in place of the least valuable entry of its cluster: an old or
    /// shallow one.
    pub fn store(&self, key: u64, mut entry: Entry) {
        let age = self.age.load(Ordering::Relaxed);
        let cluster = &self.cluster(key).0;
        let mut victim = 0;
        let mut least = i32::MAX;
        for way in 0..WAYS {
            let data = cluster[2 * way + 1].load(Ordering::Relaxed);
            let lock = cluster[2 * way].load(Ordering::Relaxed);
            if data != 0 && lock ^ data == key {
                let old = unpack(data);
                if entry.best.is_none() {
                    entry.best = old.best;
                }
                let deeper = old.depth > entry.depth + 3 + 2 * i32::from(entry.pv);
                if entry.bound != Bound::Exact && deeper && data_age(data) == age {
                    return;
                }
                victim = way;
                break;
            }
            let generations = i32::from((AGES + age - data_age(data)) % AGES);
            let worth = if data == 0 {
                i32::MIN
            } else {
                unpack(data).depth - 4 * generations
            };
            if worth < least {
                least = worth;
                victim = way;
            }
        }
        let data = pack(&entry, age);
        cluster[2 * victim].store(key ^ data, Ordering::Relaxed);
        cluster[2 * victim + 1].store(data, Ordering::Relaxed);
    }
}

fn data_age(data: u64) -> u8 {
    (data >> 59) as u8
}

fn pack(entry: &Entry, age: u8) -> u64 {
    let half = |score: Score| u64::from(score as i16 as u16);
    let depth = (entry.depth + DEPTH_OFFSET).clamp(0, 255) as u64;
    u64::from(entry.best.bits())
        | half(entry.score) << 16
        | half(entry.evaluation) << 32
        | depth << 48
        | (entry.bound as u64) << 56
        | u64::from(entry.pv) << 58
        | u64::from(age) << 59
}

fn unpack(data: u64) -> Entry {
    let half = |shift: u32| Score::from((data >> shift) as u16 as i16);
    Entry {
        best: ShortMove::from_bits(data as u16),
        score: half(16),
        evaluation: half(32),
        depth: i32::from((data >> 48) as u8) - DEPTH_OFFSET,
        bound: match data >> 56 & 3 {
            0 => Bound::None,
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        },
        pv: data >> 58 & 1 == 1,
    }
}

/// Every interleaving of threads that write and read one cluster.
#[cfg(all(test, loom))]
mod models {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    fn entry(score: Score) -> Entry {
        Entry {
            best: ShortMove::from_bits(score as u16),
            score,
            evaluation: -score,
            depth: score % 7,
            bound: Bound::Exact,
            pv: false,
        }
    }

    /// The data of one writer never goes with the key of another, whatever halves of their words
    /// are left.
    #[test]
    fn a_probe_finds_what_was_stored_for_its_key_or_nothing() {
        loom::model(|| {
            let table = Arc::new(TranspositionTable::new(64).unwrap());
            let writers = [(1u64, 11), (2, 22)].map(|(key, score)| {
                let table = Arc::clone(&table);
                thread::spawn(move || table.store(key, entry(score)))
            });
            for (key, score) in [(1, 11), (2, 22)] {
                let found = table.probe(key);
                assert!(found.is_none_or(|found| found == entry(score)), "{found:?}");
            }
            writers.into_iter().for_each(|w| w.join().unwrap());
            // Both wrote the same free entry: one of them is left, or neither.
            let left = [(1, 11), (2, 22)].map(|(key, score)| {
                let found = table.probe(key);
                assert!(found.is_none_or(|found| found == entry(score)), "{found:?}");
                found.is_some()
            });
            assert!(!left.iter().all(|&l| l) || table.probe(3).is_none());
        });
    }

    /// The same position from two threads: one whole entry stays, or none.
    #[test]
    fn two_results_of_one_position_do_not_mix() {
        loom::model(|| {
            let table = Arc::new(TranspositionTable::new(64).unwrap());
            let writer = {
                let table = Arc::clone(&table);
                thread::spawn(move || table.store(5, entry(33)))
            };
            table.store(5, entry(44));
            writer.join().unwrap();
            let found = table.probe(5);
            assert!(
                found.is_none_or(|e| e == entry(33) || e == entry(44)),
                "{found:?}"
            );
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(depth: i32, bound: Bound) -> Entry {
        Entry {
            best: ShortMove::from_bits(77),
            score: -31,
            evaluation: 12,
            depth,
            bound,
            pv: true,
        }
    }

    /// A key that falls into the first cluster.
    const KEY: u64 = 1;

    #[test]
    fn what_is_stored_is_found() {
        let mut table = TranspositionTable::new(1 << 16).unwrap();
        assert_eq!(table.probe(KEY), None);
        table.store(KEY, entry(5, Bound::Exact));
        assert_eq!(table.probe(KEY), Some(entry(5, Bound::Exact)));
        assert_eq!(table.probe(KEY + 1), None);
        table.clear();
        assert_eq!(table.probe(KEY), None);
    }

    #[test]
    fn the_shallowest_of_a_cluster_goes_first() {
        let table = TranspositionTable::new(64).unwrap();
        for (i, depth) in [9, 3, 7, 8].into_iter().enumerate() {
            table.store(KEY + i as u64, entry(depth, Bound::Exact));
        }
        table.store(99, entry(4, Bound::Exact));
        assert_eq!(table.probe(KEY + 1), None);
        assert!(
            [KEY, KEY + 2, KEY + 3, 99]
                .iter()
                .all(|&k| table.probe(k).is_some())
        );
        (0..3).for_each(|_| table.new_search());
        table.store(98, entry(1, Bound::Exact));
        assert_eq!(table.probe(99), None, "older and shallowest");
    }

    #[test]
    fn torn_entries_are_absent() {
        let table = TranspositionTable::new(64).unwrap();
        table.store(KEY, entry(9, Bound::Exact));
        table.clusters[0].0[1].fetch_xor(1 << 20, Ordering::Relaxed);
        assert_eq!(table.probe(KEY), None);
    }

    /// Under miri this also proves the absence of data races. Whatever is found is something that
    /// was stored for that key.
    #[test]
    fn threads_see_whole_entries_only() {
        let table = TranspositionTable::new(64).unwrap();
        let rounds = if cfg!(miri) { 40 } else { 20_000 };
        std::thread::scope(|scope| {
            for thread in 0..3u64 {
                let table = &table;
                scope.spawn(move || {
                    for i in 0..rounds {
                        let key = (i * 7 + thread) % 6;
                        let mut stored = entry((i % 50) as i32, Bound::Lower);
                        stored.score = 100 * key as i32 + stored.depth;
                        table.store(key, stored);
                        if let Some(found) = table.probe((key + 1) % 6) {
                            assert_eq!(found.score, 100 * ((key + 1) % 6) as i32 + found.depth);
                        }
                    }
                });
            }
        });
    }

    proptest! {
        #[test]
        fn packing_loses_nothing(
            best in 0u16..1 << 15, score in -32_000i32..=32_600, evaluation in -32_000i32..=32_600,
            depth in -8i32..=247, bound in 0usize..4, pv: bool, age in 0u8..AGES,
        ) {
            let bound = [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact][bound];
            let entry = Entry { best: ShortMove::from_bits(best), score, evaluation, depth, bound, pv };
            let data = pack(&entry, age);
            prop_assert_eq!((unpack(data), data_age(data)), (entry, age));
        }
    }
}
