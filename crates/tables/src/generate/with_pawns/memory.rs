//! The memory that it takes to make a half with pawns, and the way that fits a budget.

use super::{AdvancementGroup, PawnBuilder};
use crate::generate::conversions::Conversions;
use crate::generate::dependencies::Dependencies;
use crate::generate::plan::{Need, PROGRAM_BYTES};
use crate::generate::retro_step::{RetroStep, Workspace};
use crate::store::win_set::InMemory;

/// Bytes of lists that a thread keeps in memory when there is a file for the others.
const LISTS: u64 = 4 << 20;
/// Bytes of the lists of conversions and of one step for each word, when they are kept in memory.
const LISTS_PER_WORD: u64 = 64;
/// The most bytes for each word of the lists that a thread loads at once from a file.
const LOADED_PER_WORD: u64 = 30;
/// Bytes of blocks of other tables while they are read, and of this one while it is written. With
/// caches they take the place of what the threads have no use for then.
const READING: u64 = 4 << 20;
/// Bytes of the decoder of an open table, and of what marks its illegal positions.
const DECODER: u64 = 640 << 10;
/// An open table has an entry in memory for each block: a byte for about this many positions.
const POSITIONS_PER_INDEX_BYTE: u64 = 400;

/// Where the values of the positions are that conversions lead to, and what is kept of a P-slice
/// while it is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Whole P-slices in memory; lists in memory too, or in a file.
    Loaded { lists_in_memory: bool },
    /// A few blocks of each half in a cache; results in lists in a file.
    Cached(CachedWay),
}

/// Memory of a thread that loads blocks when they are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CachedWay {
    /// Bytes of the cache for each half and side to move.
    pub(super) cache: usize,
    /// Whether the bounds of losses by conversions are kept, or computed again for each step.
    pub(super) loss_bounds: bool,
    /// The most codes of a P-slice that are made of the lists at once.
    pub(super) packed_at_once: usize,
}

/// Bytes of a cache that suffices for the promotions of up to five pieces.
const USUAL_CACHE: usize = 1 << 21;

/// The ways, the fastest first.
pub(super) const WAYS: [Way; 7] = [
    Way::Loaded {
        lists_in_memory: true,
    },
    Way::Loaded {
        lists_in_memory: false,
    },
    Way::Cached(CachedWay {
        cache: 1 << 24,
        loss_bounds: true,
        packed_at_once: 1 << 24,
    }),
    Way::Cached(CachedWay {
        cache: USUAL_CACHE,
        loss_bounds: true,
        packed_at_once: 1 << 24,
    }),
    Way::Cached(CachedWay {
        cache: 1 << 19,
        loss_bounds: true,
        packed_at_once: 1 << 24,
    }),
    Way::Cached(CachedWay {
        cache: 1 << 19,
        loss_bounds: false,
        packed_at_once: 1 << 24,
    }),
    Way::Cached(CachedWay {
        cache: 1 << 19,
        loss_bounds: false,
        packed_at_once: 1 << 22,
    }),
];

/// Returns the ways without those that have a larger cache than a half with `free` pieces beside
/// kings and pawns makes use of. All positions of two kings, which are solved one after another,
/// lead by promotion to positions of few pairs of kings, each with one more piece that
/// varies: their blocks are loaded once if all of them fit.
pub(super) fn useful_ways(free: usize) -> Vec<Way> {
    let of_two_kings = 1usize << (6 * (free + 1));
    let most = USUAL_CACHE.max(of_two_kings);
    let is_useful = |way: &Way| !matches!(way, Way::Cached(cached) if cached.cache > most);
    WAYS.into_iter().filter(is_useful).collect()
}

impl PawnBuilder<'_> {
    /// Bytes of memory without which the half cannot be made.
    pub(crate) fn least_bytes(&self) -> u64 {
        let loaded = self.loaded_bytes();
        let needs = self.ways.iter().map(|&way| self.need(way, loaded));
        needs.map(Need::least).min().unwrap_or(u64::MAX)
    }

    /// Returns the fastest way that fits a budget of `available` bytes, or the one that takes
    /// least, and its memory.
    pub(super) fn way(&self, available: u64) -> (Way, Need) {
        let loaded = self.loaded_bytes();
        let wished = self.run.threads.get() as u64;
        let mut least = None::<(Way, Need)>;
        for &way in &self.ways {
            let need = self.need(way, loaded);
            let threads = match way {
                // With lists in a file all threads may have a place.
                Way::Loaded {
                    lists_in_memory: true,
                } => wished,
                _ => 1,
            };
            if need.once + threads * need.each <= available {
                return (way, need);
            }
            if least.is_none_or(|(_, least)| need.least() < least.least()) {
                least = Some((way, need));
            }
        }
        least.expect("there are ways")
    }

    /// `loaded` are the bytes of [`PawnBuilder::loaded_bytes`].
    fn need(&self, way: Way, loaded: u64) -> Need {
        let words = self.space.slice_len() / 64;
        let lists = words as u64 * LISTS_PER_WORD;
        let sets = InMemory::bytes(words) + Workspace::bytes(words);
        let bounds = RetroStep::loss_bounds_bytes(words);
        // Both halves of an ending have an index space with this lookup.
        let once = 2 * self.space.lookup_bytes() + PROGRAM_BYTES;
        match way {
            Way::Loaded { lists_in_memory } => Need {
                once: once + loaded + READING,
                each: sets
                    + bounds
                    + match lists_in_memory {
                        true => lists,
                        false => lists.min(LISTS),
                    },
            },
            Way::Cached(cached) => {
                let halves = Conversions::halves(&self.space);
                let open = halves.iter().map(|(half, _)| {
                    DECODER + self.tables.space(half).len() as u64 / POSITIONS_PER_INDEX_BYTE
                });
                let packing = cached.packed_at_once.min(self.space.slice_len()) as u64;
                let kept = if cached.loss_bounds { bounds } else { 0 };
                let caches = halves.len() as u64 * cached.cache as u64;
                let lists = lists.min(LISTS) + words as u64 * LOADED_PER_WORD;
                Need {
                    once: once + open.sum::<u64>(),
                    each: sets + lists + caches + kept.max(packing),
                }
            }
        }
    }

    /// Bytes of the finished P-slices, of this half and others, that a group of P-slices leads to,
    /// at the maximum.
    fn loaded_bytes(&self) -> u64 {
        let own = |group: &AdvancementGroup| {
            let ahead = group.advancement..=group.advancement + 2;
            let needed = (self.groups.iter()).filter(|g| ahead.contains(&g.advancement));
            let slices: usize = needed.map(|g| g.slices.len()).sum();
            (2 * slices * self.space.slice_len()) as u64
        };
        let all = |group: &AdvancementGroup| {
            let dependencies = Dependencies::new(&self.space, &group.slices, self.tables);
            own(group) + dependencies.bytes(self.tables)
        };
        self.groups.iter().map(all).max().unwrap_or(0)
    }
}
