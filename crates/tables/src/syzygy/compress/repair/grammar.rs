//! Symbols for pairs of symbols that are often side by side (N. J. Larsson and A. Moffat, "Offline Dictionary-Based
//! Compression", 1999): the most frequent pair becomes a new symbol wherever it stands, again and again.
//!
//! A pair becomes a symbol only if the bits it saves pay for its line in the file. Of a long sequence a part is looked at, as
//! much as fits a certain memory, and its symbols are found again in the rest.

use everymove_kernel::run::{Reservation, Run, Stop, Stopped};

use crate::error::TableError;
use crate::parallel::in_parallel;
use crate::syzygy::compress::decode::LEAF;
use crate::syzygy::compress::repair::apply::Replay;
use crate::syzygy::compress::repair::replace::{Halves, LINE, PAIR, PLACE, Pairing};
use crate::syzygy::compress::runs::{PIECE, Runs};

/// Places that are looked at to find pairs, at most.
const LOOKED_AT: u64 = 1 << 22;
/// When so many different pairs have stood side by side, no more symbols are made.
const PAIRS: u64 = 3 << 17;
/// The same for samples.
const SAMPLED_PAIRS: u64 = 1 << 17;
/// Bytes for each place of a piece in which symbols are found again, and what waits to be appended: two for each of some pieces.
const BENCH: u64 = 24;
const WAVE: u64 = 8;
/// Memory for a sequence that is longer than expected is taken by so many places.
const GROWTH: usize = 1 << 20;

/// Symbols, and a sequence made of them.
#[derive(Debug)]
pub(crate) struct Grammar {
    pub(crate) symbols: Vec<Halves>,
    pub(crate) sequence: Vec<u16>,
    /// Memory of a sequence that is longer than expected.
    _held: Vec<Reservation>,
}

impl Grammar {
    /// The symbols and sequence of values, in [`grammar_bytes`] that the caller has reserved in the name of `what`.
    pub(crate) fn of(values: &[u8], what: &str, run: &Run) -> Result<Self, TableError> {
        let runs = Runs::of(values);
        let (mut every, mut places) = (1, runs.places(values, 1));
        while places > LOOKED_AT {
            every += 1;
            places = runs.places(values, every);
        }
        let mut part = Vec::with_capacity(places as usize);
        if every == 1 {
            runs.append(values, &mut part);
        } else {
            let pieces = values.chunks(PIECE).step_by(every);
            pieces.for_each(|piece| runs.append(piece, &mut part));
        }
        let pairing = Pairing::new(&runs.symbols, part, every as f64, PAIRS);
        let (symbols, sequence) = pairing.replace(&run.stop)?;
        if every == 1 {
            let grammar = Self {
                symbols,
                sequence,
                _held: Vec::new(),
            };
            return Ok(grammar.without_unused());
        }
        drop(sequence);
        Ok(replay(&runs, symbols, values, what, run)?.without_unused())
    }
}

/// About how many bits the symbols and the sequence of a sample take, if it stands for `share` times as many values. Takes
/// [`estimate_bytes`] of memory.
pub(crate) fn estimate(sample: &[u8], share: f64, stop: &Stop) -> Result<u64, Stopped> {
    let runs = Runs::of(sample);
    let mut sequence = Vec::with_capacity(runs.places(sample, 1) as usize);
    runs.append(sample, &mut sequence);
    let pairing = Pairing::new(&runs.symbols, sequence, share, SAMPLED_PAIRS);
    let (symbols, sequence) = pairing.replace(stop)?;
    let mut counts = vec![0u32; symbols.len()];
    for &symbol in &sequence {
        counts[usize::from(symbol)] += 1;
    }
    let all = sequence.len() as f64;
    let bits = |&count: &u32| match count {
        0 => 0.0,
        _ => f64::from(count) * (all / f64::from(count)).log2(),
    };
    let words: f64 = counts.iter().map(bits).sum();
    Ok((words * share + LINE * symbols.len() as f64) as u64)
}

/// Bytes that it takes to make symbols of a sample of so many values.
pub(crate) fn estimate_bytes(values: u64) -> u64 {
    values * PLACE + SAMPLED_PAIRS.min(2 * values) * PAIR
}

/// Bytes that symbols and sequence of so many values take while they are found.
pub(crate) fn grammar_bytes(values: u64, threads: u64) -> u64 {
    let places = values.min(LOOKED_AT);
    let pairing = places * PLACE + PAIRS.min(2 * places) * PAIR;
    if values <= LOOKED_AT {
        return pairing;
    }
    let bench = threads * (BENCH + WAVE) * PIECE as u64;
    pairing.max(2 * expected(values) + bench)
}

/// Places of a long sequence at the end, at most; if there should be more, more memory is reserved.
fn expected(values: u64) -> u64 {
    values / 8
}

/// The symbols of all values, in their order.
fn replay(
    runs: &Runs,
    symbols: Vec<Halves>,
    values: &[u8],
    what: &str,
    run: &Run,
) -> Result<Grammar, TableError> {
    let replay = Replay::new(&symbols);
    let mut sequence: Vec<u16> = Vec::with_capacity(expected(values.len() as u64) as usize);
    let mut held = Vec::new();
    let pieces: Vec<&[u8]> = values.chunks(PIECE).collect();
    for pieces in pieces.chunks((WAVE / 2) as usize * run.threads.get()) {
        let parts = in_parallel(
            pieces,
            run,
            || (),
            |(), piece| {
                let mut part = Vec::new();
                runs.append(piece, &mut part);
                replay.apply(part)
            },
        )?;
        for part in parts {
            if sequence.len() + part.len() > sequence.capacity() {
                held.push(run.ram.reserve(what, 2 * GROWTH as u64)?);
                sequence.reserve_exact(GROWTH);
            }
            sequence.extend(part);
        }
    }
    Ok(Grammar {
        symbols,
        sequence,
        _held: held,
    })
}

impl Grammar {
    /// Without the symbols that neither the sequence nor a symbol of it needs.
    fn without_unused(mut self) -> Self {
        let mut used = vec![false; self.symbols.len()];
        for &symbol in &self.sequence {
            used[usize::from(symbol)] = true;
        }
        for symbol in (0..self.symbols.len()).rev() {
            let (left, right) = self.symbols[symbol];
            if used[symbol] && right != LEAF {
                // Symbols are made of earlier ones.
                used[usize::from(left)] = true;
                used[usize::from(right)] = true;
            }
        }
        let mut names = vec![0u16; self.symbols.len()];
        let mut count = 0;
        for (name, &used) in names.iter_mut().zip(&used) {
            *name = count;
            count += u16::from(used);
        }
        for symbol in &mut self.sequence {
            *symbol = names[usize::from(*symbol)];
        }
        let kept = self.symbols.iter().zip(&used).filter(|&(_, &used)| used);
        self.symbols = kept
            .map(|(&(left, right), _)| match right {
                LEAF => (left, LEAF),
                _ => (names[usize::from(left)], names[usize::from(right)]),
            })
            .collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::syzygy::compress::decode::{MAX_SYMBOLS, lengths};
    use crate::syzygy::compress::runs::LONGEST;

    fn unfold(grammar: &Grammar) -> Vec<u8> {
        let mut values = Vec::new();
        let mut open: Vec<u16> = grammar.sequence.iter().rev().copied().collect();
        while let Some(symbol) = open.pop() {
            match grammar.symbols[usize::from(symbol)] {
                (value, LEAF) => values.push(value as u8),
                (left, right) => open.extend([right, left]),
            }
        }
        values
    }

    proptest! {
        #[test]
        fn symbols_unfold_to_the_values(
            parts in prop::collection::vec((0u8..4, 1usize..40, 1usize..6), 1..200)
        ) {
            let values: Vec<u8> = parts
                .iter()
                .flat_map(|&(value, run, times)| {
                    let word: Vec<u8> = std::iter::repeat_n(value, run).chain([value ^ 1]).collect();
                    std::iter::repeat_n(word, times).flatten()
                })
                .collect();
            let grammar = Grammar::of(&values, "values", &Run::serial()).unwrap();
            prop_assert_eq!(unfold(&grammar), values);
            prop_assert!(lengths(&grammar.symbols).unwrap().iter().all(|&n| n <= LONGEST));
        }
    }

    /// A sequence too long to be looked at as a whole.
    #[test]
    fn long_sequences_unfold_to_the_values() {
        let mut rng = everymove_kernel::rng::SplitMix64::new(1);
        let mut values = Vec::new();
        while values.len() < 10_000_000 {
            let word = rng.below(50) * rng.below(50);
            values.extend((0..4).map(|digit| (word >> (3 * digit) & 7) as u8));
        }
        // A value that is not where the sequence is looked at.
        values.splice(70_000..70_001, [9]);
        let run = Run::new(2, everymove_kernel::run::Ram::unlimited());
        let grammar = Grammar::of(&values, "values", &run).unwrap();
        assert!(unfold(&grammar) == values);
        assert!(grammar.symbols.len() <= MAX_SYMBOLS);
    }

    #[test]
    fn repeated_text_shrinks() {
        let values: Vec<u8> = (0..60_000u32).map(|i| (i * i % 61 % 7) as u8).collect();
        let grammar = Grammar::of(&values, "values", &Run::serial()).unwrap();
        assert_eq!(unfold(&grammar), values);
        assert!(grammar.sequence.len() < 2000, "{}", grammar.sequence.len());
    }
}
