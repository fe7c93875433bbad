//! Blocks of codes, compressed so that one code is found without decoding its whole block.
//!
//! A *row* is the 64 codes of a word, a *group* is eight rows. A block is: one byte, the bytes of a
//! length (1 or 2); 8 bytes, a bit for each of its 64 groups that has a code other than 0; the
//! lengths of these groups; these groups. A group is a stream of bits, the lowest bit of a byte
//! first: the first state, the mask of its rows that have a code other than 0, and the codes of
//! these rows, all of them as [`RowModel`] says.

use crate::store::row_model::{ESCAPE, EncodingTable, RowModel, STATE_BITS, STATES};

/// Codes of a row.
pub(super) const ROW: usize = 64;
/// Codes of a group.
pub(super) const GROUP: usize = 8 * ROW;
/// The most groups of a block.
pub(super) const GROUPS: usize = 64;
/// Zeros after a block, so that bits can be read eight bytes at a time, up to eight bytes ahead.
pub(super) const PADDING: usize = 16;

/// The classes of the codes above a row of a group. A class is 0 exactly if the code is 0.
#[derive(Clone, Debug)]
pub(super) struct Above {
    /// By square: the class of the code in the row above or, if that is 0, of the one above it.
    context: [u8; ROW],
    /// By square: the class of the code in the row above.
    last: [u8; ROW],
}

impl Default for Above {
    fn default() -> Self {
        Self {
            context: [0; ROW],
            last: [0; ROW],
        }
    }
}

impl Above {
    /// Returns the part of a square's context that the codes above it decide.
    #[inline(always)]
    pub(super) fn context(&self, square: usize) -> u8 {
        self.context[square]
    }

    /// Sets the class of the code of a square, for the rows below.
    #[inline(always)]
    pub(super) fn set(&mut self, square: usize, class: u8) {
        let last = self.last[square];
        self.context[square] = if class != 0 { class } else { last };
        self.last[square] = class;
    }
}

/// The classes of the codes to the left in a row, or multiples of them. A class is 0 exactly if the
/// code is 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Left {
    context: u32,
    /// The classes of the last two codes, the last one first.
    last: [u32; 2],
}

impl Left {
    /// Returns the part of the next code's context that the codes to its left decide: the class of
    /// the last of three that is not 0.
    #[inline(always)]
    pub(super) fn context(self) -> u32 {
        self.context
    }

    /// Appends the class of a code.
    #[inline(always)]
    pub(super) fn push(&mut self, class: u32) {
        let [last, before] = self.last;
        let kept = if last != 0 { last } else { before };
        self.context = if class != 0 { class } else { kept };
        self.last = [class, last];
    }
}

/// Compresses blocks.
#[derive(Clone, Debug)]
pub(crate) struct RowEncoder {
    model: RowModel,
    table: EncodingTable,
}

/// Memory for a group that is being compressed.
struct Workspace {
    /// The contexts and symbols of the group.
    symbols: [(u8, u8); GROUP + 1],
    /// The bits of the group from its end, the lowest ones last: some of them, and how many.
    words: Vec<(u64, u32)>,
}

impl RowEncoder {
    pub(crate) fn new(model: RowModel) -> Self {
        let table = model.encoding_table();
        Self { model, table }
    }

    pub(crate) fn model(&self) -> &RowModel {
        &self.model
    }

    /// Compresses a block of whole groups.
    pub(crate) fn encode(&self, codes: &[u16]) -> Vec<u8> {
        let (mut lengths, mut data, mut filled) = (Vec::new(), Vec::new(), 0u64);
        let mut workspace = Workspace {
            symbols: [(0, 0); GROUP + 1],
            words: Vec::new(),
        };
        for (number, group) in codes.chunks_exact(GROUP).enumerate() {
            let before = data.len();
            if self.encode_group(group, &mut workspace, &mut data) {
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
    fn encode_group(&self, group: &[u16], workspace: &mut Workspace, data: &mut Vec<u8>) -> bool {
        let Workspace { symbols, words } = workspace;
        let mut count = 0;
        self.model.visit(group, |context, symbol| {
            symbols[count] = (context as u8, symbol);
            count += 1;
        });
        if count == 0 {
            return false;
        }
        words.clear();
        // The decoder ends where the encoder begins.
        let mut state = STATES as u32;
        let (mut word, mut filled) = (0u64, 0);
        let mut put = |word: &mut u64, (bits, count): (u32, u32)| {
            // A state or an escaped code may follow.
            if filled > 64 - STATE_BITS {
                words.push((*word, filled));
                (*word, filled) = (0, 0);
            }
            *word = *word << count | u64::from(bits);
            filled += count;
        };
        for &(context, symbol) in symbols[..count].iter().rev() {
            if let Some(bits) = self.table.encode(context, symbol, &mut state) {
                put(&mut word, bits);
            } else if let Some(bits) = self.table.encode(context, ESCAPE, &mut state) {
                put(&mut word, (u32::from(symbol), 8));
                put(&mut word, bits);
            }
        }
        put(&mut word, (state - STATES as u32, STATE_BITS));
        words.push((word, filled));
        let (mut buffer, mut filled) = (0u128, 0);
        for &(bits, count) in words.iter().rev() {
            buffer |= u128::from(bits) << filled;
            filled += count;
            data.extend_from_slice(&buffer.to_le_bytes()[..filled as usize / 8]);
            buffer >>= filled / 8 * 8;
            filled %= 8;
        }
        if filled > 0 {
            data.push(buffer as u8);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::row_decoder::RowDecoder;

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
            prop_assert!(decoder.decode(&block, 0..codes.len()).unwrap() == codes);
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
            if let Some(decoded) = decoder.decode(&block, 0..codes.len()) {
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
        assert!(decoder.decode(&block, 0..codes.len()).unwrap() == codes);
    }
}
