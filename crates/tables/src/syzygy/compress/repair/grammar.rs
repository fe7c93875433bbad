//! Values made into a sequence of Re-Pair symbols.
//!
//! A pair becomes a symbol only if the bits that it saves pay for its entry in the file. Of a long sequence, pairs are searched in a part
//! that fits a fixed amount of memory. All of the sequence is then split anew into the symbols found, as few bits as possible: that makes
//! files 1 to 4 % smaller than the sequence that is left when all pairs are replaced.

use everymove_kernel::run::{Reservation, Run, Stop, Stopped};

use crate::error::TableError;
use crate::parallel::in_parallel;
use crate::syzygy::compress::decode::LEAF;
use crate::syzygy::compress::repair::parse::{BIT, NODE_BYTES, Parser};
use crate::syzygy::compress::repair::replace::{
    ENTRY_BYTES, Halves, PAIR_BYTES, PairReplacer, SYMBOL_BITS,
};
use crate::syzygy::compress::runs::{CHUNK, RunSymbols};

/// The longest sequence, in symbols, in which pairs are searched.
const MAX_SEARCHED: u64 = 1 << 22;
/// No more symbols are made once this many different pairs have been adjacent.
const MAX_PAIRS: u64 = 3 << 17;
/// The same for samples.
const MAX_SAMPLED_PAIRS: u64 = 1 << 17;
/// Bytes for each run symbol of a chunk that is parsed.
const PARSE_BYTES: u64 = 12;
/// The most nodes of the symbols' words.
const MAX_NODES: usize = 1 << 17;
/// Of sequences of at most this many values, the one that is left when all pairs are replaced is kept for comparison: code words are
/// split into blocks, so that fewer bits may need one block more.
const COMPARED: usize = 1 << 21;
/// Bytes for each symbol of the chunks of a thread that are finished and not yet appended: two for each of `FINISHED / 2` chunks.
const FINISHED: u64 = 8;
/// A sequence that gets longer than expected grows by this many symbols.
const GROWTH: usize = 1 << 20;

/// Symbols, and a sequence of them.
#[derive(Debug)]
pub(crate) struct Grammar {
    pub(crate) symbols: Vec<Halves>,
    pub(crate) sequence: Vec<u16>,
    /// Memory of a sequence that is longer than expected.
    _memory: Vec<Reservation>,
}

impl Grammar {
    /// Symbols of values, and sequences of them: the smallest is to be chosen. The caller has reserved [`grammar_bytes`]; more is reserved
    /// in the name of `what`.
    ///
    /// # Errors
    /// [`TableError`] if the run is stopped or memory runs out.
    pub(crate) fn candidates(
        values: &[u8],
        what: &str,
        run: &Run,
    ) -> Result<Vec<Self>, TableError> {
        let runs = RunSymbols::new(values);
        let (mut every, mut count) = (1, runs.count(values, 1));
        while count > MAX_SEARCHED {
            every += 1;
            count = runs.count(values, every);
        }
        let mut part = Vec::with_capacity(count as usize);
        if every == 1 {
            runs.append(values, &mut part);
        } else {
            let chunks = values.chunks(CHUNK).step_by(every);
            chunks.for_each(|chunk| runs.append(chunk, &mut part));
        }
        let replacer = PairReplacer::new(&runs.symbols, part, every as f64, MAX_PAIRS);
        let (symbols, sequence) = replacer.replace_all(&run.stop)?;
        let costs = costs(symbols.len(), &sequence);
        let expected = match every {
            1 => sequence.len(),
            _ => expected_length(values.len() as u64) as usize,
        };
        let mut candidates = Vec::new();
        if every == 1 && values.len() <= COMPARED {
            let replaced = Self {
                symbols: symbols.clone(),
                sequence,
                _memory: Vec::new(),
            };
            candidates.push(replaced.without_unused());
        } else {
            drop(sequence);
        }
        let mut parser = Parser::new(&symbols, runs.symbols.len(), max_nodes(count));
        parser.set_costs(&costs);
        let mut parse = ParsedValues {
            parser,
            runs: &runs,
            run_symbols: (every == 1).then_some(count as usize),
            values,
            expected,
        };
        // The sequence of the first pass gives better costs to a second one. It is worth its time only for small tables.
        if values.len() <= COMPARED {
            let (sequence, _memory) = parse.sequence(what, run)?;
            let costs = self::costs(symbols.len(), &sequence);
            parse.parser.set_costs(&costs);
            parse.expected = sequence.len();
        }
        let (sequence, memory) = parse.sequence(what, run)?;
        let parsed = Self {
            symbols,
            sequence,
            _memory: memory,
        };
        candidates.push(parsed.without_unused());
        Ok(candidates)
    }

    /// Removes the symbols that neither the sequence nor a used symbol contains.
    fn without_unused(mut self) -> Self {
        let mut used = vec![false; self.symbols.len()];
        for &symbol in &self.sequence {
            used[usize::from(symbol)] = true;
        }
        for symbol in (0..self.symbols.len()).rev() {
            let (left, right) = self.symbols[symbol];
            if used[symbol] && right != LEAF {
                // A symbol's halves come before it.
                used[usize::from(left)] = true;
                used[usize::from(right)] = true;
            }
        }
        let mut renumbered = vec![0u16; self.symbols.len()];
        let mut count = 0;
        for (own, &used) in renumbered.iter_mut().zip(&used) {
            *own = count;
            count += u16::from(used);
        }
        for symbol in &mut self.sequence {
            *symbol = renumbered[usize::from(*symbol)];
        }
        let kept = self.symbols.iter().zip(&used).filter(|&(_, &used)| used);
        self.symbols = kept
            .map(|(&(left, right), _)| match right {
                LEAF => (left, LEAF),
                _ => (
                    renumbered[usize::from(left)],
                    renumbered[usize::from(right)],
                ),
            })
            .collect();
        self
    }
}

/// Estimates the bits that the symbols and the sequence of a table take, given a sample of it; the table has `scale` times as many values.
/// Takes [`estimate_bytes`] of memory.
pub(crate) fn estimate_bits(sample: &[u8], scale: f64, stop: &Stop) -> Result<u64, Stopped> {
    let runs = RunSymbols::new(sample);
    let mut sequence = Vec::with_capacity(runs.count(sample, 1) as usize);
    runs.append(sample, &mut sequence);
    let replacer = PairReplacer::new(&runs.symbols, sequence, scale, MAX_SAMPLED_PAIRS);
    let (symbols, sequence) = replacer.replace_all(stop)?;
    let mut counts = vec![0u32; symbols.len()];
    for &symbol in &sequence {
        counts[usize::from(symbol)] += 1;
    }
    let all = sequence.len() as f64;
    // The entropy of the sequence.
    let bits = |&count: &u32| match count {
        0 => 0.0,
        _ => f64::from(count) * (all / f64::from(count)).log2(),
    };
    let entropy: f64 = counts.iter().map(bits).sum();
    Ok((entropy * scale + SYMBOL_BITS * symbols.len() as f64) as u64)
}

/// Bytes that [`estimate_bits`] takes for a sample of `values` values.
pub(crate) fn estimate_bytes(values: u64) -> u64 {
    values * ENTRY_BYTES + MAX_SAMPLED_PAIRS.min(2 * values) * PAIR_BYTES
}

/// Bytes that [`Grammar::candidates`] takes for `values` values, the sequences included.
pub(crate) fn grammar_bytes(values: u64, threads: u64) -> u64 {
    let entries = values.min(MAX_SEARCHED);
    let search = entries * ENTRY_BYTES + MAX_PAIRS.min(2 * entries) * PAIR_BYTES;
    let chunks = (threads * CHUNK as u64).min(values) * (PARSE_BYTES + FINISHED);
    let sequences = match values {
        // Both candidates, and the run symbols.
        ..=MAX_SEARCHED => 6 * values,
        _ => 2 * MAX_SEARCHED + 2 * expected_length(values).max(MAX_SEARCHED),
    };
    search.max(sequences + max_nodes(entries) as u64 * NODE_BYTES + chunks)
}

/// The most nodes of the words of symbols, for a number of run symbols that are searched.
fn max_nodes(searched: u64) -> usize {
    (searched as usize).clamp(1 << 12, MAX_NODES)
}

/// The expected length of a long sequence, in symbols; memory for more is reserved when it is needed.
fn expected_length(values: u64) -> u64 {
    values / 8
}

/// By symbol: the bits that it takes, given a sequence, in parts of a bit; of a symbol that does not occur a few bits more.
fn costs(symbols: usize, sequence: &[u16]) -> Vec<u32> {
    let mut counts = vec![0u32; symbols];
    for &symbol in sequence {
        counts[usize::from(symbol)] += 1;
    }
    let all = sequence.len().max(1) as f64;
    let cost = |&count: &u32| (BIT * (all / f64::from(count).max(0.25)).log2()) as u32 + 1;
    counts.iter().map(cost).collect()
}

/// Values to be parsed into the symbols of a grammar.
struct ParsedValues<'a> {
    parser: Parser,
    runs: &'a RunSymbols,
    /// The number of run symbols if all fit memory; otherwise they are computed chunk by chunk, so that runs end with the chunks.
    run_symbols: Option<usize>,
    values: &'a [u8],
    /// The expected length of the sequence.
    expected: usize,
}

impl ParsedValues<'_> {
    /// The sequence of all values with the fewest bits, and the memory of one that is longer than expected.
    fn sequence(&self, what: &str, run: &Run) -> Result<(Vec<u16>, Vec<Reservation>), TableError> {
        let mut sequence: Vec<u16> = Vec::with_capacity(self.expected);
        let mut memory = Vec::new();
        let mut append = |parts: Vec<Vec<u16>>| -> Result<(), TableError> {
            for part in parts {
                if sequence.len() + part.len() > sequence.capacity() {
                    memory.push(run.ram.reserve(what, 2 * GROWTH as u64)?);
                    sequence.reserve_exact(GROWTH);
                }
                sequence.extend(part);
            }
            Ok(())
        };
        let at_once = (FINISHED / 2) as usize * run.threads.get();
        if let Some(count) = self.run_symbols {
            let mut all = Vec::with_capacity(count);
            self.runs.append(self.values, &mut all);
            for chunks in all.chunks(CHUNK).collect::<Vec<_>>().chunks(at_once) {
                append(in_parallel(
                    chunks,
                    run,
                    || (),
                    |(), chunk| self.parser.parse(chunk),
                )?)?;
            }
        } else {
            for chunks in self
                .values
                .chunks(CHUNK)
                .collect::<Vec<_>>()
                .chunks(at_once)
            {
                append(in_parallel(
                    chunks,
                    run,
                    || (),
                    |(), chunk| {
                        let mut part = Vec::new();
                        self.runs.append(chunk, &mut part);
                        self.parser.parse(&part)
                    },
                )?)?;
            }
        }
        Ok((sequence, memory))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::syzygy::compress::decode::{MAX_SYMBOLS, lengths};
    use crate::syzygy::compress::runs::MAX_SYMBOL_LENGTH;

    fn expand(grammar: &Grammar) -> Vec<u8> {
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
        fn grammars_expand_to_the_values(
            parts in prop::collection::vec((0u8..4, 1usize..40, 1usize..6), 1..200)
        ) {
            let values: Vec<u8> = parts
                .iter()
                .flat_map(|&(value, run, times)| {
                    let word: Vec<u8> = std::iter::repeat_n(value, run).chain([value ^ 1]).collect();
                    std::iter::repeat_n(word, times).flatten()
                })
                .collect();
            for grammar in Grammar::candidates(&values, "values", &Run::serial()).unwrap() {
                prop_assert_eq!(expand(&grammar), &values[..]);
                prop_assert!(lengths(&grammar.symbols).unwrap().iter().all(|&n| n <= MAX_SYMBOL_LENGTH));
            }
        }
    }

    /// A sequence of which only a part is searched.
    #[test]
    fn grammars_of_long_sequences_expand_to_the_values() {
        let mut rng = everymove_kernel::rng::SplitMix64::new(1);
        let mut values = Vec::new();
        while values.len() < 10_000_000 {
            let word = rng.below(50) * rng.below(50);
            values.extend((0..4).map(|digit| (word >> (3 * digit) & 7) as u8));
        }
        // A value that does not occur in the part that is searched.
        values.splice(70_000..70_001, [9]);
        let run = Run::new(2, everymove_kernel::run::Ram::unlimited());
        for grammar in Grammar::candidates(&values, "values", &run).unwrap() {
            assert!(expand(&grammar) == values);
            assert!(grammar.symbols.len() <= MAX_SYMBOLS);
        }
    }

    #[test]
    fn periodic_values_shrink() {
        let values: Vec<u8> = (0..60_000u32).map(|i| (i * i % 61 % 7) as u8).collect();
        for grammar in Grammar::candidates(&values, "values", &Run::serial()).unwrap() {
            assert_eq!(expand(&grammar), values);
            assert!(grammar.sequence.len() < 2000, "{}", grammar.sequence.len());
        }
    }
}
