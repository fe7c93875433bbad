//! Statistics by which rows of codes are compressed: tables of an asymmetric numeral system, one
//! for each context.
//!
//! A row is the 64 codes of a word of positions. The context of a code is the code above it (the
//! same square in the row before) and the code to its left. The coder is J. Duda's tabled
//! asymmetric numeral system ("Asymmetric numeral systems: entropy coding combining speed of
//! Huffman coding with compression rate of arithmetic coding", 2013): all contexts have
//! tables of [`STATES`] entries, so that the state is carried from one context to the next.

use everymove_kernel::files::{compress, decompress};

use crate::store::rows::{Above, GROUP, Left, ROW};

/// Binary logarithm of [`STATES`].
pub(super) const STATE_BITS: u32 = 10;
/// Entries of a table.
pub(super) const STATES: usize = 1 << STATE_BITS;
/// Classes of the code above.
const ABOVE: usize = 16;
/// Classes of the code to the left.
const LEFT: usize = 8;
/// Context of the mask that says which rows of a group have a code other than 0.
pub(super) const MASKS: usize = ABOVE * LEFT;
/// Number of contexts.
const CONTEXTS: usize = MASKS + 1;
/// Symbols of a context: the codes 0 to 254, and [`ESCAPE`].
const SYMBOLS: usize = 256;
/// The symbol before a code of 8 bits that the statistics do not have.
pub(super) const ESCAPE: u8 = 255;
/// Level of zstd for the statistics.
const EFFORT: i32 = 19;
/// Bytes of the statistics before their compression.
const SERIALISED: usize = 2 * SYMBOLS + 2 * CONTEXTS * SYMBOLS;

/// The statistics of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowModel {
    pub(super) classes: Classes,
    /// By context and symbol: how many of the [`STATES`] entries it has.
    shares: Vec<[u16; SYMBOLS]>,
}

/// The classes of codes, of which contexts are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Classes {
    /// Class of a code that is above another, times [`LEFT`].
    pub(super) above: [u8; SYMBOLS],
    /// Class of a code to the left of another.
    pub(super) left: [u8; SYMBOLS],
}

impl RowModel {
    /// Returns the statistics of blocks of whole groups; no code may exceed 254.
    pub(crate) fn of(sample: &[Vec<u16>]) -> Self {
        let mut histogram = [0u64; SYMBOLS];
        for &code in sample.iter().flatten() {
            histogram[usize::from(code)] += 1;
        }
        let mut model = Self {
            classes: Classes {
                above: classes(&histogram, ABOVE).map(|class| class * LEFT as u8),
                left: classes(&histogram, LEFT),
            },
            shares: Vec::new(),
        };
        let mut counts = vec![[0u64; SYMBOLS]; CONTEXTS];
        for group in sample.iter().flat_map(|block| block.chunks_exact(GROUP)) {
            model.visit(group, |context, symbol| {
                counts[context][usize::from(symbol)] += 1;
            });
        }
        model.shares = counts.iter().map(shares).collect();
        model
    }

    /// Calls `visit` with the context and symbol of the mask of rows and of each code of a group;
    /// not if all are 0.
    pub(super) fn visit(&self, group: &[u16], mut visit: impl FnMut(usize, u8)) {
        let rows = group.chunks_exact(ROW).enumerate();
        let mask = rows
            .clone()
            .filter(|(_, row)| row.iter().fold(0, |all, &code| all | code) != 0)
            .fold(0u8, |mask, (row, _)| mask | 1 << row);
        if mask == 0 {
            return;
        }
        visit(MASKS, mask - 1);
        let mut above = Above::default();
        for (number, row) in rows {
            if mask >> number & 1 == 0 {
                above = Above::default();
                continue;
            }
            let mut left = Left::default();
            for (square, &code) in row.iter().enumerate() {
                let context = usize::from(above.context(square)) + left.context() as usize;
                visit(context, code as u8);
                let code = usize::from(code);
                above.set(square, self.classes.above[code]);
                left.push(self.classes.left[code].into());
            }
        }
    }

    /// Returns the statistics as bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SERIALISED);
        bytes.extend(self.classes.above.map(|class| class / LEFT as u8));
        bytes.extend(self.classes.left);
        bytes.extend(self.shares.iter().flatten().flat_map(|n| n.to_le_bytes()));
        compress(&bytes, EFFORT)
    }

    /// The inverse of [`RowModel::to_bytes`]; `None` if these are no statistics.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes = decompress(bytes, SERIALISED).ok()?;
        let (classes, shares) = bytes.split_at_checked(2 * SYMBOLS)?;
        let (above, left) = classes.split_at(SYMBOLS);
        let fits = |classes: &[u8], count: usize| classes.iter().all(|&c| usize::from(c) < count);
        if !fits(above, ABOVE) || !fits(left, LEFT) || bytes.len() != SERIALISED {
            return None;
        }
        let mut model = Self {
            classes: Classes {
                above: [0; SYMBOLS],
                left: [0; SYMBOLS],
            },
            shares: vec![[0; SYMBOLS]; CONTEXTS],
        };
        for (class, &read) in model.classes.above.iter_mut().zip(above) {
            *class = read * LEFT as u8;
        }
        model.classes.left.copy_from_slice(left);
        let shares = shares.chunks_exact(2);
        for (share, read) in model.shares.iter_mut().flatten().zip(shares) {
            *share = u16::from_le_bytes([read[0], read[1]]);
        }
        let whole = |shares: &[u16; SYMBOLS]| {
            let sum = shares.iter().map(|&n| usize::from(n)).sum::<usize>();
            sum == STATES && shares[usize::from(ESCAPE)] > 0
        };
        model.shares.iter().all(whole).then_some(model)
    }

    /// Returns the tables of a decoder, by context and state: the symbol, the number of bits that
    /// follow it, the class of the symbol as a code to the left, and the next state less those
    /// bits, in 8, 4, 4 and 16 bits from the lowest.
    pub(super) fn decoding_table(&self) -> Vec<u32> {
        let mut table = Vec::with_capacity(CONTEXTS * STATES);
        for shares in &self.shares {
            let mut next = *shares;
            table.extend(spread(shares).iter().map(|&symbol| {
                let state = &mut next[usize::from(symbol)];
                let bits = STATE_BITS - state.ilog2();
                let base = (u32::from(*state) << bits) - STATES as u32;
                *state += 1;
                let left = u32::from(self.classes.left[usize::from(symbol)]);
                u32::from(symbol) | bits << 8 | left << 12 | base << 16
            }));
        }
        table
    }

    /// Returns the tables of an encoder.
    pub(super) fn encoding_table(&self) -> EncodingTable {
        let mut table = EncodingTable {
            symbols: Vec::with_capacity(CONTEXTS * SYMBOLS),
            states: vec![0; CONTEXTS * STATES],
        };
        for (shares, states) in self
            .shares
            .iter()
            .zip(table.states.chunks_exact_mut(STATES))
        {
            let mut first = 0u16;
            let mut next = [0; SYMBOLS];
            for (next, &share) in next.iter_mut().zip(shares) {
                *next = first;
                table.symbols.push(SymbolStates::new(first, share));
                first += share;
            }
            for (state, &symbol) in (STATES as u16..).zip(&spread(shares)) {
                let at = &mut next[usize::from(symbol)];
                states[usize::from(*at)] = state;
                *at += 1;
            }
        }
        table
    }
}

/// The tables of an encoder.
#[derive(Clone, Debug)]
pub(super) struct EncodingTable {
    /// By context and symbol.
    symbols: Vec<SymbolStates>,
    /// By context: the states of each symbol in ascending order, one symbol after the other.
    states: Vec<u16>,
}

/// The states of a symbol in a context.
#[derive(Clone, Copy, Debug)]
struct SymbolStates {
    /// The sum with a state has the number of bits to write in its upper half.
    bits: u32,
    /// Where the states of the symbol begin, less their number; [`SymbolStates::NONE`] for a
    /// symbol that the statistics do not have.
    first: i32,
}

impl SymbolStates {
    const NONE: i32 = i32::MIN;

    fn new(first: u16, share: u16) -> Self {
        if share == 0 {
            return Self {
                bits: 0,
                first: Self::NONE,
            };
        }
        // States of at least `share << most` give one bit more.
        let most = STATE_BITS - share.ilog2();
        Self {
            bits: (most << 16).wrapping_sub(u32::from(share) << most),
            first: i32::from(first) - i32::from(share),
        }
    }
}

impl EncodingTable {
    /// Encodes a symbol: changes the state, which is at least [`STATES`], and returns the bits to
    /// write, and how many; `None` if the statistics of the context do not have the symbol.
    #[inline]
    pub(super) fn encode(&self, context: u8, symbol: u8, state: &mut u32) -> Option<(u32, u32)> {
        let context = usize::from(context);
        let own = self.symbols[context * SYMBOLS + usize::from(symbol)];
        if own.first == SymbolStates::NONE {
            return None;
        }
        let before = *state;
        let bits = before.wrapping_add(own.bits) >> 16;
        let at = (before >> bits) as i32 + own.first;
        *state = self.states[context * STATES + at as usize].into();
        Some((before & ((1 << bits) - 1), bits))
    }
}

/// Divides the codes 1 to 255 into ascending classes from 1 on of about equal frequency; class 0 is
/// code 0.
fn classes(histogram: &[u64; SYMBOLS], count: usize) -> [u8; SYMBOLS] {
    let total: u64 = histogram[1..].iter().sum::<u64>().max(1);
    let mut classes = [0; SYMBOLS];
    let mut before = 0;
    for (class, &n) in classes.iter_mut().zip(histogram).skip(1) {
        let rank = (before + n / 2) * (count as u64 - 1) / total;
        *class = 1 + rank.min(count as u64 - 2) as u8;
        before += n;
    }
    classes
}

/// Divides [`STATES`] entries among symbols in proportion to their counts, at least one for each
/// that occurs and for [`ESCAPE`].
fn shares(counts: &[u64; SYMBOLS]) -> [u16; SYMBOLS] {
    let mut shares = [0u16; SYMBOLS];
    let total: u64 = counts.iter().sum();
    for (share, &count) in shares
        .iter_mut()
        .zip(counts)
        .filter(|(_, count)| **count > 0)
    {
        *share = (count * STATES as u64 / total).max(1) as u16;
    }
    let escape = &mut shares[usize::from(ESCAPE)];
    *escape = (*escape).max(1);
    let mut given: usize = shares.iter().map(|&n| usize::from(n)).sum();
    while given > STATES {
        // The symbol that loses least by one entry less: the one with most entries.
        if let Some(most) = shares.iter_mut().max_by_key(|n| **n) {
            *most -= 1;
        }
        given -= 1;
    }
    while given < STATES {
        // The symbol that gains most: the largest count for each of its entries.
        let need = |i: &usize| counts[*i] * 1024 / u64::from(shares[*i]).max(1);
        let most = (0..SYMBOLS).filter(|&i| shares[i] > 0).max_by_key(need);
        shares[most.unwrap_or(usize::from(ESCAPE))] += 1;
        given += 1;
    }
    shares
}

/// Distributes the symbols over the states, each as evenly as its share allows.
fn spread(shares: &[u16; SYMBOLS]) -> Vec<u8> {
    // Odd, so that all states are visited.
    const STEP: usize = (STATES >> 1) + (STATES >> 3) + 3;
    let mut symbols = vec![0; STATES];
    let mut at = 0;
    for (symbol, &share) in (0..=u8::MAX).zip(shares) {
        for _ in 0..share {
            symbols[at] = symbol;
            at = (at + STEP) % STATES;
        }
    }
    symbols
}
