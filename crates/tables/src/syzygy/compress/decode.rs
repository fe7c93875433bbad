//! Decodes a sub-table: its header (a canonical Huffman code and Re-Pair symbols) and its blocks of code words.

use crate::syzygy::error::SyzygyError;

/// The right half of a symbol that stands for a single value; its left half is the value.
pub(crate) const LEAF: u16 = 0xfff;
/// The most symbols of a sub-table.
pub(crate) const MAX_SYMBOLS: usize = 4095;
/// The longest code word in bits.
pub(crate) const MAX_BITS: u8 = 32;
/// The largest block, as a binary logarithm of bytes.
const MAX_BLOCK: u8 = 15;

/// The header of a sub-table's compressed values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Header {
    /// Binary logarithm of the bytes of a block.
    pub(crate) block_log2: u8,
    /// Binary logarithm of the positions for each entry of the block index.
    pub(crate) span_log2: u8,
    /// Entries of the table of block sizes beyond the last block.
    pub(crate) padding: u8,
    pub(crate) blocks: u32,
    /// BitReader of the shortest code word.
    pub(crate) min_bits: u8,
    /// By length of a code word, from `min_bits` on: the lowest symbol with a word of this length.
    pub(crate) lowest: Vec<u16>,
    /// Both halves of each symbol, see [`LEAF`].
    pub(crate) symbols: Vec<(u16, u16)>,
}

impl Header {
    /// Parses a header; returns it with its length in bytes.
    pub(crate) fn read(bytes: &[u8]) -> Result<(Self, usize), SyzygyError> {
        let byte = |at: usize| bytes.get(at).copied().ok_or(SyzygyError::Truncated);
        let word =
            |at: usize| Ok::<u16, SyzygyError>(u16::from_le_bytes([byte(at)?, byte(at + 1)?]));
        let (block_log2, span_log2, padding) = (byte(0)?, byte(1)?, byte(2)?);
        let blocks = u32::from(word(3)?) | u32::from(word(5)?) << 16;
        let (max_bits, min_bits) = (byte(7)?, byte(8)?);
        if block_log2 > MAX_BLOCK || span_log2 > 31 {
            return Err(SyzygyError::Inconsistent("a block or span is out of range"));
        }
        if min_bits == 0 || max_bits > MAX_BITS || min_bits > max_bits {
            return Err(SyzygyError::Inconsistent(
                "code words are of impossible lengths",
            ));
        }
        let lengths = usize::from(max_bits - min_bits) + 1;
        let lowest: Vec<u16> = (0..lengths)
            .map(|i| word(9 + 2 * i))
            .collect::<Result<_, _>>()?;
        let at = 9 + 2 * lengths;
        let count = usize::from(word(at)?);
        let list = bytes
            .get(at + 2..at + 2 + 3 * count)
            .ok_or(SyzygyError::Truncated)?;
        let halves = |s: &[u8]| {
            let (low, mid, high) = (u16::from(s[0]), u16::from(s[1]), u16::from(s[2]));
            (low | (mid & 15) << 8, mid >> 4 | high << 4)
        };
        let symbols = list.chunks_exact(3).map(halves).collect();
        let header = Self {
            block_log2,
            span_log2,
            padding,
            blocks,
            min_bits,
            lowest,
            symbols,
        };
        // A list of an odd number of symbols is followed by a padding byte.
        Ok((header, at + 2 + 3 * count + count % 2))
    }

    /// Appends the bytes of the header.
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        to.extend([self.block_log2, self.span_log2, self.padding]);
        to.extend(self.blocks.to_le_bytes());
        to.extend([self.min_bits + self.lowest.len() as u8 - 1, self.min_bits]);
        to.extend(self.lowest.iter().flat_map(|low| low.to_le_bytes()));
        to.extend((self.symbols.len() as u16).to_le_bytes());
        for &(left, right) in &self.symbols {
            to.extend([
                left as u8,
                (left >> 8) as u8 | (right << 4) as u8,
                (right >> 4) as u8,
            ]);
        }
        if self.symbols.len() % 2 == 1 {
            to.push(0);
        }
    }

    /// The number of entries in the block index of a sub-table with `positions` positions.
    pub(crate) fn entries(&self, positions: u64) -> u64 {
        positions.div_ceil(1 << self.span_log2)
    }
}

/// Decodes blocks with the Huffman code and symbols of a header.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    min_bits: u8,
    lowest: Vec<u16>,
    /// By length of a code word, from `min_bits` on: the smallest word of this length, in the highest bits of 64.
    base: Vec<u64>,
    symbols: Vec<(u16, u16)>,
    /// By symbol: the number of values it stands for.
    lengths: Vec<u32>,
    /// By the first [`PREFIX`] bits: the code word that begins with them.
    by_prefix: Box<[ShortCode]>,
}

/// A code word of up to [`PREFIX`] bits; width 0 marks a longer one.
#[derive(Clone, Copy, Debug, Default)]
struct ShortCode {
    symbol: u16,
    width: u8,
    /// The number of values of the symbol.
    length: u16,
}

/// Bits of the code words that are decoded by a table.
const PREFIX: u32 = 11;

impl Decoder {
    /// Checks that no symbol contains itself and that the code words are those of a prefix code.
    pub(crate) fn new(header: &Header) -> Result<Self, SyzygyError> {
        let lengths = lengths(&header.symbols)?;
        let count = header.lowest.len();
        let mut base = vec![0u64; count];
        for i in (0..count - 1).rev() {
            let symbols = header.lowest[i].checked_sub(header.lowest[i + 1]);
            let symbols =
                symbols.ok_or(SyzygyError::Inconsistent("code words are out of order"))?;
            base[i] = (base[i + 1] + u64::from(symbols)) / 2;
        }
        for (i, base) in base.iter_mut().enumerate() {
            let bits = u32::from(header.min_bits) + i as u32;
            if *base >> bits != 0 {
                return Err(SyzygyError::Inconsistent(
                    "there are more code words than bits allow",
                ));
            }
            *base <<= 64 - bits;
        }
        let mut decoder = Self {
            min_bits: header.min_bits,
            lowest: header.lowest.clone(),
            base,
            symbols: header.symbols.clone(),
            lengths,
            by_prefix: vec![ShortCode::default(); 1 << PREFIX].into(),
        };
        for prefix in 0..1u64 << PREFIX {
            // The last word with a prefix has a longer code word if any of them has one.
            let last = (prefix << (64 - PREFIX)) | (u64::MAX >> PREFIX);
            let codes = [prefix << (64 - PREFIX), last].map(|word| decoder.long_code(word));
            if let [Ok((symbol, width)), Ok(other)] = codes
                && width <= PREFIX
                && (symbol, width) == other
                && let Some(&length) = decoder.lengths.get(symbol)
                && let Ok(length) = u16::try_from(length)
            {
                decoder.by_prefix[prefix as usize] = ShortCode {
                    symbol: symbol as u16,
                    width: width as u8,
                    length,
                };
            }
        }
        Ok(decoder)
    }

    /// Decodes a block of `count` values: calls `emit(symbol, n)` with each of its symbols in order, where the first `n` values of the
    /// symbol belong to the block. `n` is less than the symbol's length only for the last symbol.
    pub(crate) fn decode_block(
        &self,
        block: &[u8],
        count: usize,
        mut emit: impl FnMut(u16, usize),
    ) -> Result<(), SyzygyError> {
        let mut bits = BitReader::new(block);
        let mut left = count;
        while left > 0 {
            let (symbol, width) = self.long_code(bits.peek())?;
            let length = self.lengths.get(symbol);
            let &length =
                length.ok_or(SyzygyError::Inconsistent("a block holds an unknown symbol"))?;
            bits.skip(width)?;
            let taken = left.min(length as usize);
            emit(symbol as u16, taken);
            left -= taken;
        }
        Ok(())
    }

    /// The value at a place (from 0) of a block.
    pub(crate) fn value(&self, block: &[u8], mut place: usize) -> Result<u16, SyzygyError> {
        let (mut buffer, mut filled, mut at) = (0u64, 0u32, 0);
        loop {
            if filled < 32 {
                // Zeros after the end: a value whose code word reaches there is refused below.
                let rest = block.get(at..).unwrap_or_default();
                let next = match rest.first_chunk::<4>() {
                    Some(bytes) => u32::from_be_bytes(*bytes),
                    None => (0..4).fold(0, |next, i| {
                        next << 8 | u32::from(rest.get(i).copied().unwrap_or(0))
                    }),
                };
                buffer |= u64::from(next) << (32 - filled);
                filled += 32;
                at += 4;
            }
            let code = self.by_prefix[(buffer >> (64 - PREFIX)) as usize];
            let (symbol, width, length) = if code.width > 0 {
                (
                    usize::from(code.symbol),
                    u32::from(code.width),
                    usize::from(code.length),
                )
            } else {
                let (symbol, width) = self.long_code(buffer)?;
                let length = self.lengths.get(symbol);
                let &length =
                    length.ok_or(SyzygyError::Inconsistent("a block holds an unknown symbol"))?;
                (symbol, width, length as usize)
            };
            buffer <<= width;
            filled -= width;
            if place < length {
                if 8 * at > 8 * block.len() + filled as usize {
                    return Err(SyzygyError::Inconsistent("a block's code words exceed it"));
                }
                return Ok(self.value_at(symbol as u16, place));
            }
            place -= length;
        }
    }

    /// The symbol and width of the code word in the highest bits.
    fn long_code(&self, word: u64) -> Result<(usize, u32), SyzygyError> {
        let place = self.base.iter().position(|&base| word >= base);
        let place = place.ok_or(SyzygyError::Inconsistent("a block holds no code word"))?;
        let width = u32::from(self.min_bits) + place as u32;
        let number = (word - self.base[place]) >> (64 - width);
        Ok(((u64::from(self.lowest[place]) + number) as usize, width))
    }

    /// The value at a place (from 0) of those that a symbol stands for.
    pub(crate) fn value_at(&self, symbol: u16, mut place: usize) -> u16 {
        let mut symbol = symbol;
        loop {
            let (left, right) = self.symbols[usize::from(symbol)];
            if right == LEAF {
                return left;
            }
            let before = self.lengths[usize::from(left)] as usize;
            if place < before {
                symbol = left;
            } else {
                place -= before;
                symbol = right;
            }
        }
    }

    /// Appends the first `count` of the values that a symbol stands for.
    pub(crate) fn expand(&self, symbol: u16, count: usize, to: &mut Vec<u16>) {
        let end = to.len() + count;
        let mut open = vec![symbol];
        while let Some(symbol) = open.pop() {
            match self.symbols[usize::from(symbol)] {
                (value, LEAF) => to.push(value),
                (left, right) => open.extend([right, left]),
            }
            if to.len() == end {
                return;
            }
        }
    }
}

/// The number of values that each symbol stands for.
///
/// # Errors
/// [`SyzygyError::Inconsistent`] if a symbol contains itself or one that does not exist, or is longer than a block may be.
pub(crate) fn lengths(symbols: &[(u16, u16)]) -> Result<Vec<u32>, SyzygyError> {
    const OPEN: u32 = u32::MAX;
    let mut lengths = vec![0u32; symbols.len()];
    for symbol in 0..symbols.len() {
        let mut stack = vec![symbol];
        while let Some(&top) = stack.last() {
            let (left, right) = symbols[top];
            if right == LEAF {
                lengths[top] = 1;
                stack.pop();
                continue;
            }
            let (left, right) = (usize::from(left), usize::from(right));
            if left >= symbols.len() || right >= symbols.len() {
                return Err(SyzygyError::Inconsistent(
                    "a symbol is made of unknown ones",
                ));
            }
            match (lengths[left], lengths[right]) {
                _ if lengths[top] != 0 && lengths[top] != OPEN => {
                    stack.pop();
                }
                (OPEN, _) | (_, OPEN) if lengths[top] != OPEN => {
                    return Err(SyzygyError::Inconsistent("a symbol is made of itself"));
                }
                (OPEN, _) | (_, OPEN) => {
                    return Err(SyzygyError::Inconsistent("a symbol is made of itself"));
                }
                (0, _) => {
                    lengths[top] = OPEN;
                    stack.push(left);
                }
                (_, 0) => {
                    lengths[top] = OPEN;
                    stack.push(right);
                }
                (one, other) => {
                    let sum = one + other;
                    if sum > 1 << 16 {
                        return Err(SyzygyError::Inconsistent("a symbol is longer than a block"));
                    }
                    lengths[top] = sum;
                    stack.pop();
                }
            }
        }
    }
    Ok(lengths)
}

/// Reads a block bit by bit from the highest bit of the first byte.
struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
    buffer: u64,
    filled: u32,
    used: usize,
}

impl<'a> BitReader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            buffer: 0,
            filled: 0,
            used: 0,
        }
    }

    /// The next bits, at least 57 of them, the next one highest; zeros after the end.
    #[inline]
    fn peek(&mut self) -> u64 {
        while self.filled <= 56 {
            let byte = self.bytes.get(self.at).copied().unwrap_or(0);
            self.at += 1;
            self.buffer |= u64::from(byte) << (56 - self.filled);
            self.filled += 8;
        }
        self.buffer
    }

    fn skip(&mut self, bits: u32) -> Result<(), SyzygyError> {
        self.buffer <<= bits;
        self.filled -= bits;
        self.used += bits as usize;
        if self.used > 8 * self.bytes.len() {
            return Err(SyzygyError::Inconsistent("a block's code words exceed it"));
        }
        Ok(())
    }
}
