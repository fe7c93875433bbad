//! A cache of blocks of table files, with a bound on its bytes: one for all threads and all files
//! of a directory, or one for a thread.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use crate::store::directory::lock;
use crate::store::row_decoder::RowDecoder;

/// Parts with a lock of their own. A part must have space for several decoders.
const SHARDS: usize = 8;
/// Bytes that an entry needs beside its contents, about.
const OVERHEAD: u64 = 96;

/// A cached part of a file.
#[derive(Clone, Debug)]
pub(crate) enum Cached {
    /// A block: its codes, or its compressed rows.
    Block(Arc<[u8]>),
    /// The decoder of a section.
    Decoder(Arc<RowDecoder>),
}

impl Cached {
    fn bytes(&self) -> u64 {
        OVERHEAD
            + match self {
                Self::Block(bytes) => bytes.len() as u64,
                Self::Decoder(decoder) => decoder.bytes(),
            }
    }
}

/// The blocks used last.
#[derive(Debug)]
pub(crate) struct BlockCache {
    shards: [Mutex<Shard>; SHARDS],
    /// The most bytes of a shard. One entry is cached in any case.
    limit: u64,
    files: AtomicU32,
}

#[derive(Debug, Default)]
struct Shard {
    entries: FxHashMap<u64, Entry>,
    /// The entries in the order in which they are considered for removal.
    order: VecDeque<u64>,
    bytes: u64,
}

#[derive(Debug)]
struct Entry {
    cached: Cached,
    /// Whether it was used since it was last considered for removal.
    used: bool,
}

impl BlockCache {
    /// Returns a cache of about `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            limit: bytes / SHARDS as u64,
            files: AtomicU32::new(0),
        }
    }

    /// Returns a number for a file that no other file of the cache has.
    pub(crate) fn file(&self) -> u32 {
        self.files.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns a part of a file, loaded by `load` unless it is cached. Two threads may load the
    /// same part at once.
    ///
    /// # Errors
    /// Those of `load`.
    pub(crate) fn get<E>(
        &self,
        file: u32,
        part: u32,
        load: impl FnOnce() -> Result<Cached, E>,
    ) -> Result<Cached, E> {
        let key = u64::from(file) << 32 | u64::from(part);
        // Consecutive parts are in different shards.
        let shard = &self.shards[(part.wrapping_add(file)) as usize % SHARDS];
        if let Some(entry) = lock(shard).entries.get_mut(&key) {
            entry.used = true;
            return Ok(entry.cached.clone());
        }
        let cached = load()?;
        lock(shard).insert(key, cached.clone(), self.limit);
        Ok(cached)
    }

    /// As [`BlockCache::get`], for a part that is a block.
    ///
    /// # Errors
    /// Those of `load`.
    ///
    /// # Panics
    /// If the part is a decoder.
    pub(crate) fn block<E>(
        &self,
        file: u32,
        part: u32,
        load: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Arc<[u8]>, E> {
        match self.get(file, part, || Ok(Cached::Block(load()?.into())))? {
            Cached::Block(bytes) => Ok(bytes),
            Cached::Decoder(_) => unreachable!("the part is a block"),
        }
    }

    /// Drops all entries. What is in use elsewhere stays in memory until it is dropped there.
    pub(crate) fn clear(&self) {
        for shard in &self.shards {
            *lock(shard) = Shard::default();
        }
    }

    /// Bytes of the entries.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> u64 {
        self.shards.iter().map(|shard| lock(shard).bytes).sum()
    }
}

impl Shard {
    fn insert(&mut self, key: u64, cached: Cached, limit: u64) {
        self.bytes += cached.bytes();
        let entry = Entry {
            cached,
            used: false,
        };
        match self.entries.insert(key, entry) {
            Some(old) => self.bytes -= old.cached.bytes(),
            None => self.order.push_back(key),
        }
        // The entries used since the last time get a second chance: at most one turn more.
        let mut chances = self.order.len();
        while self.bytes > limit && self.order.len() > 1 {
            let Some(oldest) = self.order.pop_front() else {
                return;
            };
            match self.entries.get_mut(&oldest) {
                Some(entry) if chances > 0 && (entry.used || oldest == key) => {
                    entry.used = false;
                    chances -= 1;
                    self.order.push_back(oldest);
                }
                _ => {
                    let removed = self.entries.remove(&oldest);
                    self.bytes -= removed.map_or(0, |entry| entry.cached.bytes());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn the_bound_is_kept_and_entries_in_use_stay() {
        let cache = BlockCache::new(SHARDS as u64 * 10_000);
        let (one, two) = (cache.file(), cache.file());
        assert_ne!(one, two);
        let mut loads = 0;
        let mut get = |file, part: u32, expected_load: bool| {
            let before = loads;
            let block = cache.get(file, part, || {
                loads += 1;
                Ok::<_, Infallible>(Cached::Block(vec![part as u8; 1000].into()))
            });
            assert!(matches!(block, Ok(Cached::Block(bytes)) if bytes[0] == part as u8));
            assert_eq!(loads - before, usize::from(expected_load), "{file} {part}");
        };
        get(one, 0, true);
        get(one, 0, false);
        // Other entries of the same shard push each other out, but not the one in use.
        for part in 1..100 {
            get(one, part * SHARDS as u32, true);
            get(one, 0, false);
        }
        get(one, SHARDS as u32, true);
        let held = cache.bytes();
        assert!((5_000..=10_000).contains(&held), "{held}");
        cache.clear();
        assert_eq!(cache.bytes(), 0);
        get(one, 0, true);
    }

    #[test]
    fn a_cache_without_space_still_answers() {
        let cache = BlockCache::new(0);
        for part in [1, 9, 17, 1] {
            let block = cache.get(0, part, || {
                Ok::<_, Infallible>(Cached::Block(vec![part as u8].into()))
            });
            assert!(matches!(block, Ok(Cached::Block(bytes)) if *bytes == [part as u8]));
        }
        assert!(cache.shards.iter().all(|s| lock(s).order.len() <= 1));
    }
}
