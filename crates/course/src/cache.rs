//! A simulated cache: how often a program loads an entry of a large array from a slow memory.
//!
//! After H. G. Muller, "Leapfrog: Tree Decomposition", whose example of one rook is below. The
//! cache holds the entries that were loaded last (first in, first out), wherever they lie in the
//! array. Try lines of eight neighbouring entries.

/// A cache for a number of entries.
#[derive(Clone, Debug)]
pub struct Cache {
    entries: u32,
    misses: u32,
    /// For each entry of the array the number of its last miss, counted from 1; 0 if it was never
    /// loaded.
    loaded: Vec<u32>,
}

impl Cache {
    /// An empty cache of `entries` entries before an array of `length`.
    pub fn new(entries: u32, length: usize) -> Self {
        let loaded = vec![0; length];
        Self {
            entries,
            misses: 0,
            loaded,
        }
    }

    /// Counts an access to an entry: a miss, unless fewer than `entries` others were loaded after
    /// it.
    pub fn touch(&mut self, entry: usize) {
        let loaded = &mut self.loaded[entry];
        if *loaded == 0 || self.misses - *loaded >= self.entries {
            self.misses += 1;
            *loaded = self.misses;
        }
    }

    /// How often an entry was loaded.
    pub fn misses(&self) -> u32 {
        self.misses
    }
}

/// The order in which squares are visited, or the moves of the rook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// a1, b1, c1, ...; moves along the rank.
    Ranks,
    /// a1, a2, a3, ...; moves along the file.
    Files,
    /// In the order of ranks; all moves of the rook.
    Both,
}

/// Probes of all squares that a rook on an empty board moves to, from each square in the order of
/// `scan`, and the loads of a cache of `entries` squares.
pub fn one_rook(scan: Lines, moves: Lines, entries: u32) -> (u32, u32) {
    let mut cache = Cache::new(entries, 64);
    let mut probes = 0;
    for step in 0..64 {
        let (rank, file) = match scan {
            Lines::Files => (step % 8, step / 8),
            Lines::Ranks | Lines::Both => (step / 8, step % 8),
        };
        for to in 0..8 {
            if moves != Lines::Files && to != file {
                cache.touch(rank * 8 + to);
                probes += 1;
            }
            if moves != Lines::Ranks && to != rank {
                cache.touch(to * 8 + file);
                probes += 1;
            }
        }
    }
    (probes, cache.misses())
}
