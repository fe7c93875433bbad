//! Encodes a sub-table's values: Re-Pair symbols, Huffman code words, blocks.

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::syzygy::compress::decode::{Header, LEAF, MAX_SYMBOLS, lengths};
use crate::syzygy::compress::huffman::code_lengths;
use crate::syzygy::compress::repair::grammar::Grammar;

/// The most values of a block: the table of block sizes has two bytes for each block.
const MAX_BLOCK_VALUES: u64 = 1 << 16;
/// The least average number of blocks for each entry of the block index.
const BLOCKS_PER_ENTRY: u64 = 16;

/// A sub-table's values as they are written to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Encoded {
    /// All positions have this value.
    Single(u8),
    /// Blocks of code words.
    Blocks {
        header: Header,
        /// By entry: the block that holds the position in the middle of the entry's span, and the position's place in the block.
        index: Vec<(u32, u16)>,
        /// By block, padding included: the number of values less one.
        sizes: Vec<u16>,
        data: Vec<u8>,
    },
}

impl Encoded {
    /// Its bytes in a file, alignment left out.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Single(_) => 2,
            Self::Blocks {
                header,
                index,
                sizes,
                data,
            } => {
                let header = 14 + 2 * header.lowest.len() + 3 * header.symbols.len();
                (header + 6 * index.len() + 2 * sizes.len() + data.len()) as u64
            }
        }
    }
}

/// Which value a file can store without blocks if all positions have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SingleValue {
    /// Any value, in WDL files.
    Any,
    /// Only 0, in DTZ files.
    Zero,
}

/// Encodes values in blocks of 32 to `1 << max_block_log2` bytes, whichever size makes the file smallest. Memory is reserved in the name of
/// `what`.
///
/// # Errors
/// [`TableError`] if the run is stopped or memory runs out.
pub(crate) fn encode(
    values: &[u8],
    single: SingleValue,
    max_block_log2: u8,
    what: &str,
    run: &Run,
) -> Result<Encoded, TableError> {
    let first = values.first().copied().unwrap_or(0);
    if (single == SingleValue::Any || first == 0) && values.iter().all(|&value| value == first) {
        return Ok(Encoded::Single(first));
    }
    let positions = values.len() as u64;
    let grammars = Grammar::candidates(values, what, run)?.into_iter();
    let encoded = grammars.map(|grammar| encode_grammar(grammar, positions, max_block_log2));
    Ok(encoded
        .min_by_key(Encoded::bytes)
        .expect("values have a grammar"))
}

/// Encodes the sequence of a grammar.
fn encode_grammar(grammar: Grammar, positions: u64, max_block_log2: u8) -> Encoded {
    debug_assert!(grammar.symbols.len() <= MAX_SYMBOLS);
    let mut counts = vec![0u64; grammar.symbols.len()];
    for &symbol in &grammar.sequence {
        counts[usize::from(symbol)] += 1;
    }
    let mut bits = code_lengths(&counts);
    // The canonical code numbers the symbols from the longest code word to the shortest.
    let order = by_rarity(&counts);
    let mut renumbered = vec![0u16; order.len()];
    for (number, &symbol) in order.iter().enumerate() {
        renumbered[symbol] = number as u16;
    }
    let symbols: Vec<(u16, u16)> = order
        .iter()
        .map(|&s| match grammar.symbols[s] {
            (value, LEAF) => (value, LEAF),
            (left, right) => (
                renumbered[usize::from(left)],
                renumbered[usize::from(right)],
            ),
        })
        .collect();
    // Symbols that are equally frequent may have code words of two lengths: either may get the longer one.
    bits.sort_unstable_by_key(|&bits| std::cmp::Reverse(bits));
    let spans = lengths(&symbols).expect("a symbol is made of symbols before it");
    let words = CodeWords::new(&bits);
    let mut sequence = grammar.sequence;
    for symbol in &mut sequence {
        *symbol = renumbered[usize::from(*symbol)];
    }
    let cost = |&block_log2: &u8| {
        let blocks = Blocks::new(&sequence, &bits, &spans, block_log2).count() as u64;
        (blocks << block_log2).next_multiple_of(64)
            + 2 * blocks
            + 6 * positions.div_ceil(1 << span_log2(positions, blocks))
    };
    // The largest of the block sizes that cost least.
    let sizes = (5..=max_block_log2).rev();
    let block_log2 = sizes.min_by_key(cost).unwrap_or(max_block_log2);
    let blocks: Vec<Block> = Blocks::new(&sequence, &bits, &spans, block_log2).collect();
    let span_log2 = span_log2(positions, blocks.len() as u64);
    let data = words.write(&sequence, &blocks, block_log2);
    let mut sizes: Vec<u16> = blocks
        .iter()
        .map(|block| (block.values - 1) as u16)
        .collect();
    let index = block_index(&blocks, positions, span_log2, &mut sizes);
    let header = Header {
        block_log2,
        span_log2,
        padding: (sizes.len() - blocks.len()) as u8,
        blocks: blocks.len() as u32,
        min_bits: words.min_bits,
        lowest: words.lowest,
        symbols,
    };
    Encoded::Blocks {
        header,
        index,
        sizes,
        data,
    }
}

/// The symbols from the rarest to the most frequent, those that do not occur last.
///
/// By selection with swaps, not a stable sort: the published files have their equally frequent symbols in the order that this gives.
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

/// The binary logarithm of the positions for each entry of the block index: the smallest with [`BLOCKS_PER_ENTRY`] blocks on average, or
/// that covers all positions.
fn span_log2(positions: u64, blocks: u64) -> u8 {
    let fits = |&log2: &u8| {
        let span = 1u64 << log2;
        span >= positions || span * blocks >= BLOCKS_PER_ENTRY * positions
    };
    (0..31).find(fits).unwrap_or(31)
}

/// A block: the symbols `from..to` of the sequence, which stand for `values` values.
#[derive(Clone, Copy, Debug)]
struct Block {
    from: usize,
    to: usize,
    values: u64,
}

/// Splits a sequence into blocks, each with as many whole symbols as fit.
struct Blocks<'a> {
    sequence: &'a [u16],
    /// By symbol: the bits of its code word, and the number of its values.
    bits: &'a [u8],
    spans: &'a [u32],
    /// Bits of a block.
    capacity: u64,
    next: usize,
}

impl<'a> Blocks<'a> {
    fn new(sequence: &'a [u16], bits: &'a [u8], spans: &'a [u32], block_log2: u8) -> Self {
        Self {
            sequence,
            bits,
            spans,
            capacity: 8 << block_log2,
            next: 0,
        }
    }
}

impl Iterator for Blocks<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        let from = self.next;
        let (mut used, mut values) = (0, 0);
        for &symbol in &self.sequence[from..] {
            let bits = u64::from(self.bits[usize::from(symbol)]);
            let span = u64::from(self.spans[usize::from(symbol)]);
            if used + bits > self.capacity || values + span > MAX_BLOCK_VALUES {
                break;
            }
            used += bits;
            values += span;
            self.next += 1;
        }
        (self.next > from).then_some(Block {
            from,
            to: self.next,
            values,
        })
    }
}

/// The block index. Entries whose middle is beyond the last position point into padding blocks, whose sizes are appended.
fn block_index(
    blocks: &[Block],
    positions: u64,
    span_log2: u8,
    sizes: &mut Vec<u16>,
) -> Vec<(u32, u16)> {
    let mut start = 0;
    let mut block = 0;
    let mut entries = Vec::new();
    for entry in 0..positions.div_ceil(1 << span_log2) {
        let middle = (entry << span_log2) + (1 << span_log2) / 2;
        loop {
            if block == sizes.len() {
                sizes.push(u16::MAX);
            }
            let values = blocks.get(block).map_or(MAX_BLOCK_VALUES, |b| b.values);
            if middle < start + values {
                break;
            }
            start += values;
            block += 1;
        }
        entries.push((block as u32, (middle - start) as u16));
    }
    entries
}

/// The canonical code words of symbols that are sorted by the length of their code words, the longest first.
struct CodeWords {
    /// By symbol: the code word and its length in bits.
    words: Vec<(u64, u8)>,
    min_bits: u8,
    /// As in [`Header`].
    lowest: Vec<u16>,
}

impl CodeWords {
    /// Code words of one length ascend with the symbols; the longest code words begin at 0.
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

    /// The bytes of all blocks, the highest bit of a byte first, filled up with zeros.
    fn write(&self, sequence: &[u16], blocks: &[Block], block_log2: u8) -> Vec<u8> {
        let size = 1usize << block_log2;
        let mut data = Vec::with_capacity(blocks.len() * size);
        for block in blocks {
            let end = data.len() + size;
            let (mut buffer, mut filled) = (0u64, 0u32);
            for &symbol in &sequence[block.from..block.to] {
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
        let Encoded::Blocks {
            header,
            sizes,
            data,
            ..
        } = encoded
        else {
            panic!("expected blocks");
        };
        let mut bytes = Vec::new();
        header.write(&mut bytes);
        let (read, length) = Header::read(&bytes).unwrap();
        assert_eq!((&read, length), (header, bytes.len()));
        let decoder = Decoder::new(&read).unwrap();
        let mut values = Vec::new();
        for (block, &size) in data.chunks(1 << header.block_log2).zip(sizes) {
            let count = usize::from(size) + 1;
            let emit = |symbol, n| decoder.expand(symbol, n, &mut values);
            decoder.decode_block(block, count, emit).unwrap();
        }
        values.into_iter().map(|value| value as u8).collect()
    }

    proptest! {
        #[test]
        fn encoded_values_are_decoded(
            parts in prop::collection::vec((0u8..6, 1usize..3000), 2..300),
            largest in 5u8..11
        ) {
            let values: Vec<u8> = parts
                .iter()
                .flat_map(|&(value, run)| std::iter::repeat_n(value, run * run % 3001))
                .chain([0, 1])
                .collect();
            let encoded = encode(&values, SingleValue::Any, largest, "values", &Run::serial()).unwrap();
            prop_assert_eq!(decode(&encoded), &values[..]);
            let Encoded::Blocks { header, index, sizes, .. } = &encoded else { unreachable!() };
            for (entry, &(block, place)) in index.iter().enumerate() {
                let before = &sizes[..block as usize];
                let at: u64 = before.iter().map(|&s| u64::from(s) + 1).sum::<u64>() + u64::from(place);
                prop_assert_eq!(at, ((entry as u64) << header.span_log2) + (1 << header.span_log2) / 2);
            }
        }
    }

    #[test]
    fn a_single_value_needs_no_blocks() {
        let encode = |single| encode(&[3; 1000], single, 6, "values", &Run::serial()).unwrap();
        assert_eq!(encode(SingleValue::Any), Encoded::Single(3));
        assert_eq!(decode(&encode(SingleValue::Zero)), [3; 1000]);
    }
}
