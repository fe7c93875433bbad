//! Counts beyond 128 bits: residues modulo several primes, combined by the Chinese remainder
//! theorem.
//!
//! How many primes are needed follows from an upper bound that is cheap to compute: the number of
//! ways to give every square degree 2, cycles of any number and length allowed. It is the same
//! transfer over degree vectors alone, without matchings.

use everymove_kernel::run::Run;
use num_bigint::BigUint;

use crate::frontier::FrontierError;
use crate::frontier::join::Opposite;
use crate::frontier::step::plan::{Phase, Plan};
use crate::frontier::step::weights::{branch_weights, transfer};
use crate::frontier::vectors::live::{List, Live};

/// Residues stay below 2^54: a sum of a thousand of them fits 64 bits, and no block entry has more
/// contributions.
const BELOW: u64 = 1 << 54;

/// The largest primes below 2^54, descending.
pub(crate) fn primes() -> impl Iterator<Item = u64> {
    primes_below(BELOW)
}

/// The odd primes below an even number, descending.
pub(crate) fn primes_below(end: u64) -> impl Iterator<Item = u64> {
    (1..end / 2)
        .map(move |i| end + 1 - 2 * i)
        .filter(|&n| is_prime(n))
}

/// Miller-Rabin with the first twelve primes as witnesses, which decides every 64-bit number
/// (Sorenson and Webster, "Strong pseudoprimes to twelve prime bases", 2015).
pub(crate) fn is_prime(n: u64) -> bool {
    const WITNESSES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 || WITNESSES.iter().any(|&p| n.is_multiple_of(p)) {
        return WITNESSES.contains(&n);
    }
    let twos = (n - 1).trailing_zeros();
    WITNESSES.iter().all(|&a| {
        let mut x = power(a, (n - 1) >> twos, n);
        x == 1
            || (0..twos).any(|_| {
                let hit = x == n - 1;
                x = product(x, x, n);
                hit
            })
    })
}

fn product(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

pub(crate) fn power(mut base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let mut result = 1;
    base %= modulus;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product(result, base, modulus);
        }
        base = product(base, base, modulus);
        exponent >>= 1;
    }
    result
}

/// The number below the product of the moduli that has these residues; the moduli are distinct
/// primes.
#[derive(Debug, Default)]
pub(crate) struct Combined {
    value: BigUint,
    modulus: Option<BigUint>,
}

impl Combined {
    /// Adds one residue.
    pub(crate) fn add(&mut self, residue: u64, prime: u64) {
        let modulus = self.modulus.take().unwrap_or_else(|| BigUint::from(1u32));
        let small = |n: &BigUint| {
            let digits = (n % prime).to_u64_digits();
            digits.first().copied().unwrap_or(0)
        };
        let gap = (residue + prime - small(&self.value)) % prime;
        let inverse = power(small(&modulus), prime - 2, prime);
        self.value += &modulus * product(gap, inverse, prime);
        self.modulus = Some(modulus * prime);
    }

    /// The number.
    pub(crate) fn value(self) -> BigUint {
        self.value
    }
}

/// Counts of at most this many bits are exact modulo 2^128, though each tour is counted up to four
/// times.
pub(crate) const EXACT_BITS: f64 = 125.9;

/// Counts whose bound has more bits are refused.
pub(crate) const MOST_BITS: f64 = 1000.0;

/// How many primes a count of at most this many bits takes.
pub(crate) fn primes_needed(bits: f64) -> usize {
    let mut covered = 0.0;
    let is_short = |prime: &u64| {
        let is_short = covered <= bits;
        covered += (*prime as f64).log2();
        is_short
    };
    primes().take_while(is_short).count()
}

/// The base-2 logarithm of an upper bound of the count.
pub(crate) fn log2_bound<L: List>(
    plan: &Plan,
    live: &Live<L>,
    run: &Run,
) -> Result<f64, FrontierError> {
    let last = |phase, start| {
        let (steps, lists) = (&plan.steps[phase], &live[phase]);
        transfer(start, steps, lists, run, |_, _, _| Ok(()))
    };
    let branch = last(Phase::Common, vec![1.0])?;
    let bound: f64 = match &plan.meet {
        None => branch.iter().sum(),
        Some(meet) => {
            let start = |phase| branch_weights(live, &branch, phase, run);
            let ours = last(Phase::First, start(Phase::First)?)?;
            let theirs = last(Phase::Second, start(Phase::Second)?)?;
            let opposite = Opposite::new(meet);
            let there = live.second[plan.steps.second.len()].open(run)?;
            let here = live.first[plan.steps.first.len()].open(run)?;
            let pairs = here.iter().zip(ours).map(|(&degrees, weight)| {
                let facing = there.binary_search(&opposite.of(degrees).1);
                facing.map_or(0.0, |j| weight * theirs[j])
            });
            pairs.sum()
        }
    };
    // The sums are of positive numbers, so rounding errors stay below one part in a million.
    Ok(bound.max(1.0).log2() + 1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_prime() {
        let small: Vec<u64> = (0..60).filter(|&n| is_prime(n)).collect();
        assert_eq!(
            small,
            [
                2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59
            ]
        );
        // Strong pseudoprimes to bases 2, 3, 5, 7 (OEIS A014233) and Carmichael numbers.
        for composite in [3_215_031_751, 341_550_071_728_321, 561, 41 * 43] {
            assert!(!is_prime(composite), "{composite}");
        }
        assert!(is_prime((1 << 61) - 1));
        assert!(primes().take(8).all(|p| p < BELOW && p > BELOW - 2000));
    }

    #[test]
    fn residues_combine() {
        let number = BigUint::from(3u32).pow(150) * 7u32;
        let mut combined = Combined::default();
        for prime in primes().take(5) {
            let residue = (&number % prime).to_u64_digits()[0];
            combined.add(residue, prime);
        }
        assert_eq!(combined.value(), number);
    }
}
