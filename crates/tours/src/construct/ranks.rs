//! The vertices of a graph by their number of choices, with the first vertex of the lowest number
//! in constant time.

/// Ranks above this one are treated as equal.
pub(super) const HIGHEST: u32 = 31;
const NO_RANK: u8 = u8::MAX;

/// A rank for some of the vertices; finds the smallest vertex of the lowest rank in constant time.
pub(super) struct Ranks {
    rank: Vec<u8>,
    /// The vertices of each rank.
    sets: Vec<BitTree>,
}

impl Ranks {
    /// No vertex has a rank yet.
    pub(super) fn new(vertices: usize) -> Self {
        Self {
            rank: vec![NO_RANK; vertices],
            sets: (0..=HIGHEST).map(|_| BitTree::new(vertices)).collect(),
        }
    }

    /// Gives a vertex another rank, or none.
    pub(super) fn set(&mut self, vertex: usize, rank: Option<u32>) {
        let rank = rank.map_or(NO_RANK, |rank| rank.min(HIGHEST) as u8);
        let before = std::mem::replace(&mut self.rank[vertex], rank);
        if before == rank {
            return;
        }
        if let Some(set) = self.sets.get_mut(before as usize) {
            set.remove(vertex);
        }
        if let Some(set) = self.sets.get_mut(rank as usize) {
            set.insert(vertex);
        }
    }

    /// The smallest vertex of the lowest rank.
    pub(super) fn first(&self) -> Option<usize> {
        self.sets.iter().find_map(BitTree::first)
    }
}

/// A set of small numbers: each level marks the words of the level below that are not empty.
struct BitTree {
    levels: Vec<Vec<u64>>,
}

impl BitTree {
    fn new(size: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = size;
        loop {
            words = words.div_ceil(64).max(1);
            levels.push(vec![0; words]);
            if words == 1 {
                return Self { levels };
            }
        }
    }

    fn insert(&mut self, mut item: usize) {
        for level in &mut self.levels {
            let word = &mut level[item / 64];
            let was_empty = *word == 0;
            *word |= 1 << (item % 64);
            if !was_empty {
                break;
            }
            item /= 64;
        }
    }

    fn remove(&mut self, mut item: usize) {
        for level in &mut self.levels {
            let word = &mut level[item / 64];
            *word &= !(1 << (item % 64));
            if *word != 0 {
                break;
            }
            item /= 64;
        }
    }

    fn first(&self) -> Option<usize> {
        self.levels.iter().rev().try_fold(0, |at, level| {
            let word = level[at];
            (word != 0).then(|| at * 64 + word.trailing_zeros() as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;

    use super::*;

    #[test]
    fn the_first_is_found_as_by_looking_at_all() {
        let mut rng = SplitMix64::new(3);
        for n in [1, 2, 63, 64, 65, 4096, 5000] {
            let mut ranks = Ranks::new(n);
            let mut plain = vec![None; n];
            for _ in 0..2000 {
                let vertex = rng.below(n as u64) as usize;
                let rank = (rng.below(3) > 0).then(|| rng.below(40) as u32);
                ranks.set(vertex, rank);
                plain[vertex] = rank.map(|rank| rank.min(HIGHEST));
                let expected = (0..n).filter_map(|v| plain[v].map(|rank| (rank, v))).min();
                assert_eq!(ranks.first(), expected.map(|(_, v)| v));
            }
        }
    }
}
