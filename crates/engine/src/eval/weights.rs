//! Weights: the value of each term in the middlegame and in the ending.

use std::fmt::Write as _;
use std::ops::{Add, AddAssign, Index, Mul, Neg, Sub};
use std::sync::LazyLock;

use super::terms::{COUNT, GROUPS};
use crate::error::WeightsError;

/// A middlegame and an ending value packed in one word, so that adding a pair is one addition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair(i32);

impl Pair {
    /// Middlegame and ending value, in centipawns.
    pub const fn new(middlegame: i32, ending: i32) -> Self {
        Self((ending << 16).wrapping_add(middlegame))
    }

    /// The middlegame value.
    #[inline]
    pub fn middlegame(self) -> i32 {
        i32::from(self.0 as i16)
    }

    /// The ending value.
    #[inline]
    pub fn ending(self) -> i32 {
        i32::from((self.0.wrapping_add(0x8000) >> 16) as i16)
    }
}

impl Add for Pair {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl AddAssign for Pair {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Pair {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

impl Neg for Pair {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self(self.0.wrapping_neg())
    }
}

impl Mul<i32> for Pair {
    type Output = Self;
    #[inline]
    fn mul(self, n: i32) -> Self {
        Self(self.0.wrapping_mul(n))
    }
}

/// A weight for every term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights(Box<[Pair; COUNT]>);

impl Index<usize> for Weights {
    type Output = Pair;
    #[inline]
    fn index(&self, term: usize) -> &Pair {
        &self.0[term]
    }
}

impl Weights {
    /// The weights that the crate ships, found by `everymove engine tune`.
    pub fn tuned() -> Self {
        static TUNED: LazyLock<Weights> = LazyLock::new(|| {
            Weights::read(include_str!("weights.txt")).expect("the shipped weights are tested")
        });
        TUNED.clone()
    }

    pub(crate) fn from_fn(weight: impl FnMut(usize) -> Pair) -> Self {
        let pairs: Vec<Pair> = (0..COUNT).map(weight).collect();
        match pairs.into_boxed_slice().try_into() {
            Ok(array) => Self(array),
            Err(_) => unreachable!("COUNT weights were made"),
        }
    }

    /// The weights as text: a line for each group, its name, then `middlegame,ending` for each term. Lines that start with # are comments.
    pub fn write(&self, comment: &str) -> String {
        let mut text = String::new();
        for line in comment.lines() {
            let _ = writeln!(text, "# {line}");
        }
        for group in GROUPS {
            text += group.name;
            for term in group.start..group.start + group.len {
                let _ = write!(text, " {},{}", self[term].middlegame(), self[term].ending());
            }
            text.push('\n');
        }
        text
    }

    /// Reads what [`Self::write`] wrote.
    ///
    /// # Errors
    /// [`WeightsError`] naming the line.
    pub fn read(text: &str) -> Result<Self, WeightsError> {
        let mut pairs = vec![None; COUNT];
        for (i, row) in text.lines().enumerate() {
            let fail = |fault: String| WeightsError { line: i + 1, fault };
            let row = row.trim();
            if row.is_empty() || row.starts_with('#') {
                continue;
            }
            let mut words = row.split_whitespace();
            let name = words.next().unwrap_or_default();
            let group = (GROUPS.iter().find(|g| g.name == name))
                .ok_or_else(|| fail(format!("'{name}' is no group of terms")))?;
            let values: Vec<_> = words.collect();
            if values.len() != group.len {
                let (got, want) = (values.len(), group.len);
                return Err(fail(format!("{name} has {got} weights, expected {want}")));
            }
            for (offset, value) in values.into_iter().enumerate() {
                let pair = value.split_once(',').and_then(|(m, e)| {
                    let small = |n: &str| n.parse().ok().filter(|n: &i32| n.abs() < 4000);
                    Some(Pair::new(small(m)?, small(e)?))
                });
                pairs[group.start + offset] = Some(pair.ok_or_else(|| {
                    fail(format!(
                        "'{value}' is no weight: expected two numbers below 4000"
                    ))
                })?);
            }
        }
        if let Some(missing) = GROUPS.iter().find(|g| pairs[g.start].is_none()) {
            return Err(WeightsError {
                line: text.lines().count(),
                fault: format!("the group {} is missing", missing.name),
            });
        }
        Ok(Self::from_fn(|term| pairs[term].unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_keep_both_halves() {
        for (m, e) in [(0, 0), (5, -7), (-5, 7), (-300, -200), (1000, 900)] {
            let pair = Pair::new(m, e);
            assert_eq!((pair.middlegame(), pair.ending()), (m, e));
            let twice = pair * 2 + pair - Pair::new(m, 0);
            assert_eq!((twice.middlegame(), twice.ending()), (2 * m, 3 * e));
        }
    }

    #[test]
    fn weights_are_written_and_read() {
        let weights = Weights::from_fn(|term| Pair::new(term as i32, -(term as i32)));
        assert_eq!(Weights::read(&weights.write("made up")), Ok(weights));
        assert!(
            Weights::read("TEMPO 1,2 3,4")
                .unwrap_err()
                .to_string()
                .starts_with("line 1: TEMPO has 2")
        );
        assert!(
            Weights::read("TEMPO 1,2")
                .unwrap_err()
                .to_string()
                .contains("MATERIAL is missing")
        );
        let _ = Weights::tuned();
    }
}
