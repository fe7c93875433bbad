//! Decodes blocks of rows.

use std::ops::Range;

use everymove_kernel::dispatch::{self, Task};

use crate::store::row_model::{Classes, ESCAPE, MASKS, RowModel, STATE_BITS};
use crate::store::rows::{Above, GROUP, GROUPS, Left, PADDING, ROW};

/// Codes for which a full window of bits is enough, escapes left out.
const FILLED: usize = 4;

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

    /// Returns a code of a block, which is followed by [`PADDING`] zeros; `None` if the block is
    /// damaged.
    pub(crate) fn code(&self, block: &[u8], at: usize) -> Option<u16> {
        let Some(bytes) = Groups::of(block)?.group(at / GROUP)? else {
            return Some(0);
        };
        let (row, square) = (at % GROUP / ROW, at % ROW);
        let mut group = Group::new(self, bytes, 0)?;
        if group.mask >> row & 1 == 0 {
            return Some(0);
        }
        let mut codes = [[0; ROW]];
        while group.next_row()? < row {
            self.decode_rows([&mut group], ROW, &mut codes)?;
        }
        self.decode_rows([&mut group], square + 1, &mut codes)?;
        Some(codes[0][square].into())
    }

    /// Decodes the codes of a block, which is followed by [`PADDING`] zeros, from the beginning of
    /// a group on; `None` if it is damaged.
    pub(crate) fn decode(&self, block: &[u8], range: Range<usize>) -> Option<Vec<u16>> {
        debug_assert!(range.start.is_multiple_of(GROUP));
        let mut codes = vec![0; range.len()];
        dispatch::run(BlockTask {
            decoder: self,
            block,
            first: range.start,
            codes: &mut codes,
        })?;
        Some(codes)
    }

    /// Decodes the codes of a block from `first` on into zeros. Two groups are decoded at a time:
    /// each code of a group depends on the one before it, so that a processor would be idle
    /// most of the time otherwise.
    #[inline(always)]
    fn decode_into(&self, block: &[u8], first: usize, codes: &mut [u16]) -> Option<()> {
        let mut groups = Groups::of(block)?.filled()?;
        let wanted = first..first + codes.len();
        let mut next = || -> Option<Option<Group<'_>>> {
            while let Some((number, bytes)) = groups.next()? {
                if wanted.contains(&(number * GROUP)) {
                    return Group::new(self, bytes, number * GROUP - first).map(Some);
                }
            }
            Some(None)
        };
        let (mut one, mut other) = (next()?, next()?);
        while let (Some(a), Some(b)) = (&mut one, &mut other) {
            let from = [a.next_place()?, b.next_place()?];
            let mut rows = [[0; ROW]; 2];
            self.decode_rows([a, b], ROW, &mut rows)?;
            put(codes, from[0], &rows[0]);
            put(codes, from[1], &rows[1]);
            if a.mask == 0 {
                one = next()?;
            }
            if b.mask == 0 {
                other = next()?;
            }
        }
        // There are no others then.
        if let Some(mut last) = one.or(other) {
            while last.mask != 0 {
                let from = last.next_place()?;
                let mut rows = [[0; ROW]];
                self.decode_rows([&mut last], ROW, &mut rows)?;
                put(codes, from, &rows[0]);
            }
        }
        Some(())
    }

    /// Decodes the first `count` codes of the next row of each of some groups; the other codes of
    /// `rows` are not defined afterwards.
    #[inline(always)]
    #[expect(
        clippy::needless_range_loop,
        reason = "a square is an index of several arrays"
    )]
    fn decode_rows<const N: usize>(
        &self,
        groups: [&mut Group<'_>; N],
        count: usize,
        rows: &mut [[u8; ROW]; N],
    ) -> Option<()> {
        // Copies, so that they are in registers.
        let mut bits: [BitReader<'_>; N] = std::array::from_fn(|i| groups[i].bits);
        let mut states: [u32; N] = std::array::from_fn(|i| groups[i].state);
        let mut lefts = [Left::default(); N];
        for first in (0..count).step_by(FILLED) {
            for bits in &mut bits {
                bits.fill()?;
            }
            for square in first..first + FILLED {
                for i in 0..N {
                    let above = u32::from(groups[i].above.context(square)) << STATE_BITS;
                    let entry = self.table[(above + lefts[i].context() + states[i]) as usize];
                    states[i] = (entry >> 16) + bits[i].take(entry >> 8 & 15);
                    let mut code = entry as u8;
                    // The class as a code to the left, times the states of a context.
                    let mut left = (entry & 0xf000) >> 12 << STATE_BITS;
                    if code == ESCAPE {
                        bits[i].fill()?;
                        code = bits[i].take(8) as u8;
                        left = u32::from(self.classes.left[usize::from(code)]) << STATE_BITS;
                        bits[i].fill()?;
                    }
                    lefts[i].push(left);
                    groups[i]
                        .above
                        .set(square, self.classes.above[usize::from(code)]);
                    rows[i][square] = code;
                }
            }
        }
        for (group, (bits, state)) in groups.into_iter().zip(bits.into_iter().zip(states)) {
            group.bits = bits;
            group.state = state;
        }
        Some(())
    }
}

/// Decoding of a block.
struct BlockTask<'a> {
    decoder: &'a RowDecoder,
    block: &'a [u8],
    first: usize,
    codes: &'a mut [u16],
}

impl Task for BlockTask<'_> {
    type Output = Option<()>;

    #[inline(always)]
    fn run(self) -> Option<()> {
        self.decoder.decode_into(self.block, self.first, self.codes)
    }
}

/// Stores a row of codes, as far as it is within a slice.
#[inline(always)]
fn put(codes: &mut [u16], from: usize, row: &[u8; ROW]) {
    let to = codes.get_mut(from..).unwrap_or_default();
    for (to, &code) in to.iter_mut().zip(row) {
        *to = code.into();
    }
}

/// A group that is being decoded.
struct Group<'a> {
    bits: BitReader<'a>,
    state: u32,
    /// The rows that are still to be decoded.
    mask: u8,
    /// The row after the one that was decoded last.
    after: usize,
    above: Above,
    /// The place of the group in its block.
    place: usize,
}

impl<'a> Group<'a> {
    /// Decodes the mask of rows; `None` if the group is damaged.
    #[inline(always)]
    fn new(decoder: &RowDecoder, bytes: &'a [u8], place: usize) -> Option<Self> {
        let mut bits = BitReader {
            bytes,
            at: 0,
            window: 0,
            filled: 0,
        };
        bits.fill()?;
        let state = bits.take(STATE_BITS);
        let entry = decoder.table[MASKS << STATE_BITS | state as usize];
        let state = (entry >> 16) + bits.take(entry >> 8 & 15);
        let symbol = match entry as u8 {
            ESCAPE => bits.take(8) as u8,
            symbol => symbol,
        };
        Some(Self {
            bits,
            state,
            mask: symbol.checked_add(1)?,
            after: 0,
            above: Above::default(),
            place,
        })
    }

    /// Returns the number of the next row, which is to be decoded then; `None` if there is none.
    #[inline(always)]
    fn next_row(&mut self) -> Option<usize> {
        let row = self.mask.trailing_zeros() as usize;
        if self.mask == 0 {
            return None;
        }
        // A row of zeros is between.
        if row != self.after {
            self.above = Above::default();
        }
        self.mask &= self.mask - 1;
        self.after = row + 1;
        Some(row)
    }

    /// As [`Group::next_row`], but returns the place of the row in the block.
    #[inline(always)]
    fn next_place(&mut self) -> Option<usize> {
        Some(self.place + self.next_row()? * ROW)
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

    /// The groups with codes other than 0; `None` if the block is damaged.
    #[inline(always)]
    fn filled(&self) -> Option<FilledGroups<'a>> {
        let groups = self.filled.count_ones() as usize;
        let (lengths, data) = self.rest.split_at_checked(groups * self.width)?;
        Some(FilledGroups {
            width: self.width,
            left: self.filled,
            lengths,
            data,
        })
    }

    /// Returns the bytes of a group and [`PADDING`] bytes after it; `Some(None)` if all its codes
    /// are 0, `None` if the block is damaged.
    #[inline]
    fn group(&self, number: usize) -> Option<Option<&'a [u8]>> {
        if number >= GROUPS || self.filled >> number & 1 == 0 {
            return Some(None);
        }
        let before = (self.filled & ((1 << number) - 1)).count_ones() as usize;
        let mut groups = self.filled()?;
        let skipped = (0..before).map(|_| groups.length()).sum::<usize>();
        groups.data = groups.data.get(skipped..)?;
        let length = groups.length();
        Some(Some(groups.data.get(..length + PADDING)?))
    }
}

/// The groups of a block that have codes other than 0.
struct FilledGroups<'a> {
    width: usize,
    left: u64,
    lengths: &'a [u8],
    data: &'a [u8],
}

impl<'a> FilledGroups<'a> {
    /// The length of the next group; 0 after the last.
    #[inline(always)]
    fn length(&mut self) -> usize {
        let Some((length, rest)) = self.lengths.split_at_checked(self.width) else {
            return 0;
        };
        self.lengths = rest;
        match *length {
            [low, high] => usize::from(u16::from_le_bytes([low, high])),
            _ => usize::from(length[0]),
        }
    }

    /// The number of the next group, its bytes and [`PADDING`] bytes after it; `Some(None)` after
    /// the last, `None` if the block is damaged.
    #[inline(always)]
    fn next(&mut self) -> Option<Option<(usize, &'a [u8])>> {
        if self.left == 0 {
            return Some(None);
        }
        let number = self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        let length = self.length();
        let bytes = self.data.get(..length + PADDING)?;
        self.data = &self.data[length..];
        Some(Some((number, bytes)))
    }
}

/// Reads bits, the lowest of a byte first.
#[derive(Clone, Copy)]
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
    /// Makes at least 56 bits ready. `None` beyond the end.
    #[inline(always)]
    fn fill(&mut self) -> Option<()> {
        let bytes = self.bytes.get(self.at..)?.first_chunk::<8>()?;
        self.window |= u64::from_le_bytes(*bytes) << self.filled;
        self.at += ((63 - self.filled) / 8) as usize;
        self.filled |= 56;
        Some(())
    }

    /// Returns the next bits, which must be ready.
    #[inline(always)]
    fn take(&mut self, count: u32) -> u32 {
        let bits = self.window as u32 & ((1 << count) - 1);
        self.window >>= count;
        self.filled -= count;
        bits
    }
}
