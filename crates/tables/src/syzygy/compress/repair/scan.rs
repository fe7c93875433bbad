//! Replaces the most frequent pairs of a long sequence by scanning it, until it is short enough for
//! the links of `replace`.
//!
//! The first pairs occur so often that scanning all of the sequence is not slower than following
//! links, and a scan needs no memory beside the sequence but a counter for each two symbols.

use everymove_kernel::run::{Stop, Stopped};

use crate::syzygy::compress::repair::symbol::{Halves, MIN_COUNT, Symbol, pays};

/// The most symbols that are made by scanning.
const MAX_SCANNED: usize = 512;
/// Subtracted from the counter of a pair that is not to be replaced.
const BARRED: i32 = 1 << 30;
/// Symbols that are kept or left out at a time, where a sequence stays too long.
const PART: usize = 1 << 14;
/// Symbols that are compared at a time.
const COMPARED: usize = 32;

/// Bytes of the counters, about, for few different values.
pub(super) const COUNTER_BYTES: u64 = 4 << 20;

/// A sequence that is shortened.
pub(super) struct PairScanner {
    symbols: Vec<Symbol>,
    sequence: Vec<u16>,
    /// By left symbol, in rows of `width`, and right symbol: how often they are adjacent; less
    /// [`BARRED`] if the pair is not to be replaced.
    counts: Vec<i32>,
    width: usize,
    scale: f64,
}

/// The result of shortening.
pub(super) struct Shortened {
    pub(super) symbols: Vec<Halves>,
    pub(super) sequence: Vec<u16>,
    /// The length of the whole table divided by that of the sequence, if no pair had been
    /// replaced.
    pub(super) scale: f64,
}

impl PairScanner {
    /// For a sequence of symbols, given by their halves, that is a sample of a sequence `scale`
    /// times as long.
    pub(super) fn new(halves: &[Halves], sequence: Vec<u16>, scale: f64) -> Self {
        let width = halves.len() + MAX_SCANNED;
        let mut scanner = Self {
            symbols: Symbol::all(halves),
            sequence,
            counts: vec![0; width * width],
            width,
            scale,
        };
        for &symbol in &scanner.sequence {
            scanner.symbols[usize::from(symbol)].count += 1;
        }
        for pair in scanner.sequence.windows(2) {
            scanner.counts[usize::from(pair[0]) * width + usize::from(pair[1])] += 1;
        }
        scanner
    }

    /// Replaces pairs until the sequence has at most `goal` symbols. If that does not suffice,
    /// parts of the sequence are left out.
    pub(super) fn shorten(mut self, goal: usize, stop: &Stop) -> Result<Shortened, Stopped> {
        while self.sequence.len() > goal && self.symbols.len() < self.width {
            stop.check()?;
            let Some((pair, count)) = self.most_frequent() else {
                break;
            };
            let length = self.sequence.len() as u64;
            if pays(&self.symbols, pair, count, length, self.scale) {
                self.replace(pair);
            } else {
                *self.count(pair) -= BARRED;
            }
        }
        let length = self.sequence.len();
        if length > goal {
            let parts = length.div_ceil(PART);
            let kept = goal / PART;
            // Evenly spread over the sequence.
            let is_kept =
                |&(part, _): &(usize, &[u16])| (part + 1) * kept / parts > part * kept / parts;
            let parts = self.sequence.chunks(PART).enumerate().filter(is_kept);
            self.sequence = parts.flat_map(|(_, part)| part).copied().collect();
            self.scale *= length as f64 / self.sequence.len() as f64;
        }
        Ok(Shortened {
            symbols: self.symbols.iter().map(|symbol| symbol.halves).collect(),
            sequence: self.sequence,
            scale: self.scale,
        })
    }

    fn count(&mut self, (left, right): Halves) -> &mut i32 {
        &mut self.counts[usize::from(left) * self.width + usize::from(right)]
    }

    /// The pair that occurs most often, and how often; of equally frequent ones that with the first
    /// symbols. Of a symbol that follows itself every second occurrence counts.
    fn most_frequent(&self) -> Option<(Halves, u32)> {
        let mut best = (MIN_COUNT as i32 - 1, (0, 0));
        let used = self.symbols.len();
        for (left, row) in self.counts.chunks(self.width).take(used).enumerate() {
            let row = &row[..used];
            let twice = (row[left] + 1) / 2;
            let beside = |part: &[i32]| part.iter().copied().max().unwrap_or(0);
            let most = beside(&row[..left])
                .max(beside(&row[left + 1..]))
                .max(twice);
            if most > best.0 {
                let of = |right: usize| if right == left { twice } else { row[right] };
                let right = (0..used).find(|&right| of(right) == most)?;
                best = (most, (left as u16, right as u16));
            }
        }
        (best.0 >= MIN_COUNT as i32).then_some((best.1, best.0 as u32))
    }

    /// Replaces a pair by a new symbol, from left to right.
    fn replace(&mut self, pair: Halves) {
        let (left, right) = pair;
        let new = self.symbols.len() as u16;
        self.symbols.push(Symbol::of_pair(pair, &self.symbols));
        let (mut from, mut to, mut replaced) = (0, 0, 0);
        while let Some(at) = find(&self.sequence, from, pair) {
            self.sequence.copy_within(from..at, to);
            to += at - from;
            from = at + 2;
            *self.count(pair) -= 1;
            if let Some(before) = to.checked_sub(1).map(|before| self.sequence[before]) {
                *self.count((before, left)) -= 1;
                *self.count((before, new)) += 1;
            }
            if let Some(&after) = self.sequence.get(from) {
                *self.count((right, after)) -= 1;
                *self.count((new, after)) += 1;
            }
            self.sequence[to] = new;
            to += 1;
            replaced += 1;
        }
        let length = self.sequence.len();
        self.sequence.copy_within(from..length, to);
        self.sequence.truncate(to + length - from);
        self.symbols[usize::from(left)].count -= replaced;
        self.symbols[usize::from(right)].count -= replaced;
        self.symbols[usize::from(new)].count = replaced;
    }
}

/// The first offset from `from` on at which a pair begins.
fn find(sequence: &[u16], from: usize, (left, right): Halves) -> Option<usize> {
    let mut at = from;
    while let Some(part) = sequence.get(at..at + COMPARED + 1) {
        let pairs = part[..COMPARED].iter().zip(&part[1..]);
        let found = pairs.fold(false, |found, (&l, &r)| {
            found | ((l == left) & (r == right))
        });
        if found {
            break;
        }
        at += COMPARED;
    }
    let rest = sequence.get(at..)?;
    let found = rest.windows(2).position(|two| two == [left, right]);
    found.map(|offset| at + offset)
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;

    use super::*;
    use crate::syzygy::compress::header::LEAF;
    use crate::syzygy::compress::repair::symbol::tests::expanded;

    fn sequence(length: usize) -> Vec<u16> {
        let mut rng = SplitMix64::new(11);
        let digit = |word: u64, at: u64| (word >> (2 * at) & 3) as u16;
        let words = std::iter::repeat_with(|| rng.below(40) * rng.below(40));
        words
            .flat_map(|word| (0..5).map(move |at| digit(word, at)))
            .take(length)
            .collect()
    }

    const LETTERS: [Halves; 4] = [(7, LEAF), (8, LEAF), (9, LEAF), (10, LEAF)];

    /// After each replacement the counters are those of a fresh count, and the sequence expands to
    /// what it was.
    #[test]
    fn counters_follow_replacements() {
        let before = sequence(3000);
        let mut scanner = PairScanner::new(&LETTERS, before.clone(), 1.0);
        for _ in 0..40 {
            let Some((pair, count)) = scanner.most_frequent() else {
                break;
            };
            let length = scanner.sequence.len();
            scanner.replace(pair);
            let replaced = length - scanner.sequence.len();
            if pair.0 == pair.1 {
                assert!(replaced >= count as usize);
            } else {
                assert_eq!(replaced, count as usize);
            }
            let halves: Vec<Halves> = scanner.symbols.iter().map(|symbol| symbol.halves).collect();
            let fresh = PairScanner::new(&halves, scanner.sequence.clone(), 1.0);
            for left in 0..halves.len() {
                let counts =
                    |of: &PairScanner| of.counts[left * of.width..][..halves.len()].to_vec();
                assert_eq!(counts(&scanner), counts(&fresh));
                assert_eq!(scanner.symbols[left].count, fresh.symbols[left].count);
            }
            assert_eq!(expanded(&scanner.sequence, &halves), before);
        }
    }

    #[test]
    fn sequences_are_shortened_to_the_goal() {
        let before = sequence(300_000);
        let scanner = PairScanner::new(&LETTERS, before.clone(), 2.0);
        let shortened = scanner.shorten(100_000, &Stop::default()).unwrap();
        assert!(shortened.sequence.len() <= 100_000);
        assert_eq!(shortened.scale, 2.0, "pairs were enough");
        // Symbols that do not repeat: no pair pays.
        let mut rng = SplitMix64::new(3);
        let halves: Vec<Halves> = (0..900).map(|value| (value, LEAF)).collect();
        let random: Vec<u16> = (0..200_000).map(|_| rng.below(900) as u16).collect();
        let scanner = PairScanner::new(&halves, random, 1.0);
        let shortened = scanner.shorten(50_000, &Stop::default()).unwrap();
        assert!((30_000..=50_000).contains(&shortened.sequence.len()));
        assert!(shortened.scale > 3.0);
    }
}
