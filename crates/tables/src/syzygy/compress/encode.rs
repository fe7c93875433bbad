//! Encodes a sub-table's values: Re-Pair symbols, Huffman code words, blocks.

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::store::buffer::{Buffer, Place};
use crate::syzygy::compress::decode::lengths;
use crate::syzygy::compress::header::{Header, LEAF, MAX_SYMBOLS};
use crate::syzygy::compress::huffman::code_lengths;
use crate::syzygy::compress::repair::grammar::{Grammar, Sequence};
use crate::syzygy::compress::runs::CHUNK;

/// The most values of a block: the table of block sizes has two bytes for each block.
const MAX_BLOCK_VALUES: u64 = 1 << 16;
/// The least average number of blocks for each entry of the block index.
const BLOCKS_PER_ENTRY: u64 = 16;

/// A sub-table's values as they are written to a file.
pub(crate) enum Encoded {
    /// All positions have this value.
    Single(u8),
    /// Blocks of code words.
    Blocks {
        header: Header,
        /// By entry: the block that holds the position in the middle of the entry's span, and the
        /// position's place in the block.
        index: Vec<(u32, u16)>,
        /// By block, padding included: the number of values less one.
        sizes: Vec<u16>,
        data: Box<Buffer>,
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
                (header + 6 * index.len() + 2 * sizes.len()) as u64 + data.len()
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

/// Encodes values in blocks of 32 to `1 << max_block_log2` bytes, whichever size makes the file
/// smallest. The sequence of symbols is made in the first of two places, the blocks in the second.
///
/// # Errors
/// [`TableError`] if the run is stopped, memory runs out, or a scratch file fails.
pub(crate) fn encode(
    values: &Buffer,
    single: SingleValue,
    max_block_log2: u8,
    [place, blocks]: [&Place; 2],
    run: &Run,
) -> Result<Encoded, TableError> {
    if let Some(value) = only_value(values)?
        && (single == SingleValue::Any || value == 0)
    {
        return Ok(Encoded::Single(value));
    }
    let grammars = Grammar::candidates(values, place, run)?.into_iter();
    let encoded = grammars.map(|own| encode_grammar(own, values.len(), max_block_log2, blocks));
    let encoded: Vec<Encoded> = encoded.collect::<Result<_, _>>()?;
    let smallest = encoded.into_iter().min_by_key(Encoded::bytes);
    Ok(smallest.expect("values have a grammar"))
}

/// The value of all positions, if they have the same; 0 without positions.
fn only_value(values: &Buffer) -> Result<Option<u8>, TableError> {
    let mut first = None;
    let mut equal = true;
    values.for_each_chunk(CHUNK, |_, chunk| {
        let first = *first.get_or_insert(chunk[0]);
        equal = equal && chunk.iter().all(|&value| value == first);
        Ok(())
    })?;
    Ok(equal.then_some(first.unwrap_or(0)))
}

/// Encodes the sequence of a grammar.
fn encode_grammar(
    grammar: Grammar,
    positions: u64,
    max_block_log2: u8,
    place: &Place,
) -> Result<Encoded, TableError> {
    debug_assert!(grammar.symbols.len() <= MAX_SYMBOLS);
    let counts = &grammar.counts;
    let mut bits = code_lengths(counts);
    // The canonical code numbers the symbols from the longest code word to the shortest.
    let order = by_rarity(counts);
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
    // Symbols that are equally frequent may have code words of two lengths: either may get the
    // longer one.
    bits.sort_unstable_by_key(|&bits| std::cmp::Reverse(bits));
    let spans = lengths(&symbols).expect("a symbol is made of symbols before it");
    let words = CodeWords::new(&bits);
    let mut sequence = grammar.sequence;
    sequence.renumber(&renumbered);
    let parts: Vec<(u64, u64)> = (bits.iter().zip(&spans))
        .map(|(&bits, &span)| (u64::from(bits), u64::from(span)))
        .collect();
    let block_log2 = cheapest_size(&sequence, &parts, positions, max_block_log2)?;

    let mut sizes = Vec::new();
    let mut data = Box::new(place.buffer(data_bytes(counts, &parts))?);
    let mut writer = BlockWriter::new(&words, block_log2);
    let mut block = Block::new(block_log2);
    sequence.for_each_chunk(|symbols| {
        for &symbol in symbols {
            if let Some(values) = block.add(parts[usize::from(symbol)]) {
                sizes.push((values - 1) as u16);
                writer.end_block();
            }
            writer.push(symbol);
        }
        data.append(&writer.take())
    })?;
    if block.values > 0 {
        sizes.push((block.values - 1) as u16);
        writer.end_block();
        data.append(&writer.take())?;
    }
    let blocks = sizes.len();
    let span_log2 = span_log2(positions, blocks as u64);
    let index = block_index(positions, span_log2, &mut sizes);
    let header = Header {
        block_log2,
        span_log2,
        padding: (sizes.len() - blocks) as u8,
        blocks: blocks as u32,
        min_bits: words.min_bits,
        lowest: words.lowest,
        symbols,
    };
    Ok(Encoded::Blocks {
        header,
        index,
        sizes,
        data,
    })
}

/// About the bytes of the blocks of a sequence, given how often each symbol occurs.
fn data_bytes(counts: &[u64], parts: &[(u64, u64)]) -> u64 {
    // The longest code words are those of the rarest symbols.
    let mut counts = counts.to_vec();
    counts.retain(|&count| count > 0);
    counts.sort_unstable();
    let bits: u64 = (counts.iter().zip(parts))
        .map(|(count, (bits, _))| count * bits)
        .sum();
    // Blocks are not quite full.
    bits / 8 + bits / 128 + (1 << 10)
}

/// The binary logarithm of the largest of the block sizes that cost least.
fn cheapest_size(
    sequence: &Sequence,
    parts: &[(u64, u64)],
    positions: u64,
    max_block_log2: u8,
) -> Result<u8, TableError> {
    let mut blocks: Vec<(Block, u64)> = (5..=max_block_log2)
        .rev()
        .map(|log2| (Block::new(log2), 0))
        .collect();
    sequence.for_each_chunk(|symbols| {
        for (block, count) in &mut blocks {
            for &symbol in symbols {
                *count += u64::from(block.add(parts[usize::from(symbol)]).is_some());
            }
        }
        Ok(())
    })?;
    let cost = |&(block, count): &(Block, u64)| {
        let blocks = count + u64::from(block.values > 0);
        (blocks * block.capacity / 8).next_multiple_of(64)
            + 2 * blocks
            + 6 * positions.div_ceil(1 << span_log2(positions, blocks))
    };
    let cheapest = blocks.iter().min_by_key(|block| cost(block));
    Ok(cheapest.map_or(max_block_log2, |(block, _)| {
        (block.capacity / 8).ilog2() as u8
    }))
}

/// The symbols from the rarest to the most frequent, those that do not occur last.
///
/// By selection with swaps, not a stable sort: the published files have their equally frequent
/// symbols in the order that this gives.
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

/// The binary logarithm of the positions for each entry of the block index: the smallest with
/// [`BLOCKS_PER_ENTRY`] blocks on average, or that covers all positions.
fn span_log2(positions: u64, blocks: u64) -> u8 {
    let fits = |&log2: &u8| {
        let span = 1u64 << log2;
        span >= positions || span * blocks >= BLOCKS_PER_ENTRY * positions
    };
    (0..31).find(fits).unwrap_or(31)
}

/// A block under construction, with as many whole symbols as fit.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// In bits.
    capacity: u64,
    used: u64,
    values: u64,
}

impl Block {
    fn new(block_log2: u8) -> Self {
        Self {
            capacity: 8 << block_log2,
            used: 0,
            values: 0,
        }
    }

    /// Adds a symbol, given the bits of its code word and the number of its values. If it does not
    /// fit, the block begins anew with it; returns the values before.
    #[inline]
    fn add(&mut self, (bits, span): (u64, u64)) -> Option<u64> {
        if self.used + bits <= self.capacity && self.values + span <= MAX_BLOCK_VALUES {
            self.used += bits;
            self.values += span;
            return None;
        }
        self.used = bits;
        Some(std::mem::replace(&mut self.values, span))
    }
}

/// The block index, given the sizes of the blocks. Entries whose middle is beyond the last position
/// point into padding blocks, whose sizes are appended.
fn block_index(positions: u64, span_log2: u8, sizes: &mut Vec<u16>) -> Vec<(u32, u16)> {
    let mut start = 0;
    let mut block = 0;
    let mut entries = Vec::new();
    for entry in 0..positions.div_ceil(1 << span_log2) {
        let middle = (entry << span_log2) + (1 << span_log2) / 2;
        loop {
            if block == sizes.len() {
                sizes.push(u16::MAX);
            }
            let values = u64::from(sizes[block]) + 1;
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

/// The canonical code words of symbols that are sorted by the length of their code words, the
/// longest first.
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
}

/// Writes code words to blocks, the highest bit of a byte first; a block that is not full ends with
/// zeros.
struct BlockWriter<'a> {
    words: &'a CodeWords,
    /// Bytes of a block.
    size: usize,
    bytes: Vec<u8>,
    /// The first bytes, of complete blocks.
    complete: usize,
    /// Bits that do not fill a byte yet, the first one highest.
    buffer: u64,
    filled: u32,
}

impl<'a> BlockWriter<'a> {
    fn new(words: &'a CodeWords, block_log2: u8) -> Self {
        Self {
            words,
            size: 1 << block_log2,
            bytes: Vec::new(),
            complete: 0,
            buffer: 0,
            filled: 0,
        }
    }

    #[inline]
    fn push(&mut self, symbol: u16) {
        let (word, bits) = self.words.words[usize::from(symbol)];
        self.buffer |= word << (64 - self.filled - u32::from(bits));
        self.filled += u32::from(bits);
        while self.filled >= 8 {
            self.bytes.push((self.buffer >> 56) as u8);
            self.buffer <<= 8;
            self.filled -= 8;
        }
    }

    fn end_block(&mut self) {
        if self.filled > 0 {
            self.bytes.push((self.buffer >> 56) as u8);
            (self.buffer, self.filled) = (0, 0);
        }
        self.complete += self.size;
        self.bytes.resize(self.complete, 0);
    }

    /// Removes the complete blocks and returns their bytes.
    fn take(&mut self) -> Vec<u8> {
        let rest = self.bytes.split_off(self.complete);
        self.complete = 0;
        std::mem::replace(&mut self.bytes, rest)
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
        let data = data.to_vec().unwrap();
        for (block, &size) in data.chunks(1 << header.block_log2).zip(sizes) {
            let count = usize::from(size) + 1;
            let emit = |symbol, n| decoder.expand(symbol, n, &mut values);
            decoder.decode_block(block, count, emit).unwrap();
        }
        values.into_iter().map(|value| value as u8).collect()
    }

    fn encode_values(values: &[u8], single: SingleValue, max_block_log2: u8) -> Encoded {
        let run = Run::serial();
        let place = Place::memory("values", &run);
        let mut buffer = place.buffer(values.len() as u64).unwrap();
        buffer.append(values).unwrap();
        encode(&buffer, single, max_block_log2, [&place, &place], &run).unwrap()
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
            let encoded = encode_values(&values, SingleValue::Any, largest);
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
        let encode = |single| encode_values(&[3; 1000], single, 6);
        assert!(matches!(encode(SingleValue::Any), Encoded::Single(3)));
        assert_eq!(decode(&encode(SingleValue::Zero)), [3; 1000]);
    }
}
