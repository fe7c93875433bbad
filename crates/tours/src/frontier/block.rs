//! Layers as blocks: for each degree vector, how many partial tours have each matching of its endpoints.
//!
//! A block is a vector over ranks, most of it zero for many endpoints, nearly none for few. It is stored in the form
//! that is smallest: all counts, or a bitmap of the ranks that occur and their counts, or a list of ranks and their
//! counts. Counts take 1, 2, 4, 8 or 16 bytes, as the largest of the block needs.

use std::sync::Arc;

use everymove_kernel::run::Reservation;

use super::bits::Class;
use super::degrees::Degrees;

/// An unsigned integer that counts partial tours; arithmetic wraps, callers choose a type that is wide enough.
pub(super) trait Cell: Copy + Default + Send + Sync + PartialEq + 'static {
    fn plus(self, other: Self) -> Self;
    fn either(self, other: Self) -> Self;
    fn from_le(bytes: &[u8]) -> Self;
    fn wide(self) -> u128;
    fn modulo(self, modulus: u64) -> Self;
}

impl Cell for u64 {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn either(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn from_le(bytes: &[u8]) -> Self {
        match *bytes {
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => unreachable!("counts of 64 bits take 1, 2, 4 or 8 bytes"),
        }
    }
    fn wide(self) -> u128 {
        u128::from(self)
    }
    fn modulo(self, modulus: u64) -> Self {
        self % modulus
    }
}

impl Cell for u128 {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn either(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn from_le(bytes: &[u8]) -> Self {
        match bytes.try_into() {
            Ok(all) => u128::from_le_bytes(all),
            Err(_) => u128::from(<u64 as Cell>::from_le(bytes)),
        }
    }
    fn wide(self) -> u128 {
        self
    }
    fn modulo(self, modulus: u64) -> Self {
        self % u128::from(modulus)
    }
}

/// How a block's counts are laid out in its chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
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
pub(super) struct BlockRef {
    pub(super) chunk: u32,
    /// Offset into the chunk's `bits` or `ranks`.
    pub(super) keys: u32,
    /// Offset into the chunk's `counts`, in bytes.
    pub(super) counts: u32,
    /// How many counts are stored.
    pub(super) len: u32,
    pub(super) form: Form,
    /// Bytes a count.
    pub(super) width: u8,
}

impl BlockRef {
    /// Whether the block lies within a chunk, by the lengths of the chunk.
    pub(super) fn fits(&self, chunk: &Chunk) -> bool {
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
pub(super) struct Chunk {
    pub(super) bits: Vec<u64>,
    pub(super) ranks: Vec<u32>,
    pub(super) counts: Vec<u8>,
}

impl Chunk {
    /// Bytes on the heap.
    pub(super) fn bytes(&self) -> u64 {
        (self.bits.len() * 8 + self.ranks.len() * 4 + self.counts.len()) as u64
    }
}

/// All blocks of one layer.
pub(super) struct Layer {
    /// The degree vectors, ascending.
    pub(super) degrees: Arc<Vec<Degrees>>,
    /// The block of each.
    pub(super) blocks: Vec<BlockRef>,
    pub(super) chunks: Vec<Chunk>,
    /// How many (degree vector, matching) pairs have partial tours.
    pub(super) states: u64,
    /// The sum of all counts (of residues, when counting modulo a prime).
    pub(super) sum: u128,
    /// The memory that the chunks take from the budget.
    pub(super) held: Vec<Reservation>,
    /// The class that the degree vectors make up, if the layer is a part: they are in its order then.
    pub(super) class: Option<Class>,
}

impl Layer {
    /// A layer whose blocks are still to come.
    pub(super) fn empty(degrees: Arc<Vec<Degrees>>) -> Self {
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
    pub(super) fn start() -> Self {
        let mut builder = Builder::default();
        builder.push(&[1u64], 1, 1);
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

    /// The block at a position of `degrees`.
    #[inline]
    pub(super) fn block(&self, position: usize) -> Block<'_> {
        let at = self.blocks[position];
        Block {
            at,
            chunk: &self.chunks[at.chunk as usize],
        }
    }
}

/// One block, readable.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    at: BlockRef,
    chunk: &'a Chunk,
}

impl Block<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.at.len == 0
    }

    /// How many counts are stored.
    pub(super) fn len(&self) -> usize {
        self.at.len as usize
    }

    /// Calls `each` with every stored rank, ascending, and its count; dense blocks include zeros.
    #[inline(always)]
    pub(super) fn for_each<C: Cell>(&self, each: impl FnMut(u32, C)) {
        match self.at.width {
            1 => self.for_each_of::<C, 1>(each),
            2 => self.for_each_of::<C, 2>(each),
            4 => self.for_each_of::<C, 4>(each),
            8 => self.for_each_of::<C, 8>(each),
            _ => self.for_each_of::<C, 16>(each),
        }
    }

    #[inline(always)]
    fn for_each_of<C: Cell, const W: usize>(&self, mut each: impl FnMut(u32, C)) {
        let (from, len) = (self.at.counts as usize, self.at.len as usize);
        let counts = self.chunk.counts[from..from + len * W]
            .chunks_exact(W)
            .map(C::from_le);
        match self.at.form {
            Form::Dense => {
                for (rank, count) in counts.enumerate() {
                    each(rank as u32, count);
                }
            }
            Form::Sparse => {
                let ranks = &self.chunk.ranks[self.at.keys as usize..][..len];
                for (&rank, count) in ranks.iter().zip(counts) {
                    each(rank, count);
                }
            }
            Form::Bitmap => {
                let mut words = self.chunk.bits[self.at.keys as usize..].iter();
                let (mut base, mut word) = (0u32.wrapping_sub(64), 0u64);
                for count in counts {
                    while word == 0 {
                        word = *words.next().expect("as many bits as counts");
                        base = base.wrapping_add(64);
                    }
                    each(base + word.trailing_zeros(), count);
                    word &= word - 1;
                }
            }
        }
    }

    /// The count of one rank.
    pub(super) fn get(&self, rank: u32) -> u128 {
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

/// Collects blocks into a chunk.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) chunk: Chunk,
    pub(super) blocks: Vec<BlockRef>,
    pub(super) states: u64,
    pub(super) sum: u128,
}

impl Builder {
    /// Whether the chunk has grown so large that offsets might not fit 32 bits with another block of `ranks` ranks.
    pub(super) fn is_full(&self, ranks: usize) -> bool {
        self.chunk.counts.len() + ranks * 16 > u32::MAX as usize
    }

    /// Releases the unused capacity of the vectors.
    pub(super) fn shrink(&mut self) {
        self.chunk.bits.shrink_to_fit();
        self.chunk.ranks.shrink_to_fit();
        self.chunk.counts.shrink_to_fit();
    }

    /// Bytes on the heap.
    pub(super) fn bytes(&self) -> u64 {
        self.chunk.bytes() + (self.blocks.len() * size_of::<BlockRef>()) as u64
    }

    /// Adds a block with the counts of all its ranks, of which `states` are not zero; `bits` has every bit that any
    /// count has.
    pub(super) fn push<C: Cell>(&mut self, counts: &[C], states: usize, bits: C) {
        self.states += states as u64;
        let bits = bits.wide();
        match 128 - bits.leading_zeros() {
            0..=8 => self.store::<C, 1>(counts, states),
            9..=16 => self.store::<C, 2>(counts, states),
            17..=32 => self.store::<C, 4>(counts, states),
            33..=64 => self.store::<C, 8>(counts, states),
            _ => self.store::<C, 16>(counts, states),
        }
    }

    fn store<C: Cell, const W: usize>(&mut self, counts: &[C], states: usize) {
        let (dense, bitmap, sparse) = (
            counts.len() * W,
            counts.len().div_ceil(64) * 8 + states * W,
            states * (W + 4),
        );
        let form = if states == 0 {
            Form::Sparse
        } else if dense <= bitmap.min(sparse) || counts.len() < 16 {
            Form::Dense
        } else if bitmap <= sparse {
            Form::Bitmap
        } else {
            Form::Sparse
        };
        let keys = if form == Form::Sparse {
            self.chunk.ranks.len()
        } else {
            self.chunk.bits.len()
        };
        let stored = if form == Form::Dense {
            counts.len()
        } else {
            states
        };
        self.blocks.push(BlockRef {
            chunk: 0,
            keys: keys as u32,
            counts: self.chunk.counts.len() as u32,
            len: stored as u32,
            form,
            width: W as u8,
        });
        let from = self.chunk.counts.len();
        self.chunk.counts.resize(from + stored * W, 0);
        let mut out = self.chunk.counts[from..].chunks_exact_mut(W);
        let mut sum = C::default();
        let mut put = |count: C| {
            let out = out.next().expect("room for every count");
            out.copy_from_slice(&count.wide().to_le_bytes()[..W]);
            sum = sum.plus(count);
        };
        match form {
            Form::Dense => counts.iter().for_each(|&count| put(count)),
            Form::Bitmap => {
                for part in counts.chunks(64) {
                    let mut word = 0u64;
                    for (bit, &count) in part.iter().enumerate() {
                        word |= u64::from(count != C::default()) << bit;
                    }
                    self.chunk.bits.push(word);
                    while word != 0 {
                        put(part[word.trailing_zeros() as usize]);
                        word &= word - 1;
                    }
                }
            }
            Form::Sparse => {
                if states > 0 {
                    for (rank, &count) in counts.iter().enumerate() {
                        if count != C::default() {
                            self.chunk.ranks.push(rank as u32);
                            put(count);
                        }
                    }
                }
            }
        }
        self.sum += sum.wide();
    }
}

#[cfg(test)]
mod tests;
