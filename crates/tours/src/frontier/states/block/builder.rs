//! Collects blocks, each in its smallest form.

use everymove_kernel::dispatch::{self, Task};

use crate::frontier::FrontierError;
use crate::frontier::states::block::{Block, BlockRef, Cell, Chunk, Form};

/// Counts whose bits are a word.
const PART: usize = 64;

/// Collects blocks into a chunk.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) chunk: Chunk,
    pub(crate) blocks: Vec<BlockRef>,
    pub(crate) states: u64,
    pub(crate) sum: u128,
}

impl Builder {
    /// Whether the chunk has grown so large that offsets might not fit 32 bits with another block
    /// of `states` states.
    fn is_full(&self, states: usize) -> bool {
        // A dense block is never larger than a list of its states, but for some small ones.
        self.chunk.counts.len() + states * 20 + 16 * 16 > u32::MAX as usize
    }

    /// Bytes on the heap.
    pub(crate) fn bytes(&self) -> u64 {
        self.chunk.bytes() + (self.blocks.len() * size_of::<BlockRef>()) as u64
    }

    /// Adds a block with the counts of all its ranks, and sets them to zero. `words` is
    /// overwritten.
    pub(crate) fn take<C: Cell>(
        &mut self,
        counts: &mut [C],
        words: &mut Vec<u64>,
    ) -> Result<(), FrontierError> {
        let is_small = counts.len() < PART;
        let take = Take {
            builder: self,
            counts,
            words,
        };
        // The choice of the code takes longer than it saves at small blocks.
        match is_small {
            true => take.run(),
            false => dispatch::run(take),
        }
    }

    /// Does what [`take`](Self::take) says, in the code of its caller.
    #[inline(always)]
    fn take_here<C: Cell>(
        &mut self,
        counts: &mut [C],
        words: &mut Vec<u64>,
    ) -> Result<(), FrontierError> {
        words.clear();
        let mut bits = C::default();
        let mut states = 0;
        for part in counts.chunks(PART) {
            let any = part.iter().fold(C::default(), |any, &c| any.either(c));
            let word = if any == C::default() {
                0
            } else {
                set_bits(part)
            };
            bits = bits.either(any);
            states += word.count_ones() as usize;
            words.push(word);
        }
        if self.is_full(states) {
            return Err(FrontierError::BlockTooLarge);
        }
        self.states += states as u64;
        match width(bits) {
            1 => self.store::<C, 1>(counts, words, states),
            2 => self.store::<C, 2>(counts, words, states),
            4 => self.store::<C, 4>(counts, words, states),
            8 => self.store::<C, 8>(counts, words, states),
            _ => self.store::<C, 16>(counts, words, states),
        }
        Ok(())
    }

    /// Adds a block with the counts of these ranks, which ascend, in the form of a list.
    pub(crate) fn take_list<C: Cell>(&mut self, list: &[(u32, C)]) -> Result<(), FrontierError> {
        if self.is_full(list.len()) {
            return Err(FrontierError::BlockTooLarge);
        }
        let counts = || list.iter().map(|&(_, count)| count);
        let bits = counts().fold(C::default(), C::either);
        let width = width(bits);
        self.blocks.push(BlockRef {
            chunk: 0,
            keys: self.chunk.ranks.len() as u32,
            counts: self.chunk.counts.len() as u32,
            len: list.len() as u32,
            form: Form::Sparse,
            width: width as u8,
        });
        self.chunk.ranks.extend(list.iter().map(|&(rank, _)| rank));
        for count in counts() {
            let bytes = count.wide().to_le_bytes();
            self.chunk.counts.extend_from_slice(&bytes[..width]);
        }
        self.states += list.len() as u64;
        self.sum += counts().fold(C::default(), C::plus).wide();
        Ok(())
    }

    /// Adds a block of another layer as it is.
    pub(crate) fn copy(&mut self, block: Block<'_>) -> Result<(), FrontierError> {
        let (at, len) = (block.at, block.len());
        if self.is_full(len) {
            return Err(FrontierError::BlockTooLarge);
        }
        let keys = match at.form {
            Form::Sparse => self.chunk.ranks.len(),
            _ => self.chunk.bits.len(),
        };
        self.blocks.push(BlockRef {
            chunk: 0,
            keys: keys as u32,
            counts: self.chunk.counts.len() as u32,
            ..at
        });
        let counts = &block.chunk.counts[at.counts as usize..][..len * usize::from(at.width)];
        self.chunk.counts.extend_from_slice(counts);
        let from = at.keys as usize;
        match at.form {
            Form::Dense => {}
            Form::Sparse => {
                let ranks = &block.chunk.ranks[from..][..len];
                self.chunk.ranks.extend_from_slice(ranks);
            }
            Form::Bitmap => {
                let mut seen = 0;
                for &word in &block.chunk.bits[from..] {
                    if seen == len {
                        break;
                    }
                    seen += word.count_ones() as usize;
                    self.chunk.bits.push(word);
                }
            }
        }
        self.states += len as u64;
        Ok(())
    }

    #[inline(always)]
    fn store<C: Cell, const W: usize>(&mut self, counts: &mut [C], words: &[u64], states: usize) {
        let (dense, bitmap, sparse) = (
            counts.len() * W,
            counts.len().div_ceil(PART) * 8 + states * W,
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
        if form == Form::Dense {
            counts.iter().for_each(|&count| put(count));
            counts.fill(C::default());
        } else {
            for (i, (part, &word)) in counts.chunks_mut(PART).zip(words).enumerate() {
                let mut word = word;
                while word != 0 {
                    let bit = word.trailing_zeros();
                    put(std::mem::take(&mut part[bit as usize]));
                    if form == Form::Sparse {
                        self.chunk.ranks.push((i * PART) as u32 + bit);
                    }
                    word &= word - 1;
                }
            }
            if form == Form::Bitmap {
                self.chunk.bits.extend_from_slice(words);
            }
        }
        self.sum += sum.wide();
    }
}

/// Adds a block to a chunk, by code for newer processors if this is one ([`dispatch::run`]).
struct Take<'a, C> {
    builder: &'a mut Builder,
    counts: &'a mut [C],
    words: &'a mut Vec<u64>,
}

impl<C: Cell> Task for Take<'_, C> {
    type Output = Result<(), FrontierError>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        self.builder.take_here(self.counts, self.words)
    }
}

/// The bytes that counts take, given all bits that occur in them.
#[inline(always)]
pub(crate) fn width<C: Cell>(bits: C) -> usize {
    match 128 - bits.wide().leading_zeros() {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        33..=64 => 8,
        _ => 16,
    }
}

/// One bit for each of up to [`PART`] counts: whether it is not zero.
#[inline(always)]
fn set_bits<C: Cell>(part: &[C]) -> u64 {
    let mut flags = [0u8; PART];
    for (flag, &count) in flags.iter_mut().zip(part) {
        *flag = u8::from(count != C::default());
    }
    // The product moves the lowest bit of byte i to bit 56 + i.
    let byte = |group: &[u8]| {
        let group = u64::from_le_bytes(group.try_into().expect("8 flags"));
        group.wrapping_mul(0x0102_0408_1020_4080) >> 56
    };
    let groups = flags.chunks_exact(8).enumerate();
    groups.fold(0, |word, (i, group)| word | byte(group) << (8 * i))
}
