//! A hash table of search results, shared by the threads of `minimax.rs`: what Mohammed Henni and
//! Yacine Gaci, "Parallelizing a chess engine", left to others.
//!
//! Try another size, one lock for all, and results of greater depths where a smaller one is asked.

use std::sync::Mutex;

use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Position};

const ENTRIES: usize = 1 << 16;
const LOCKS: usize = 64;

/// The key of a position, a depth, and the bounds of its value at that depth.
type Entry = (u64, u32, (i32, i32));

/// A table of fixed size: a new result takes the place of an old one. Each lock guards a part of
/// it.
pub(crate) struct HashTable(Vec<Mutex<Vec<Entry>>>);

impl HashTable {
    pub(crate) fn new() -> Self {
        let part = || Mutex::new(vec![(0, 0, (0, 0)); ENTRIES / LOCKS]);
        Self((0..LOCKS).map(|_| part()).collect())
    }

    /// The bounds of the value of a position at exactly this depth, if they are in the table.
    pub(crate) fn look_up(&self, position: &Chess, depth: u32) -> Option<(i32, i32)> {
        let (key, part, place) = Self::place(position);
        let (of_key, of_depth, bounds) = self.0[part].lock().unwrap()[place];
        ((of_key, of_depth) == (key, depth)).then_some(bounds)
    }

    pub(crate) fn store(&self, position: &Chess, depth: u32, bounds: (i32, i32)) {
        let (key, part, place) = Self::place(position);
        self.0[part].lock().unwrap()[place] = (key, depth, bounds);
    }

    fn place(position: &Chess) -> (u64, usize, usize) {
        let Zobrist64(key) = position.zobrist_hash(EnPassantMode::Legal);
        let number = key as usize;
        (key, number % LOCKS, number / LOCKS % (ENTRIES / LOCKS))
    }
}
