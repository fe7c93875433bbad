//! Layers as blocks: for each degree vector, how many partial tours have each matching of its
//! endpoints.
//!
//! A block is a vector over ranks, most of it zero for many endpoints, nearly none for few. It is
//! stored in the form that is smallest: all counts, or a bitmap of the ranks that occur and their
//! counts, or a list of ranks and their counts. Counts take 1, 2, 4, 8 or 16 bytes, as the largest
//! of the block needs.

mod builder;

use std::sync::Arc;

use everymove_kernel::run::Reservation;

use crate::frontier::FrontierError;
use crate::frontier::states::matching::{MAX_ENDPOINTS, matchings};
use crate::frontier::vectors::degrees::{Degrees, masks};
use crate::frontier::vectors::index::Class;
use crate::frontier::vectors::index::Vectors;
pub(crate) use builder::Builder;

/// An unsigned integer that counts partial tours; arithmetic wraps, callers choose a type that is
/// wide enough.
pub(crate) trait Cell: Copy + Default + Send + Sync + PartialEq + 'static {
    fn plus(self, other: Self) -> Self;
    fn either(self, other: Self) -> Self;
    fn from_le(bytes: &[u8]) -> Self;
    fn wide(self) -> u128;
    fn modulo(self, modulus: u64) -> Self;
}

/// The operations that are the same for every width.
macro_rules! common {
    () => {
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            self.wrapping_add(other)
        }
        #[inline(always)]
        fn either(self, other: Self) -> Self {
            self | other
        }
        #[inline(always)]
        fn wide(self) -> u128 {
            self.into()
        }
    };
}

impl Cell for u32 {
    common!();
    #[inline(always)]
    fn from_le(bytes: &[u8]) -> Self {
        match *bytes {
            [a] => u32::from(a),
            [a, b] => u32::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => unreachable!("sums of 32 bits are of counts of at most 4 bytes"),
        }
    }
    fn modulo(self, modulus: u64) -> Self {
        (u64::from(self) % modulus) as u32
    }
}

impl Cell for u64 {
    common!();
    #[inline(always)]
    fn from_le(bytes: &[u8]) -> Self {
        match *bytes {
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => u64::from(<u32 as Cell>::from_le(bytes)),
        }
    }
    fn modulo(self, modulus: u64) -> Self {
        self % modulus
    }
}

impl Cell for u128 {
    common!();
    #[inline(always)]
    fn from_le(bytes: &[u8]) -> Self {
        match bytes.try_into() {
            Ok(all) => u128::from_le_bytes(all),
            Err(_) => u128::from(<u64 as Cell>::from_le(bytes)),
        }
    }
    fn modulo(self, modulus: u64) -> Self {
        self % u128::from(modulus)
    }
}

/// The number of matchings of the endpoints of a degree vector; `None` if they are more than can be
/// counted, or cannot be matched.
pub(crate) fn matchings_of(degrees: Degrees) -> Option<usize> {
    let endpoints = masks(degrees).ends.count_ones() as usize;
    (endpoints <= MAX_ENDPOINTS && endpoints.is_multiple_of(2)).then(|| matchings(endpoints))
}

/// How a block's counts are laid out in its chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// A count for every rank, zeros included.
    #[default]
    Dense,
    /// One bit for every rank, in whole words, and the counts of the set bits.
    Bitmap,
    /// Ranks and counts.
    Sparse,
}

/// The position and form of a block in its chunk.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockRef {
    pub(crate) chunk: u32,
    /// Offset into the chunk's `bits` or `ranks`.
    pub(crate) keys: u32,
    /// Offset into the chunk's `counts`, in bytes.
    pub(crate) counts: u32,
    /// How many counts are stored.
    pub(crate) len: u32,
    pub(crate) form: Form,
    /// Bytes a count.
    pub(crate) width: u8,
}

impl BlockRef {
    /// Whether the block lies within a chunk, by the lengths of the chunk.
    pub(crate) fn fits(&self, chunk: &Chunk) -> bool {
        let (keys, len) = (self.keys as usize, self.len as usize);
        let counts = self.counts as usize + len * usize::from(self.width);
        let keyed = match self.form {
            Form::Dense => true,
            Form::Sparse => keys + len <= chunk.ranks.len(),
            Form::Bitmap => {
                let words = chunk.bits.get(keys..).unwrap_or(&[]).iter();
                let mut bits = words.map(|w| w.count_ones() as usize);
                let mut seen = 0;
                while seen < len {
                    let Some(more) = bits.next() else {
                        return false;
                    };
                    seen += more;
                }
                seen == len
            }
        };
        keyed && matches!(self.width, 1 | 2 | 4 | 8 | 16) && counts <= chunk.counts.len()
    }
}

/// The storage of a run of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) bits: Vec<u64>,
    pub(crate) ranks: Vec<u32>,
    pub(crate) counts: Vec<u8>,
}

impl Chunk {
    /// An empty chunk that can grow to this many bytes of each kind without being moved. What is
    /// not used takes no memory: the system gives pages when they are written.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self {
            bits: Vec::with_capacity(bytes / size_of::<u64>()),
            ranks: Vec::with_capacity(bytes / size_of::<u32>()),
            counts: Vec::with_capacity(bytes),
        }
    }

    /// Bytes on the heap.
    pub(crate) fn bytes(&self) -> u64 {
        (self.bits.len() * 8 + self.ranks.len() * 4 + self.counts.len()) as u64
    }

    /// Releases the unused capacity of the vectors.
    pub(crate) fn shrink(&mut self) {
        self.bits.shrink_to_fit();
        self.ranks.shrink_to_fit();
        self.counts.shrink_to_fit();
    }

    /// Removes all blocks and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.bits.clear();
        self.ranks.clear();
        self.counts.clear();
    }
}

/// All blocks of one layer.
pub(crate) struct Layer {
    /// The degree vectors, ascending, or in the order of `class`.
    pub(crate) degrees: Arc<Vec<Degrees>>,
    /// The block of each.
    pub(crate) blocks: Vec<BlockRef>,
    pub(crate) chunks: Vec<Chunk>,
    /// How many (degree vector, matching) pairs have partial tours.
    pub(crate) states: u64,
    /// The sum of all counts (of residues, when counting modulo a prime).
    pub(crate) sum: u128,
    /// The memory that the layer takes from the budget.
    pub(crate) held: Vec<Reservation>,
    /// The class that the degree vectors make up, if they do not ascend.
    pub(crate) class: Option<Class>,
}

impl Layer {
    /// A layer whose blocks are still to come.
    pub(crate) fn of(vectors: Vectors) -> Self {
        Self {
            class: vectors.class,
            held: vectors.held.into_iter().collect(),
            ..Self::empty(Arc::new(vectors.list))
        }
    }

    pub(crate) fn empty(degrees: Arc<Vec<Degrees>>) -> Self {
        Self {
            degrees,
            blocks: vec![],
            chunks: vec![],
            states: 0,
            sum: 0,
            held: vec![],
            class: None,
        }
    }

    /// The layer before the first step: one way to have done nothing.
    pub(crate) fn start() -> Self {
        let mut builder = Builder::default();
        let pushed = builder.take(&mut [1u64], &mut Vec::new());
        debug_assert!(pushed.is_ok(), "a chunk holds one count");
        Self {
            degrees: Arc::new(vec![0]),
            blocks: builder.blocks,
            chunks: vec![builder.chunk],
            states: 1,
            sum: 1,
            held: vec![],
            class: None,
        }
    }

    /// The bytes of its blocks.
    pub(crate) fn bytes(&self) -> u64 {
        let chunks: u64 = self.chunks.iter().map(Chunk::bytes).sum();
        chunks + size_of_val(&self.blocks[..]) as u64
    }

    /// The block at a position of `degrees`.
    #[inline]
    pub(crate) fn block(&self, position: usize) -> Block<'_> {
        self.read(self.blocks[position])
    }

    /// One of `blocks`.
    #[inline]
    pub(crate) fn read(&self, at: BlockRef) -> Block<'_> {
        Block {
            at,
            chunk: &self.chunks[at.chunk as usize],
        }
    }
}

/// Where a thread reads the blocks of a layer.
pub(crate) trait Blocks {
    /// The block at a position.
    fn block(&mut self, position: usize) -> Result<Block<'_>, FrontierError>;
}

impl Blocks for &Layer {
    #[inline(always)]
    fn block(&mut self, position: usize) -> Result<Block<'_>, FrontierError> {
        Ok(Layer::block(self, position))
    }
}

/// One block, readable.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    pub(crate) at: BlockRef,
    pub(crate) chunk: &'a Chunk,
}

impl Block<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.at.len == 0
    }

    /// How many counts are stored.
    pub(crate) fn len(&self) -> usize {
        self.at.len as usize
    }

    /// Calls `each` with every stored rank, ascending, and its count; dense blocks include zeros.
    #[inline(always)]
    pub(crate) fn for_each<C: Cell>(&self, mut each: impl FnMut(u32, C)) {
        self.visit(|mut states: States<'_>| states.below::<C>(u32::MAX, &mut each));
    }

    /// The same by a call for each state, for callers that do more with a state than a call takes.
    /// It is compiled once for each type of counts, not for each caller.
    #[inline(never)]
    pub(crate) fn for_each_by_call<C: Cell>(&self, each: &mut dyn FnMut(u32, C)) {
        self.for_each(each);
    }

    /// Calls `visit` with the stored states.
    #[inline(always)]
    pub(crate) fn visit<T>(&self, visit: impl FnOnce(States<'_>) -> T) -> T {
        let (from, len) = (self.at.counts as usize, self.at.len as usize);
        let width = usize::from(self.at.width);
        let keys = self.at.keys as usize;
        visit(States {
            form: self.at.form,
            width: self.at.width,
            counts: &self.chunk.counts[from..from + len * width],
            ranks: match self.at.form {
                Form::Sparse => &self.chunk.ranks[keys..keys + len],
                _ => &[],
            },
            words: match self.at.form {
                Form::Bitmap => &self.chunk.bits[keys..],
                _ => &[],
            },
            rank: 0,
            word: 0,
        })
    }

    /// The number of states and the sum of the counts of a block that comes from a file, where it
    /// [fits](BlockRef::fits) its chunk; `None` unless a [`Builder`] makes it for this degree
    /// vector: with ranks below the number of matchings, ascending, and counts of the width that
    /// the largest needs.
    pub(crate) fn checked_totals(&self, degrees: Degrees) -> Option<(u64, u128)> {
        let matchings = matchings_of(degrees)?;
        if self.at.form == Form::Dense && self.len() != matchings {
            return None;
        }
        let (mut states, mut sum, mut bits) = (0, Some(0u128), 0);
        let (mut next, mut sound) = (0, true);
        self.for_each_by_call(&mut |rank, count: u128| {
            sound &= rank >= next && (rank as usize) < matchings;
            next = rank.saturating_add(1);
            states += u64::from(count != 0);
            sum = sum.and_then(|sum| sum.checked_add(count));
            bits |= count;
        });
        let width = builder::width(bits) == usize::from(self.at.width);
        sum.filter(|_| sound && (width || self.is_empty()))
            .map(|sum| (states, sum))
    }

    /// Bytes a count.
    pub(crate) fn width(&self) -> u8 {
        self.at.width
    }

    /// Whether the sum of all counts is at most `most`, which is below 2^32.
    pub(crate) fn sums_to_at_most(&self, most: u64) -> bool {
        let bits = 8 * u32::from(self.at.width);
        if bits > 32 {
            return self.is_empty();
        }
        let bound = (self.at.len as u64).saturating_mul((1 << bits) - 1);
        bound <= most || {
            let mut sum = 0u64;
            self.for_each_by_call(&mut |_, count: u64| sum = sum.saturating_add(count));
            sum <= most
        }
    }

    /// The count of one rank.
    pub(crate) fn get(&self, rank: u32) -> u128 {
        let width = usize::from(self.at.width);
        let count = |i: usize| {
            let from = self.at.counts as usize + i * width;
            <u128 as Cell>::from_le(&self.chunk.counts[from..from + width])
        };
        match self.at.form {
            _ if self.is_empty() => 0,
            Form::Dense => count(rank as usize),
            Form::Sparse => {
                let ranks = &self.chunk.ranks[self.at.keys as usize..][..self.len()];
                ranks.binary_search(&rank).map_or(0, count)
            }
            Form::Bitmap => {
                let words = &self.chunk.bits[self.at.keys as usize..];
                let (word, bit) = (rank as usize / 64, rank % 64);
                if words[word] >> bit & 1 == 0 {
                    return 0;
                }
                let before: u32 = words[..word].iter().map(|w| w.count_ones()).sum();
                count((before + (words[word] & ((1 << bit) - 1)).count_ones()) as usize)
            }
        }
    }
}

/// The states of a block that are still to be visited.
pub(crate) struct States<'a> {
    form: Form,
    width: u8,
    counts: &'a [u8],
    ranks: &'a [u32],
    words: &'a [u64],
    /// The next rank of a dense block; the first rank after `word` of a bitmap.
    rank: u32,
    /// What is left of the bitmap's word before `rank`.
    word: u64,
}

impl States<'_> {
    /// Calls `each` with the next ranks and counts, as far as the ranks are below `end`.
    #[inline(always)]
    pub(crate) fn below<C: Cell>(&mut self, end: u32, each: impl FnMut(u32, C)) {
        match self.width {
            1 => self.below_of::<C, 1>(end, each),
            2 => self.below_of::<C, 2>(end, each),
            4 => self.below_of::<C, 4>(end, each),
            // A count is never wider than what it is read into; a block without counts may have any
            // width.
            8 if const { size_of::<C>() >= 8 } => self.below_of::<C, 8>(end, each),
            16 if const { size_of::<C>() >= 16 } => self.below_of::<C, 16>(end, each),
            width => assert!(self.counts.is_empty(), "counts of {width} bytes"),
        }
    }

    #[inline(always)]
    fn below_of<C: Cell, const W: usize>(&mut self, end: u32, mut each: impl FnMut(u32, C)) {
        match self.form {
            Form::Dense => {
                let left = self.counts.len() / W;
                let len = left.min((end - self.rank) as usize);
                let (now, later) = self.counts.split_at(len * W);
                for (rank, count) in (self.rank..).zip(now.chunks_exact(W)) {
                    each(rank, C::from_le(count));
                }
                self.counts = later;
                self.rank += len as u32;
            }
            Form::Sparse => {
                let ranks = self.ranks;
                let mut len = 0;
                for (&rank, count) in ranks.iter().zip(self.counts.chunks_exact(W)) {
                    if rank >= end {
                        break;
                    }
                    each(rank, C::from_le(count));
                    len += 1;
                }
                self.ranks = &ranks[len..];
                self.counts = &self.counts[len * W..];
            }
            Form::Bitmap => {
                let mut counts = self.counts.chunks_exact(W);
                loop {
                    // The bits below `end`; `rank` is a multiple of 64.
                    let base = self.rank.wrapping_sub(64);
                    let mut now = match self.rank > end {
                        true => self.word & ((1 << (end - base)) - 1),
                        false => self.word,
                    };
                    self.word ^= now;
                    while now != 0 {
                        let Some(count) = counts.next() else { break };
                        each(base + now.trailing_zeros(), C::from_le(count));
                        now &= now - 1;
                    }
                    if self.rank >= end || counts.len() == 0 {
                        break;
                    }
                    let Some((&word, words)) = self.words.split_first() else {
                        break;
                    };
                    self.word = word;
                    self.words = words;
                    self.rank += 64;
                }
                let left = counts.len() * W;
                self.counts = &self.counts[self.counts.len() - left..];
            }
        }
    }
}

#[cfg(test)]
mod tests;
