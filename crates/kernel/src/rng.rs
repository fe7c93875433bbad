//! Seeded random numbers that are the same on every machine and in every release.

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
///
/// Equal seeds give equal sequences for ever: results that depend on one name the seed.
///
/// ```
/// use everymove_kernel::rng::SplitMix64;
///
/// let mut rng = SplitMix64::new(7);
/// let die = 1 + rng.below(6);
/// assert!((1..=6).contains(&die));
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator whose whole sequence is determined by `seed`.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `0..bound`, every value equally likely (rejection, no modulo bias).
    ///
    /// # Panics
    /// If `bound` is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "below(0) has no value to return");
        let tail = (u64::MAX % bound + 1) % bound;
        loop {
            let x = self.next_u64();
            if x <= u64::MAX - tail {
                return x % bound;
            }
        }
    }

    /// A number in `0..bound` for bounds beyond 64 bits, every value equally likely.
    ///
    /// # Panics
    /// If `bound` is zero.
    pub fn below_u128(&mut self, bound: u128) -> u128 {
        if let Ok(small) = u64::try_from(bound) {
            return u128::from(self.below(small));
        }
        let tail = (u128::MAX % bound + 1) % bound;
        loop {
            let x = (u128::from(self.next_u64()) << 64) | u128::from(self.next_u64());
            if x <= u128::MAX - tail {
                return x % bound;
            }
        }
    }

    /// Puts `items` into a uniformly random order (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i as u64 + 1) as usize;
            items.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs for seed 1234567, as printed by the reference C code (Vigna,
    /// prng.di.unimi.it/splitmix64.c).
    #[test]
    fn reference_sequence() {
        let mut rng = SplitMix64::new(1_234_567);
        let got: Vec<u64> = (0..5).map(|_| rng.next_u64()).collect();
        assert_eq!(
            got,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn below_stays_below_and_reaches_every_value() {
        let mut rng = SplitMix64::new(1);
        let mut seen = [0u32; 7];
        for _ in 0..7000 {
            seen[rng.below(7) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
        let bound = (1u128 << 64) + 3;
        assert!((0..100).all(|_| rng.below_u128(bound) < bound));
    }

    #[test]
    fn shuffle_is_a_permutation() {
        let mut items: Vec<u32> = (0..100).collect();
        SplitMix64::new(3).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
