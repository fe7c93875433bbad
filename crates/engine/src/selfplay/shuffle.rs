//! Random order in bounded memory.

use everymove_kernel::rng::SplitMix64;

/// Gives the items of an iterator in a random order that the seed determines, with at most
/// `capacity` of them in memory.
///
/// A pool is filled first; then each item drawn from it at random is replaced by the next one. If
/// all items fit into the pool, every order is equally likely; otherwise an item comes at most
/// `capacity` places too early, and seldom many times `capacity` too late.
///
/// ```
/// use everymove_engine::selfplay::Shuffled;
///
/// let mut items: Vec<u32> = Shuffled::new(0..1000, 100, 1).collect();
/// assert!(items[0] < 100 && items[..900].iter().all(|&n| n < 1000));
/// items.sort_unstable();
/// assert!(items.into_iter().eq(0..1000));
/// ```
#[derive(Debug)]
pub struct Shuffled<I: Iterator> {
    source: I,
    pool: Vec<I::Item>,
    capacity: usize,
    rng: SplitMix64,
}

impl<I: Iterator> Shuffled<I> {
    /// Shuffles `source`; a capacity of 0 counts as 1.
    pub fn new(source: I, capacity: usize, seed: u64) -> Self {
        Self {
            source,
            pool: Vec::new(),
            capacity: capacity.max(1),
            rng: SplitMix64::new(seed),
        }
    }
}

impl<I: Iterator> Iterator for Shuffled<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        while self.pool.len() < self.capacity {
            match self.source.next() {
                Some(item) => self.pool.push(item),
                None => break,
            }
        }
        if self.pool.is_empty() {
            return None;
        }
        let chosen = self.rng.below(self.pool.len() as u64) as usize;
        Some(self.pool.swap_remove(chosen))
    }
}
