//! Decodes a sub-table's blocks of code words.

use crate::syzygy::compress::header::{Header, LEAF, MAX_BITS};
use crate::syzygy::error::SyzygyError;

/// Decodes blocks with the Huffman code and symbols of a header.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    min_bits: u8,
    lowest: Vec<u16>,
    /// By length of a code word, from `min_bits` on: the smallest word of this length, in the
    /// highest bits of 64.
    base: Vec<u64>,
    symbols: Vec<(u16, u16)>,
    /// By symbol: the number of values it stands for, less one.
    beyond_first: Vec<u16>,
    /// By symbol: how it is searched for one of its values.
    nodes: Vec<Node>,
    /// By the first [`PREFIX`] bits: the width of the code word that begins with them, 0 if it is
    /// longer or there is none.
    widths: Box<[u8; 1 << PREFIX]>,
    /// By width: what is added to a code word of this width, in the lowest bits, to get its
    /// symbol.
    offsets: [u32; MAX_BITS as usize + 1],
}

/// A symbol: two halves, or one value, as often as the symbol is long.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// The left half, or the value.
    left: u16,
    right: u16,
    /// The number of values of the left half; 0 if all values of the symbol are equal.
    left_len: u16,
}

/// Bits of the code words whose widths are looked up. The first bits of code words are close to
/// uniformly distributed, so that the whole table is in use: 8 KiB of the first-level cache.
const PREFIX: u32 = 13;

impl Decoder {
    /// Checks that no symbol contains itself and that the code words are those of a prefix code.
    pub(crate) fn new(header: &Header) -> Result<Self, SyzygyError> {
        let lengths = lengths(&header.symbols)?;
        let beyond_first: Vec<u16> = lengths.iter().map(|&length| (length - 1) as u16).collect();
        let nodes = nodes(&header.symbols, &beyond_first);
        let count = header.lowest.len();
        let mut base = vec![0u64; count];
        for i in (0..count - 1).rev() {
            let symbols = header.lowest[i].checked_sub(header.lowest[i + 1]);
            let symbols =
                symbols.ok_or(SyzygyError::Inconsistent("code words are out of order"))?;
            base[i] = (base[i + 1] + u64::from(symbols)) / 2;
        }
        let mut offsets = [0; MAX_BITS as usize + 1];
        for (i, base) in base.iter_mut().enumerate() {
            let bits = u32::from(header.min_bits) + i as u32;
            if *base >> bits != 0 {
                return Err(SyzygyError::Inconsistent(
                    "there are more code words than bits allow",
                ));
            }
            offsets[bits as usize] = u32::from(header.lowest[i]).wrapping_sub(*base as u32);
            *base <<= 64 - bits;
        }
        let mut decoder = Self {
            min_bits: header.min_bits,
            lowest: header.lowest.clone(),
            base,
            symbols: header.symbols.clone(),
            beyond_first,
            nodes,
            widths: Box::new([0; 1 << PREFIX]),
            offsets,
        };
        for prefix in 0..1u64 << PREFIX {
            // Of the words with a prefix, the first has the longest code word and the last the
            // shortest.
            let last = (prefix << (64 - PREFIX)) | (u64::MAX >> PREFIX);
            let codes = [prefix << (64 - PREFIX), last].map(|word| decoder.long_code(word));
            if let [Ok(code), Ok(other)] = codes
                && code.1 <= PREFIX
                && code == other
            {
                decoder.widths[prefix as usize] = code.1 as u8;
            }
        }
        Ok(decoder)
    }

    /// Decodes a block of `count` values: calls `emit(symbol, n)` with each of its symbols in
    /// order, where the first `n` values of the symbol belong to the block. `n` is less than
    /// the symbol's length only for the last symbol.
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
            let length = self.length(symbol)?;
            bits.skip(width)?;
            let taken = left.min(length);
            emit(symbol as u16, taken);
            left -= taken;
        }
        Ok(())
    }

    /// The number of values of a symbol.
    #[inline]
    fn length(&self, symbol: usize) -> Result<usize, SyzygyError> {
        match self.beyond_first.get(symbol) {
            Some(&beyond) => Ok(usize::from(beyond) + 1),
            None => Err(SyzygyError::Inconsistent("a block holds an unknown symbol")),
        }
    }

    /// The value at a place (from 0) of a block of `length` bytes, with which `bytes` begin; what
    /// follows it has no influence.
    pub(crate) fn value(
        &self,
        bytes: &[u8],
        length: usize,
        mut place: usize,
    ) -> Result<u16, SyzygyError> {
        // The bits from `at` on were not read; at least 56 bits of the buffer are valid after it
        // was filled.
        let (mut buffer, mut filled, mut at) = (0u64, 0u32, 0);
        loop {
            buffer |= eight_bytes(bytes, at) >> filled;
            at += ((63 - filled) / 8) as usize;
            filled |= 56;
            // Two code words of up to 28 bits.
            for _ in 0..2 {
                let (symbol, width) = self.code(buffer)?;
                let own = self.length(symbol)?;
                if place < own {
                    if 8 * at > 8 * length + (filled - width) as usize {
                        return Err(SyzygyError::Inconsistent("a block's code words exceed it"));
                    }
                    return Ok(self.value_at(symbol, place));
                }
                place -= own;
                buffer <<= width;
                filled -= width;
                if filled < u32::from(MAX_BITS) {
                    break;
                }
            }
        }
    }

    /// The symbol and width of the code word in the highest bits.
    #[inline]
    fn code(&self, word: u64) -> Result<(usize, u32), SyzygyError> {
        let width = u32::from(self.widths[(word >> (64 - PREFIX)) as usize]);
        if width == 0 {
            return self.long_code(word);
        }
        let number = (word >> (64 - width)) as u32;
        let offset = self.offsets[width as usize & 31];
        Ok((number.wrapping_add(offset) as usize, width))
    }

    /// The same, by comparison with the smallest code words of all widths.
    fn long_code(&self, word: u64) -> Result<(usize, u32), SyzygyError> {
        let place = self.base.iter().position(|&base| word >= base);
        let place = place.ok_or(SyzygyError::Inconsistent("a block holds no code word"))?;
        let width = u32::from(self.min_bits) + place as u32;
        let number = (word - self.base[place]) >> (64 - width);
        Ok(((u64::from(self.lowest[place]) + number) as usize, width))
    }

    /// The value at a place (from 0) of those that a symbol stands for.
    pub(crate) fn value_at(&self, symbol: usize, mut place: usize) -> u16 {
        let mut node = self.nodes[symbol];
        while node.left_len != 0 {
            // Without a branch: which half it is cannot be predicted.
            let left_len = usize::from(node.left_len);
            let right = place >= left_len;
            place -= if right { left_len } else { 0 };
            let half = if right { node.right } else { node.left };
            node = self.nodes[usize::from(half)];
        }
        node.left
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
/// [`SyzygyError::Inconsistent`] if a symbol contains itself or one that does not exist, or is
/// longer than a block may be.
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

/// The symbols as they are searched. `beyond_first` is the number of values of each, less one.
fn nodes(symbols: &[(u16, u16)], beyond_first: &[u16]) -> Vec<Node> {
    // A symbol is longer than its halves.
    let mut by_length: Vec<usize> = (0..symbols.len()).collect();
    by_length.sort_unstable_by_key(|&symbol| beyond_first[symbol]);
    let mut nodes = vec![Node::default(); symbols.len()];
    for symbol in by_length {
        let (left, right) = symbols[symbol];
        nodes[symbol].left = left;
        if right == LEAF {
            continue;
        }
        let halves = [left, right].map(|half| nodes[usize::from(half)]);
        let [value, other] = halves.map(|half| (half.left_len == 0).then_some(half.left));
        match value {
            Some(value) if other == Some(value) => nodes[symbol].left = value,
            _ => {
                nodes[symbol].right = right;
                nodes[symbol].left_len = beyond_first[usize::from(left)] + 1;
            }
        }
    }
    nodes
}

/// Eight bytes from an offset on as a big-endian number; bytes beyond the end are 0.
#[inline]
fn eight_bytes(bytes: &[u8], from: usize) -> u64 {
    match bytes.get(from..).and_then(<[u8]>::first_chunk) {
        Some(eight) => u64::from_be_bytes(*eight),
        None => (from..from + 8).fold(0, |word, at| {
            word << 8 | u64::from(bytes.get(at).copied().unwrap_or(0))
        }),
    }
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
