//! A sub-table's values made into symbols, code words and blocks.

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::syzygy::compress::decode::{Head, LEAF, MAX_SYMBOLS, lengths};
use crate::syzygy::compress::huffman::word_lengths;
use crate::syzygy::compress::repair::grammar::Grammar;

/// The most values of a block: the table of sizes has two bytes for each.
const FULL: u64 = 1 << 16;
/// Blocks from one entry of the index to the next, at least.
const BLOCKS_PER_ENTRY: u64 = 16;

/// A sub-table's values as they stand in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Encoded {
    /// All values are one.
    Single(u8),
    /// Blocks of code words.
    Coded {
        head: Head,
        /// Where the positions half-way between two entries are: a block, and a place in it.
        index: Vec<(u32, u16)>,
        /// By block, padding included: values less one.
        sizes: Vec<u16>,
        data: Vec<u8>,
    },
}

impl Encoded {
    /// Bytes of it in a file, alignment left out.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Single(_) => 2,
            Self::Coded {
                head,
                index,
                sizes,
                data,
            } => {
                let head = 14 + 2 * head.lowest.len() + 3 * head.symbols.len();
                (head + 6 * index.len() + 2 * sizes.len() + data.len()) as u64
            }
        }
    }
}

/// Which values can be told without blocks if all are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Singles {
    /// Any, in WDL files.
    All,
    /// Only 0, in DTZ files.
    Zero,
}

/// Encodes values, blocks of 32 bytes to 2 to the power `largest`: the size that makes the least of them. Memory is reserved in
/// the name of `what`.
pub(crate) fn encode(
    values: &[u8],
    singles: Singles,
    largest: u8,
    what: &str,
    run: &Run,
) -> Result<Encoded, TableError> {
    let first = values.first().copied().unwrap_or(0);
    if (singles == Singles::All || first == 0) && values.iter().all(|&value| value == first) {
        return Ok(Encoded::Single(first));
    }
    let positions = values.len() as u64;
    let grammar = Grammar::of(values, what, run)?;
    Ok(assemble(grammar, positions, largest))
}

/// Codes a grammar's sequence.
fn assemble(grammar: Grammar, positions: u64, largest: u8) -> Encoded {
    debug_assert!(grammar.symbols.len() <= MAX_SYMBOLS);
    let mut counts = vec![0u64; grammar.symbols.len()];
    for &symbol in &grammar.sequence {
        counts[usize::from(symbol)] += 1;
    }
    let bits = word_lengths(&counts);
    let order = by_rarity(&counts);
    let mut names = vec![0u16; order.len()];
    for (name, &symbol) in order.iter().enumerate() {
        names[symbol] = name as u16;
    }
    let symbols: Vec<(u16, u16)> = order
        .iter()
        .map(|&s| match grammar.symbols[s] {
            (value, LEAF) => (value, LEAF),
            (left, right) => (names[usize::from(left)], names[usize::from(right)]),
        })
        .collect();
    // Equally frequent symbols may have words of two lengths: which has which does not matter, the order does.
    let mut bits = bits;
    bits.sort_unstable_by_key(|&bits| std::cmp::Reverse(bits));
    let spans = lengths(&symbols).expect("symbols are made of earlier ones");
    let words = Words::new(&bits);
    let mut sequence = grammar.sequence;
    for symbol in &mut sequence {
        *symbol = names[usize::from(*symbol)];
    }
    let cost = |&block: &u8| {
        let blocks = Cuts::new(&sequence, &bits, &spans, block).count() as u64;
        (blocks << block).next_multiple_of(64)
            + 2 * blocks
            + 6 * positions.div_ceil(1 << span(positions, blocks))
    };
    // Of equally large files the one with the larger blocks.
    let block = (5..=largest).rev().min_by_key(cost).unwrap_or(largest);
    let cuts: Vec<Cut> = Cuts::new(&sequence, &bits, &spans, block).collect();
    let span = span(positions, cuts.len() as u64);
    let data = words.write(&sequence, &cuts, block);
    let mut sizes: Vec<u16> = cuts.iter().map(|cut| (cut.values - 1) as u16).collect();
    let index = index(&cuts, positions, span, &mut sizes);
    let head = Head {
        block,
        span,
        padding: (sizes.len() - cuts.len()) as u8,
        blocks: cuts.len() as u32,
        min_bits: words.min_bits,
        lowest: words.lowest,
        symbols,
    };
    Encoded::Coded {
        head,
        index,
        sizes,
        data,
    }
}

/// Symbols from the rarest, which have the longest words, to the most frequent; those without a word last.
///
/// By exchanging, as the published files show: their order of equally frequent symbols comes out of it.
fn by_rarity(counts: &[u64]) -> Vec<usize> {
    let rarity = |symbol: usize| counts[symbol].wrapping_sub(1);
    let mut order: Vec<usize> = (0..counts.len()).collect();
    for i in 0..order.len() {
        for j in i + 1..order.len() {
            if rarity(order[i]) > rarity(order[j]) {
                order.swap(i, j);
            }
        }
    }
    order
}

/// The smallest power of two that takes so many blocks on average, or all positions.
fn span(positions: u64, blocks: u64) -> u8 {
    let fits = |&span: &u8| {
        let reach = 1u64 << span;
        reach >= positions || reach * blocks >= BLOCKS_PER_ENTRY * positions
    };
    (0..31).find(fits).unwrap_or(31)
}

/// A block: the symbols from one place of the sequence to another.
#[derive(Clone, Copy, Debug)]
struct Cut {
    from: usize,
    to: usize,
    values: u64,
}

/// The sequence cut into blocks: each as full as whole symbols make it.
struct Cuts<'a> {
    sequence: &'a [u16],
    bits: &'a [u8],
    spans: &'a [u32],
    room: u64,
    at: usize,
}

impl<'a> Cuts<'a> {
    fn new(sequence: &'a [u16], bits: &'a [u8], spans: &'a [u32], block: u8) -> Self {
        Self {
            sequence,
            bits,
            spans,
            room: 8 << block,
            at: 0,
        }
    }
}

impl Iterator for Cuts<'_> {
    type Item = Cut;

    fn next(&mut self) -> Option<Cut> {
        let from = self.at;
        let (mut used, mut values) = (0, 0);
        for &symbol in &self.sequence[from..] {
            let bits = u64::from(self.bits[usize::from(symbol)]);
            let span = u64::from(self.spans[usize::from(symbol)]);
            if used + bits > self.room || values + span > FULL {
                break;
            }
            used += bits;
            values += span;
            self.at += 1;
        }
        (self.at > from).then_some(Cut {
            from,
            to: self.at,
            values,
        })
    }
}

/// Fills the index; positions beyond the last are in blocks of padding.
fn index(cuts: &[Cut], positions: u64, span: u8, sizes: &mut Vec<u16>) -> Vec<(u32, u16)> {
    let mut starts = 0;
    let mut block = 0;
    let mut entries = Vec::new();
    for entry in 0..positions.div_ceil(1 << span) {
        let middle = (entry << span) + (1 << span) / 2;
        loop {
            if block == sizes.len() {
                sizes.push(u16::MAX);
            }
            let values = cuts.get(block).map_or(FULL, |cut| cut.values);
            if middle < starts + values {
                break;
            }
            starts += values;
            block += 1;
        }
        entries.push((block as u32, (middle - starts) as u16));
    }
    entries
}

/// The code words of symbols that are ordered by their lengths, the longest first.
struct Words {
    words: Vec<(u64, u8)>,
    min_bits: u8,
    lowest: Vec<u16>,
}

impl Words {
    /// Words of a length count up with the symbols; the longest words are the smallest numbers.
    fn new(bits: &[u8]) -> Self {
        let coded = bits.iter().take_while(|&&b| b > 0).count();
        let (max, min) = match (bits.first(), coded.checked_sub(1)) {
            (Some(&max), Some(last)) => (max, bits[last]),
            _ => (1, 1),
        };
        let mut words = Vec::with_capacity(coded);
        let mut lowest = vec![0u16; usize::from(max - min) + 1];
        let (mut word, mut length) = (0u64, max);
        for (symbol, &bits) in bits[..coded].iter().enumerate() {
            while length > bits {
                word = word.div_ceil(2);
                length -= 1;
                lowest[usize::from(length - min)] = symbol as u16;
            }
            words.push((word, bits));
            word += 1;
        }
        Self {
            words,
            min_bits: min,
            lowest,
        }
    }

    /// The blocks' bytes.
    fn write(&self, sequence: &[u16], cuts: &[Cut], block: u8) -> Vec<u8> {
        let size = 1usize << block;
        let mut data = Vec::with_capacity(cuts.len() * size);
        for cut in cuts {
            let end = data.len() + size;
            let (mut buffer, mut filled) = (0u64, 0u32);
            for &symbol in &sequence[cut.from..cut.to] {
                let (word, bits) = self.words[usize::from(symbol)];
                buffer |= word << (64 - filled - u32::from(bits));
                filled += u32::from(bits);
                while filled >= 8 {
                    data.push((buffer >> 56) as u8);
                    buffer <<= 8;
                    filled -= 8;
                }
            }
            if filled > 0 {
                data.push((buffer >> 56) as u8);
            }
            data.resize(end, 0);
        }
        data
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::syzygy::compress::decode::Decoder;

    fn decode(encoded: &Encoded) -> Vec<u8> {
        let Encoded::Coded {
            head, sizes, data, ..
        } = encoded
        else {
            panic!("expected blocks");
        };
        let mut bytes = Vec::new();
        head.write(&mut bytes);
        let (read, length) = Head::read(&bytes).unwrap();
        assert_eq!((&read, length), (head, bytes.len()));
        let decoder = Decoder::new(&read).unwrap();
        let mut values = Vec::new();
        for (block, &size) in data.chunks(1 << head.block).zip(sizes) {
            let count = usize::from(size) + 1;
            let emit = |symbol, taken| decoder.expand(symbol, taken, &mut values);
            decoder.symbols_of(block, count, emit).unwrap();
        }
        values.into_iter().map(|value| value as u8).collect()
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(
            parts in prop::collection::vec((0u8..6, 1usize..3000), 2..300),
            largest in 5u8..11
        ) {
            let values: Vec<u8> = parts
                .iter()
                .flat_map(|&(value, run)| std::iter::repeat_n(value, run * run % 3001))
                .chain([0, 1])
                .collect();
            let encoded = encode(&values, Singles::All, largest, "values", &Run::serial()).unwrap();
            prop_assert_eq!(decode(&encoded), &values[..]);
            let Encoded::Coded { head, index, sizes, .. } = &encoded else { unreachable!() };
            for (entry, &(block, place)) in index.iter().enumerate() {
                let before = &sizes[..block as usize];
                let at: u64 = before.iter().map(|&s| u64::from(s) + 1).sum::<u64>() + u64::from(place);
                prop_assert_eq!(at, ((entry as u64) << head.span) + (1 << head.span) / 2);
            }
        }
    }

    #[test]
    fn one_value_needs_no_blocks() {
        let encode = |singles| encode(&[3; 1000], singles, 6, "values", &Run::serial()).unwrap();
        assert_eq!(encode(Singles::All), Encoded::Single(3));
        assert_eq!(decode(&encode(Singles::Zero)), [3; 1000]);
    }
}
