//! Values made into a sequence of Re-Pair symbols.
//!
//! A pair becomes a symbol only if the bits that it saves pay for its entry in the file. Of a long
//! sequence, pairs are searched in a part that fits a fixed amount of memory. All of the sequence
//! is then split anew into the symbols found, as few bits as possible: that makes files 1 to 4 %
//! smaller than the sequence that is left when all pairs are replaced.

use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Stop, Stopped};

use crate::error::TableError;
use crate::store::buffer::{Buffer, FILE_BYTES, Place};
use crate::syzygy::compress::header::{LEAF, MAX_SYMBOLS};
use crate::syzygy::compress::repair::parse::{BIT, NODE_BYTES, Parser};
use crate::syzygy::compress::repair::replace::{ENTRY_BYTES, PAIR_BYTES, PairReplacer, WhenFull};
use crate::syzygy::compress::repair::scan::{COUNTER_BYTES, PairScanner};
use crate::syzygy::compress::repair::symbol::{Halves, SYMBOL_BITS};
use crate::syzygy::compress::run_list::RunList;
use crate::syzygy::compress::runs::{self, CHUNK, RunCounts, RunSymbols, for_each_run};

/// The longest sequence, in symbols, in which pairs are searched.
const MAX_SEARCHED: usize = 1 << 22;
/// A longer sequence is shortened to this many symbols by scanning, before its entries are linked.
const MAX_LINKED: usize = 5 << 18;
/// The most pairs of symbols that are kept.
const MAX_PAIRS: u64 = 1 << 18;
/// No more symbols of samples are made once this many different pairs have been adjacent.
const MAX_SAMPLED_PAIRS: u64 = 1 << 17;
/// The most run symbols of a sample.
const MAX_SAMPLED: usize = 1 << 20;
/// Bytes for each run symbol of a chunk that is parsed.
const PARSE_BYTES: u64 = 12;
/// The most nodes of the symbols' words.
const MAX_NODES: usize = 1 << 17;
/// Of at most this many values, the sequence that is left when all pairs are replaced is kept for
/// comparison: code words are split into blocks, so that fewer bits may need one block more. They
/// are also parsed twice: the sequence of the first pass gives better costs to the second one.
const COMPARED: u64 = 1 << 21;
/// Chunks of run symbols of each thread that are parsed before the results are appended.
const PARSED_AT_ONCE: usize = 4;

/// Symbols, and a sequence of them.
pub(crate) struct Grammar {
    pub(crate) symbols: Vec<Halves>,
    /// By symbol: how often it occurs in the sequence.
    pub(crate) counts: Vec<u64>,
    pub(crate) sequence: Sequence,
}

/// A sequence of symbols.
pub(crate) struct Sequence {
    /// Two bytes for each entry.
    bytes: Buffer,
    /// By entry: the symbol.
    numbers: Vec<u16>,
}

impl Sequence {
    /// Calls `each` for chunks of symbols, in order.
    ///
    /// # Errors
    /// [`TableError`] if the sequence cannot be read, and those of `each`.
    pub(crate) fn for_each_chunk(
        &self,
        mut each: impl FnMut(&[u16]) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let mut symbols = Vec::new();
        self.bytes.for_each_chunk(2 * CHUNK, |_, bytes| {
            let (entries, _) = bytes.as_chunks::<2>();
            let entries = entries.iter().map(|&entry| u16::from_le_bytes(entry));
            symbols.clear();
            symbols.extend(entries.map(|entry| self.numbers[usize::from(entry)]));
            each(&symbols)
        })
    }

    /// Replaces each symbol by another one.
    pub(crate) fn renumber(&mut self, to: &[u16]) {
        for symbol in &mut self.numbers {
            // Entries that do not occur have any symbol.
            *symbol = to.get(usize::from(*symbol)).copied().unwrap_or(0);
        }
    }
}

impl Grammar {
    /// Symbols of values, and sequences of them in `place`: the smallest is to be chosen. The
    /// caller has reserved [`grammar_bytes`].
    ///
    /// # Errors
    /// [`TableError`] if the run is stopped, memory runs out, or a scratch file fails.
    pub(crate) fn candidates(
        values: &Buffer,
        place: &Place,
        run: &Run,
    ) -> Result<Vec<Self>, TableError> {
        if values.len() <= COMPARED {
            Self::of_few(&values.to_vec()?, place, run)
        } else {
            Ok(vec![Self::of_many(values, place, run)?])
        }
    }

    /// Two sequences of the same symbols.
    fn of_few(values: &[u8], place: &Place, run: &Run) -> Result<Vec<Self>, TableError> {
        let runs = RunSymbols::of_runs(runs::runs(values));
        let mut run_symbols = Vec::with_capacity(runs.count(runs::runs(values)));
        runs.append(values, &mut run_symbols);
        let (symbols, replaced) = find_symbols(&runs, run_symbols.clone(), 1.0, &run.stop)?;
        let mut costs = costs(&occurrences(symbols.len(), &replaced));
        let mut parser = Parser::new(&symbols, runs.symbols.len(), max_nodes(run_symbols.len()));
        let replaced = Self::moved(symbols.clone(), &replaced, place)?;
        let mut parsed = Vec::new();
        for _ in 0..2 {
            parser.set_costs(&costs);
            let chunks = run_symbols.chunks(CHUNK);
            let parts = parallel::map(run, chunks, || (), |(), chunk| parser.parse(chunk))?;
            parsed = parts.concat();
            costs = self::costs(&occurrences(symbols.len(), &parsed));
        }
        Ok(vec![replaced, Self::moved(symbols, &parsed, place)?])
    }

    /// For more values than are kept in memory.
    fn of_many(values: &Buffer, place: &Place, run: &Run) -> Result<Self, TableError> {
        let mut counts = RunCounts::new();
        for_each_run(values, |value, length| {
            counts.add(value, length);
            Ok(())
        })?;
        let runs = RunSymbols::new(&counts);
        let (sample, every) = search_sample(values, &runs)?;
        let searched = sample.len();
        let (symbols, sequence) = find_symbols(&runs, sample, every as f64, &run.stop)?;
        let costs = costs(&occurrences(symbols.len(), &sequence));
        drop(sequence);
        let mut parser = Parser::new(&symbols, runs.symbols.len(), max_nodes(searched));
        parser.set_costs(&costs);
        // Parsed, the sample gives better costs.
        let (sample, _) = search_sample(values, &runs)?;
        let count = |(): &mut (), chunk: &[u16]| occurrences(symbols.len(), &parser.parse(chunk));
        let counted = parallel::map(run, sample.chunks(CHUNK), || (), count)?;
        drop(sample);
        let add =
            |sum: Vec<u32>, more: Vec<u32>| sum.iter().zip(more).map(|(a, b)| a + b).collect();
        let counted = counted.into_iter().fold(vec![0; symbols.len()], add);
        parser.set_costs(&self::costs(&counted));

        let mut bytes = place.buffer(2 * expected_length(values.len()))?;
        let mut counts = vec![0; symbols.len()];
        let at_once = PARSED_AT_ONCE * run.threads.get() * CHUNK;
        let mut parse = |letters: &[u16]| -> Result<(), TableError> {
            let chunks = letters.chunks(CHUNK);
            let parts = parallel::map(run, chunks, || (), |(), chunk| parser.parse(chunk))?;
            for part in parts {
                append(&part, &mut bytes, &mut counts)?;
            }
            Ok(())
        };
        let mut letters = Vec::with_capacity(at_once + CHUNK);
        for_each_run(values, |value, length| {
            runs.append_run(value, length, &mut letters);
            if letters.len() >= at_once {
                parse(&letters[..at_once])?;
                letters.drain(..at_once);
            }
            Ok(())
        })?;
        parse(&letters)?;
        Ok(Self::new(symbols, counts, bytes))
    }

    /// A sequence in memory, moved to `place`.
    fn moved(symbols: Vec<Halves>, sequence: &[u16], place: &Place) -> Result<Self, TableError> {
        let mut bytes = place.buffer(2 * sequence.len() as u64)?;
        let mut counts = vec![0; symbols.len()];
        append(sequence, &mut bytes, &mut counts)?;
        Ok(Self::new(symbols, counts, bytes))
    }

    /// For a sequence of two bytes an entry.
    fn new(symbols: Vec<Halves>, counts: Vec<u64>, bytes: Buffer) -> Self {
        let numbers = (0..symbols.len() as u16).collect();
        let grammar = Self {
            symbols,
            counts,
            sequence: Sequence { bytes, numbers },
        };
        grammar.without_unused()
    }

    /// Removes the symbols that neither the sequence nor a used symbol contains.
    fn without_unused(mut self) -> Self {
        let mut used: Vec<bool> = self.counts.iter().map(|&count| count > 0).collect();
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
        self.sequence.renumber(&renumbered);
        let mut is_used = used.iter();
        self.counts.retain(|_| is_used.next() == Some(&true));
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

/// Appends symbols to the bytes of a sequence and counts them.
fn append(symbols: &[u16], bytes: &mut Buffer, counts: &mut [u64]) -> Result<(), TableError> {
    for &symbol in symbols {
        counts[usize::from(symbol)] += 1;
    }
    for symbols in symbols.chunks(CHUNK) {
        let more: Vec<u8> = symbols
            .iter()
            .flat_map(|symbol| symbol.to_le_bytes())
            .collect();
        bytes.append(&more)?;
    }
    Ok(())
}

/// The run symbols of every n-th chunk of values, at most [`MAX_SEARCHED`], and n.
fn search_sample(values: &Buffer, runs: &RunSymbols) -> Result<(Vec<u16>, usize), TableError> {
    let mut counts = Vec::new();
    values.for_each_chunk(CHUNK, |_, chunk| {
        counts.push(runs.count(runs::runs(chunk)));
        Ok(())
    })?;
    let count = |every: usize| counts.iter().step_by(every).sum::<usize>();
    let every = (1..)
        .find(|&every| count(every) <= MAX_SEARCHED)
        .unwrap_or(1);
    let mut sample = Vec::with_capacity(count(every));
    let mut chunk = vec![0; CHUNK];
    for at in (0..values.len()).step_by(every * CHUNK) {
        let length = (values.len() - at).min(CHUNK as u64) as usize;
        values.read(at, &mut chunk[..length])?;
        runs.append(&chunk[..length], &mut sample);
    }
    Ok((sample, every))
}

/// Replaces the pairs of a sequence of run symbols. Returns all symbols, and the sequence or, of a
/// long one, maybe a part of it.
fn find_symbols(
    runs: &RunSymbols,
    sequence: Vec<u16>,
    scale: f64,
    stop: &Stop,
) -> Result<(Vec<Halves>, Vec<u16>), Stopped> {
    let limit = (MAX_PAIRS, WhenFull::RemoveRare);
    if sequence.len() <= MAX_LINKED {
        return PairReplacer::new(&runs.symbols, sequence, scale, limit).replace_all(stop);
    }
    let shortened = PairScanner::new(&runs.symbols, sequence, scale).shorten(MAX_LINKED, stop)?;
    let (symbols, sequence) = (&shortened.symbols, shortened.sequence);
    PairReplacer::new(symbols, sequence, shortened.scale, limit).replace_all(stop)
}

/// Estimates the bits that the symbols and the sequence of a table take, given a sample of it; the
/// table has `scale` times as many values. Takes [`estimate_bytes`] of memory; of a sample with
/// more than [`MAX_SAMPLED`] run symbols the first ones count.
pub(crate) fn estimate_bits(sample: &RunList, scale: f64, stop: &Stop) -> Result<u64, Stopped> {
    let runs = RunSymbols::of_runs(sample.iter());
    let count = runs.count(sample.iter());
    let mut sequence = Vec::with_capacity(count.min(MAX_SAMPLED));
    for (value, length) in sample.iter() {
        if runs.count(std::iter::once((value, length))) > MAX_SAMPLED - sequence.len() {
            break;
        }
        runs.append_run(value, length, &mut sequence);
    }
    let scale = scale * count as f64 / sequence.len().max(1) as f64;
    let limit = (MAX_SAMPLED_PAIRS, WhenFull::Stop);
    let replacer = PairReplacer::new(&runs.symbols, sequence, scale, limit);
    let (symbols, sequence) = replacer.replace_all(stop)?;
    let counts = occurrences(symbols.len(), &sequence);
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
    let values = values.min(MAX_SAMPLED as u64);
    values * ENTRY_BYTES + MAX_SAMPLED_PAIRS.min(2 * values) * PAIR_BYTES
}

/// Bytes that [`Grammar::candidates`] takes for `values` values, beside the buffers of
/// [`sequence_bytes`].
pub(crate) fn grammar_bytes(values: u64, threads: u64) -> u64 {
    let entries = values.min(MAX_LINKED as u64);
    let scanned = match values {
        // Values and run symbols, which are also kept for the parser.
        ..=COMPARED => 5 * values,
        _ => 0,
    };
    let scan = match values.min(MAX_SEARCHED as u64) {
        few if few <= MAX_LINKED as u64 => 0,
        searched => 2 * searched + COUNTER_BYTES,
    };
    let link = entries * ENTRY_BYTES + MAX_PAIRS.min(2 * entries) * PAIR_BYTES;
    let at_once = threads * (PARSED_AT_ONCE * CHUNK) as u64;
    // The chunks of a group and their results, and what a thread needs beside.
    let chunks = at_once.min(values) * 4 + (threads * CHUNK as u64).min(values) * PARSE_BYTES;
    let searched = values.min(MAX_SEARCHED as u64);
    // Beside the parser, there is the sample that is parsed for its costs, with a list of counts
    // for each chunk.
    let counts = (searched / CHUNK as u64 + 1) * 4 * MAX_SYMBOLS as u64;
    let parse = max_nodes(searched as usize) as u64 * NODE_BYTES + chunks + 2 * searched + counts;
    scanned + scan.max(link).max(parse) + 2 * FILE_BYTES
}

/// Bytes of the sequences of [`Grammar::candidates`].
pub(crate) fn sequence_bytes(values: u64) -> u64 {
    match values {
        // Both candidates.
        ..=COMPARED => 4 * values,
        _ => 2 * expected_length(values),
    }
}

/// The most nodes of the words of symbols, for a number of run symbols that are searched.
fn max_nodes(searched: usize) -> usize {
    searched.clamp(1 << 12, MAX_NODES)
}

/// The expected length of a long sequence, in symbols; memory for more is reserved when it is
/// needed.
fn expected_length(values: u64) -> u64 {
    values / 8
}

/// By symbol: how often it occurs in a sequence.
fn occurrences(symbols: usize, sequence: &[u16]) -> Vec<u32> {
    let mut counts = vec![0u32; symbols];
    for &symbol in sequence {
        counts[usize::from(symbol)] += 1;
    }
    counts
}

/// By symbol: the bits that it takes, given how often each occurs, in parts of a bit; of a symbol
/// that does not occur a few bits more.
fn costs(counts: &[u32]) -> Vec<u32> {
    let all = counts.iter().sum::<u32>().max(1);
    let cost =
        |&count: &u32| (BIT * (f64::from(all) / f64::from(count).max(0.25)).log2()) as u32 + 1;
    counts.iter().map(cost).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::buffer::tests::places;
    use crate::syzygy::compress::decode::lengths;
    use crate::syzygy::compress::runs::MAX_SYMBOL_LENGTH;

    fn expand(grammar: &Grammar) -> Vec<u8> {
        let mut values = Vec::new();
        let mut counts = vec![0; grammar.symbols.len()];
        let expand = |symbols: &[u16]| {
            let mut open: Vec<u16> = symbols.iter().rev().copied().collect();
            for &symbol in symbols {
                counts[usize::from(symbol)] += 1;
            }
            while let Some(symbol) = open.pop() {
                match grammar.symbols[usize::from(symbol)] {
                    (value, LEAF) => values.push(value as u8),
                    (left, right) => open.extend([right, left]),
                }
            }
            Ok(())
        };
        grammar.sequence.for_each_chunk(expand).unwrap();
        assert_eq!(counts, grammar.counts);
        values
    }

    /// The candidates of values in memory and in files, which are the same.
    fn candidates(values: &[u8], run: &Run) -> Vec<Grammar> {
        let mut of_places = places(run).map(|place| {
            let mut buffer = place.buffer(values.len() as u64).unwrap();
            buffer.append(values).unwrap();
            Grammar::candidates(&buffer, &place, run).unwrap()
        });
        let symbols = |of: &[Grammar]| of.iter().map(|g| g.symbols.clone()).collect::<Vec<_>>();
        assert_eq!(symbols(&of_places[0]), symbols(&of_places[1]));
        let mut all: Vec<Grammar> = of_places[0].drain(..).collect();
        all.append(&mut of_places[1]);
        all
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
            for grammar in candidates(&values, &Run::serial()) {
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
        for grammar in candidates(&values, &run) {
            assert!(expand(&grammar) == values);
            assert!(grammar.symbols.len() <= MAX_SYMBOLS);
        }
    }

    #[test]
    fn periodic_values_shrink() {
        let values: Vec<u8> = (0..60_000u32).map(|i| (i * i % 61 % 7) as u8).collect();
        for grammar in candidates(&values, &Run::serial()) {
            assert_eq!(expand(&grammar), values);
            let length: u64 = grammar.counts.iter().sum();
            assert!(length < 2000, "{length}");
        }
    }
}
