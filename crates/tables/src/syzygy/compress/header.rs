//! The header of a sub-table's compressed values: a canonical Huffman code and Re-Pair symbols.

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
    /// Bits of the shortest code word.
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
