//! Blocks of codes, compressed so that one code is found without decoding its whole block.
//!
//! A *row* is the 64 codes of a word, a *group* is eight rows. A block is: one byte, the bytes of a length (1 or 2); 8
//! bytes, a bit for each of its 64 groups that has a code other than 0; the lengths of these groups; these groups. A group
//! is a stream of bits, the lowest bit of a byte first: the first state, the mask of its rows that have a code other than 0,
//! and the codes of these rows, all of them as [`RowModel`] says.

use crate::store::row_model::{
    Classes, ESCAPE, EncodingTable, MASKS, RowModel, STATE_BITS, STATES,
};

/// Codes of a row.
pub(super) const ROW: usize = 64;
/// Codes of a group.
pub(super) const GROUP: usize = 8 * ROW;
/// The most groups of a block.
const GROUPS: usize = 64;
/// Zeros after a block, so that bits can be read eight bytes at a time, up to eight bytes ahead.
pub(super) const PADDING: usize = 16;
/// Zeros after which the last other code of a row is not in the context of the next any more.
const FORGOTTEN: u8 = 3;

/// The classes of the codes around a code of a group. A class is 0 exactly if the code is 0.
#[derive(Clone, Debug)]
pub(super) struct Neighbours {
    /// By square: the class of the code in the row above or, if that is 0, of the one above it.
    above: [u8; ROW],
    /// By square: the class of the code in the row above.
    last: [u8; ROW],
    /// The class of the code to the left or, if one or two codes there are 0, of the one before.
    left: u8,
    zeros: u8,
}

impl Default for Neighbours {
    fn default() -> Self {
        Self {
            above: [0; ROW],
            last: [0; ROW],
            left: 0,
            zeros: 0,
        }
    }
}

impl Neighbours {
    #[inline]
    pub(super) fn start_row(&mut self) {
        self.left = 0;
        self.zeros = 0;
    }

    /// Returns the context of a square.
    #[inline]
    pub(super) fn context(&self, square: usize) -> usize {
        usize::from(self.above[square]) + usize::from(self.left)
    }

    /// Sets the code of a square by its classes as a code above and a code to the left; squares ascend.
    #[inline]
    pub(super) fn set(&mut self, square: usize, above: u8, left: u8) {
        let last = self.last[square];
        self.above[square] = if above != 0 { above } else { last };
        self.last[square] = above;
        self.zeros = if left == 0 { self.zeros + 1 } else { 0 };
        let kept = if self.zeros < FORGOTTEN { self.left } else { 0 };
        self.left = if left != 0 { left } else { kept };
    }
}

/// Compresses blocks.
#[derive(Clone, Debug)]
pub(crate) struct RowEncoder {
    model: RowModel,
    tables: Vec<EncodingTable>,
}

impl RowEncoder {
    pub(crate) fn new(model: RowModel) -> Self {
        let tables = model.encoding_table();
        Self { model, tables }
    }

    pub(crate) fn model(&self) -> &RowModel {
        &self.model
    }

    /// Compresses a block of whole groups.
    pub(crate) fn encode(&self, codes: &[u16]) -> Vec<u8> {
        let (mut lengths, mut data, mut filled) = (Vec::new(), Vec::new(), 0u64);
        for (number, group) in codes.chunks_exact(GROUP).enumerate() {
            let before = data.len();
            if self.encode_group(group, &mut data) {
                filled |= 1 << number;
                lengths.push((data.len() - before) as u16);
            }
        }
        let wide = lengths.iter().any(|&length| length > u16::from(u8::MAX));
        let mut block = vec![if wide { 2 } else { 1 }];
        block.extend(filled.to_le_bytes());
        for length in lengths {
            block.extend(&length.to_le_bytes()[..if wide { 2 } else { 1 }]);
        }
        block.extend(data);
        block
    }

    /// Appends a group; returns false if all its codes are 0.
    fn encode_group(&self, group: &[u16], data: &mut Vec<u8>) -> bool {
        let mut symbols = Vec::with_capacity(GROUP + 1);
        self.model.visit(group, |context, symbol| {
            symbols.push((context, symbol));
        });
        if symbols.is_empty() {
            return false;
        }
        // The decoder ends where the encoder begins.
        let mut state = STATES as u16;
        let mut pieces = Vec::with_capacity(symbols.len() + 1);
        for &(context, symbol) in symbols.iter().rev() {
            let table = &self.tables[context];
            if table.has(symbol) && symbol != ESCAPE {
                pieces.push(table.encode(symbol, &mut state));
            } else {
                let (bits, count) = table.encode(ESCAPE, &mut state);
                pieces.push((u16::from(symbol), 8));
                pieces.push((bits, count));
            }
        }
        pieces.push((state - STATES as u16, STATE_BITS));
        let (mut buffer, mut filled) = (0u64, 0);
        for &(bits, count) in pieces.iter().rev() {
            buffer |= u64::from(bits) << filled;
            filled += count;
            while filled >= 8 {
                data.push(buffer as u8);
                buffer >>= 8;
                filled -= 8;
            }
        }
        if filled > 0 {
            data.push(buffer as u8);
        }
        true
    }
}

/// Decodes blocks.
#[derive(Clone, Debug)]
pub(crate) struct RowDecoder {
    classes: Classes,
    table: Vec<u32>,
}

impl RowDecoder {
    pub(crate) fn new(model: &RowModel) -> Self {
        Self {
            classes: model.classes.clone(),
            table: model.decoding_table(),
        }
    }

    /// Bytes of memory of the decoder.
    pub(crate) fn bytes(&self) -> u64 {
        4 * self.table.len() as u64
    }

    /// Returns a code of a block, which is followed by [`PADDING`] zeros; `None` if the block is damaged.
    pub(crate) fn code(&self, block: &[u8], at: usize) -> Option<u16> {
        let Some(group) = Groups::of(block)?.group(at / GROUP)? else {
            return Some(0);
        };
        let mut found = None;
        self.decode_group(group, at % GROUP + 1, |place, code| {
            if place == at % GROUP {
                found = Some(code);
            }
        })?;
        Some(found.unwrap_or(0).into())
    }

    /// Decodes the `count` codes of a block, which is followed by [`PADDING`] zeros; `None` if it is damaged.
    pub(crate) fn decode(&self, block: &[u8], count: usize) -> Option<Vec<u16>> {
        let groups = Groups::of(block)?;
        let mut codes = vec![0; count];
        for (number, codes) in codes.chunks_mut(GROUP).enumerate() {
            if let Some(group) = groups.group(number)? {
                self.decode_group(group, codes.len(), |place, code| {
                    codes[place] = code.into();
                })?;
            }
        }
        Some(codes)
    }

    /// Calls `emit` with the place and value of the first `count` codes of a group, without those of rows of zeros.
    #[inline]
    fn decode_group(
        &self,
        group: &[u8],
        count: usize,
        mut emit: impl FnMut(usize, u8),
    ) -> Option<()> {
        let mut bits = BitReader {
            bytes: group,
            at: 0,
            window: 0,
            filled: 0,
        };
        bits.fill()?;
        let mut state = bits.take(STATE_BITS);
        // The symbol, and its class as a code to the left.
        let mut symbol = |context: usize| {
            bits.fill()?;
            let entry = self.table[context << STATE_BITS | state as usize];
            state = (entry >> 16) + bits.take(entry >> 8 & 15);
            match entry as u8 {
                ESCAPE => {
                    let code = bits.take(8) as u8;
                    Some((code, self.classes.left[usize::from(code)]))
                }
                symbol => Some((symbol, (entry >> 12 & 15) as u8)),
            }
        };
        let mask = symbol(MASKS)?.0.checked_add(1)?;
        let mut neighbours = Neighbours::default();
        for row in 0..count.div_ceil(ROW) {
            if mask >> row & 1 == 0 {
                neighbours = Neighbours::default();
                continue;
            }
            neighbours.start_row();
            for square in 0..ROW.min(count - row * ROW) {
                let (code, left) = symbol(neighbours.context(square))?;
                neighbours.set(square, self.classes.above[usize::from(code)], left);
                emit(row * ROW + square, code);
            }
        }
        Some(())
    }
}

/// The directory of a block.
struct Groups<'a> {
    width: usize,
    filled: u64,
    rest: &'a [u8],
}

impl<'a> Groups<'a> {
    fn of(block: &'a [u8]) -> Option<Self> {
        let (&width, rest) = block.split_first()?;
        let (filled, rest) = rest.split_first_chunk::<8>()?;
        matches!(width, 1 | 2).then(|| Self {
            width: width.into(),
            filled: u64::from_le_bytes(*filled),
            rest,
        })
    }

    /// Returns the bytes of a group and [`PADDING`] bytes after it; `Some(None)` if all its codes are 0, `None` if the block is
    /// damaged.
    #[inline]
    fn group(&self, number: usize) -> Option<Option<&'a [u8]>> {
        if number >= GROUPS || self.filled >> number & 1 == 0 {
            return Some(None);
        }
        let before = (self.filled & ((1 << number) - 1)).count_ones() as usize;
        let groups = self.filled.count_ones() as usize;
        let lengths = self.rest.get(..groups * self.width)?;
        let length = |i: usize| match self.width {
            1 => usize::from(lengths[i]),
            _ => usize::from(u16::from_le_bytes([lengths[2 * i], lengths[2 * i + 1]])),
        };
        let start = groups * self.width + (0..before).map(length).sum::<usize>();
        let end = start + length(before) + PADDING;
        Some(Some(self.rest.get(start..end)?))
    }
}

/// Reads bits, the lowest of a byte first.
struct BitReader<'a> {
    /// [`PADDING`] bytes more than have bits to read.
    bytes: &'a [u8],
    /// The first byte that is not in the window.
    at: usize,
    /// The next bits, and zeros or the bits after them.
    window: u64,
    /// How many bits of the window count.
    filled: u32,
}

impl BitReader<'_> {
    /// Makes at least 18 bits ready: those of a state and an escaped code. `None` beyond the end.
    #[inline]
    fn fill(&mut self) -> Option<()> {
        if self.filled < 18 {
            let bytes = self.bytes.get(self.at..)?.first_chunk::<8>()?;
            self.window |= u64::from_le_bytes(*bytes) << self.filled;
            self.at += ((63 - self.filled) / 8) as usize;
            self.filled |= 56;
        }
        Some(())
    }

    /// Returns the next bits, which must be ready.
    #[inline]
    fn take(&mut self, count: u32) -> u32 {
        let bits = self.window as u32 & ((1 << count) - 1);
        self.window >>= count;
        self.filled -= count;
        bits
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Codes as they occur: runs, rows like those above them, zeros, and rare codes.
    fn codes(seed: u64, groups: usize) -> Vec<u16> {
        let mut state = seed | 1;
        let mut random = |n: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % n
        };
        let mut codes = vec![0u16; groups * GROUP];
        for at in 0..codes.len() {
            if at % ROW == 0 && random(3) == 0 {
                continue;
            }
            codes[at] = match random(8) {
                0 => 0,
                1 => random(255) as u16,
                2..5 => codes[at.saturating_sub(ROW)],
                _ => codes[at.saturating_sub(1)],
            };
        }
        let empty = groups / 3 * GROUP..groups / 2 * GROUP;
        codes[empty].fill(0);
        codes
    }

    fn padded(mut block: Vec<u8>) -> Vec<u8> {
        block.extend([0; PADDING]);
        block
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn blocks_are_decoded_whole_and_code_by_code(seed: u64, groups in 1usize..65) {
            // Statistics of other codes: some symbols are unknown and need the escape.
            let model = RowModel::of(&[codes(seed ^ 0x9e37_79b9, 2)]);
            let read = RowModel::from_bytes(&model.to_bytes()).unwrap();
            prop_assert!(read == model);
            let codes = codes(seed, groups);
            let block = padded(RowEncoder::new(model).encode(&codes));
            let decoder = RowDecoder::new(&read);
            prop_assert!(decoder.decode(&block, codes.len()).unwrap() == codes);
            for at in (0..codes.len()).step_by(97) {
                prop_assert_eq!(decoder.code(&block, at), Some(codes[at]));
            }
        }

        #[test]
        fn damaged_blocks_do_not_panic(seed: u64, at: prop::sample::Index, bit in 0u32..8) {
            let codes = codes(seed, 8);
            let model = RowModel::of(std::slice::from_ref(&codes));
            let mut block = padded(RowEncoder::new(model.clone()).encode(&codes));
            let at = at.index(block.len());
            block[at] ^= 1u8 << bit;
            let decoder = RowDecoder::new(&model);
            if let Some(decoded) = decoder.decode(&block, codes.len()) {
                prop_assert_eq!(decoded.len(), codes.len());
            }
        }
    }

    #[test]
    fn statistics_of_nothing_are_usable() {
        let model = RowModel::of(&[]);
        let codes = codes(7, 3);
        let block = padded(RowEncoder::new(model.clone()).encode(&codes));
        let decoder = RowDecoder::new(&model);
        assert!(decoder.decode(&block, codes.len()).unwrap() == codes);
    }
}
