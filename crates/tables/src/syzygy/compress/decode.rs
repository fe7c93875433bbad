//! A sub-table's values as the file holds them: symbols that stand for pairs of symbols, a prefix code, blocks.

use crate::syzygy::error::SyzygyError;

/// The right half of a symbol that stands for one value, its left half.
pub(crate) const LEAF: u16 = 0xfff;
/// The most symbols there may be.
pub(crate) const MAX_SYMBOLS: usize = 4095;
/// The longest code word in bits.
pub(crate) const MAX_BITS: u8 = 32;
/// The longest block, as a power of two of bytes.
const MAX_BLOCK: u8 = 15;

/// The head of a sub-table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// Bytes of a block, as a power of two.
    pub(crate) block: u8,
    /// Positions from one entry of the index to the next, as a power of two.
    pub(crate) span: u8,
    /// Entries of the table of sizes beyond the blocks.
    pub(crate) padding: u8,
    pub(crate) blocks: u32,
    /// Bits of the shortest code word.
    pub(crate) min_bits: u8,
    /// By bits of a code word, from the shortest: the lowest symbol that has so long a word.
    pub(crate) lowest: Vec<u16>,
    /// Both halves of each symbol.
    pub(crate) symbols: Vec<(u16, u16)>,
}

impl Head {
    /// Reads a head; gives it with its length in bytes.
    pub(crate) fn read(bytes: &[u8]) -> Result<(Self, usize), SyzygyError> {
        let byte = |at: usize| bytes.get(at).copied().ok_or(SyzygyError::Truncated);
        let word =
            |at: usize| Ok::<u16, SyzygyError>(u16::from_le_bytes([byte(at)?, byte(at + 1)?]));
        let (block, span, padding) = (byte(0)?, byte(1)?, byte(2)?);
        let blocks = u32::from(word(3)?) | u32::from(word(5)?) << 16;
        let (max_bits, min_bits) = (byte(7)?, byte(8)?);
        if block > MAX_BLOCK || span > 31 {
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
        let head = Self {
            block,
            span,
            padding,
            blocks,
            min_bits,
            lowest,
            symbols,
        };
        // A list of an odd number of symbols is followed by a byte without meaning.
        Ok((head, at + 2 + 3 * count + count % 2))
    }

    /// The bytes of the head.
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        to.extend([self.block, self.span, self.padding]);
        to.extend(self.blocks.to_le_bytes());
        to.extend([self.min_bits + self.lowest.len() as u8 - 1, self.min_bits]);
        // The file lists them from the shortest to the longest.
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

    /// Entries of the index of a sub-table of so many positions.
    pub(crate) fn entries(&self, positions: u64) -> u64 {
        positions.div_ceil(1 << self.span)
    }
}

/// What a prefix code and a list of symbols mean.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    min_bits: u8,
    lowest: Vec<u16>,
    /// By bits of a code word, from the shortest: the first word of so many bits, from the highest bit of 64 down.
    base: Vec<u64>,
    symbols: Vec<(u16, u16)>,
    /// By symbol: how many values it stands for.
    lengths: Vec<u32>,
}

impl Decoder {
    /// Checks that the symbols are made of each other without circles and that the code is one.
    pub(crate) fn new(head: &Head) -> Result<Self, SyzygyError> {
        let lengths = lengths(&head.symbols)?;
        let count = head.lowest.len();
        let mut base = vec![0u64; count];
        for i in (0..count - 1).rev() {
            let symbols = head.lowest[i].checked_sub(head.lowest[i + 1]);
            let symbols =
                symbols.ok_or(SyzygyError::Inconsistent("code words are out of order"))?;
            base[i] = (base[i + 1] + u64::from(symbols)) / 2;
        }
        for (i, base) in base.iter_mut().enumerate() {
            let bits = u32::from(head.min_bits) + i as u32;
            if *base >> bits != 0 {
                return Err(SyzygyError::Inconsistent(
                    "there are more code words than bits allow",
                ));
            }
            *base <<= 64 - bits;
        }
        Ok(Self {
            min_bits: head.min_bits,
            lowest: head.lowest.clone(),
            base,
            symbols: head.symbols.clone(),
            lengths,
        })
    }

    /// Decodes a block of `count` values, calling `emit` with each of its symbols in order and how many of the symbol's
    /// values count. The last symbol may stand for more than the block holds: then only its first values count.
    pub(crate) fn symbols_of(
        &self,
        block: &[u8],
        count: usize,
        mut emit: impl FnMut(u16, usize),
    ) -> Result<(), SyzygyError> {
        let mut bits = Bits::new(block);
        let mut left = count;
        while left > 0 {
            let word = bits.peek();
            let place = self.base.iter().position(|&base| word >= base);
            let place = place.ok_or(SyzygyError::Inconsistent("a block holds no code word"))?;
            let width = u32::from(self.min_bits) + place as u32;
            let number = (word - self.base[place]) >> (64 - width);
            let symbol = u64::from(self.lowest[place]) + number;
            let length = self.lengths.get(symbol as usize);
            let &length =
                length.ok_or(SyzygyError::Inconsistent("a block holds an unknown symbol"))?;
            bits.skip(width)?;
            let taken = left.min(length as usize);
            emit(symbol as u16, taken);
            left -= taken;
        }
        Ok(())
    }

    /// One of the values that a symbol stands for.
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

/// How many values each symbol stands for.
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

/// A block read bit by bit from the highest bit of the first byte.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    buffer: u64,
    filled: u32,
    used: usize,
}

impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            buffer: 0,
            filled: 0,
            used: 0,
        }
    }

    /// The next bits, at least 32 of them, from the highest down; zeros after the end.
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
