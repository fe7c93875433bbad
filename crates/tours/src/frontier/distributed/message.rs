//! Blocks in messages between processes.
//!
//! A piece is some blocks, ascending by degree vector. All numbers are little-endian. It begins with the number of blocks, of words
//! and of ranks (u32 each). For each block follow its degree vector (u32), its form (a byte: 0 dense, 1 bitmap, 2 list), the bytes of a count (a byte)
//! and the number of counts (u32); then the words (u64) of all bitmaps, the ranks (u32) of all lists, and the counts of all blocks.

use super::super::FrontierError;
use super::super::block::{Block, BlockRef, Chunk, Form};
use super::super::degrees::{Degrees, POW3, masks};
use super::super::matching::{MAX_ENDPOINTS, matchings};

/// Bytes of a piece from which on no more blocks are added.
const PIECE: u64 = 256 << 10;

/// Bytes before the blocks, and of a block besides its states.
const HEADER: usize = 12;
const BLOCK: usize = 10;

/// The bitmap's words, the ranks and the counts of a block of a degree vector.
pub(super) fn stored<'a>(block: &Block<'a>, degrees: Degrees) -> (&'a [u64], &'a [u32], &'a [u8]) {
    let (at, chunk) = (&block.at, block.chunk);
    let (keys, len) = (at.keys as usize, at.len as usize);
    let (words, ranks): (&[u64], &[u32]) = match at.form {
        Form::Dense => (&[], &[]),
        Form::Bitmap => (&chunk.bits[keys..][..words_of(degrees)], &[]),
        Form::Sparse => (&[], &chunk.ranks[keys..][..len]),
    };
    let counts = &chunk.counts[at.counts as usize..][..len * usize::from(at.width)];
    (words, ranks, counts)
}

/// The words of a bitmap of the matchings of a degree vector.
fn words_of(degrees: Degrees) -> usize {
    matchings_of(degrees).map_or(0, |matchings| matchings.div_ceil(64))
}

/// The matchings of a degree vector, which may come from another process.
fn matchings_of(degrees: Degrees) -> Option<usize> {
    let ends = masks(degrees).ends.count_ones() as usize;
    (ends.is_multiple_of(2) && ends <= MAX_ENDPOINTS).then(|| matchings(ends))
}

/// The code of a form.
pub(super) fn code(form: Form) -> u8 {
    match form {
        Form::Dense => 0,
        Form::Bitmap => 1,
        Form::Sparse => 2,
    }
}

/// Appends numbers, each as `N` bytes.
///
/// The room for all of them is made first, so that the loop becomes a copy of memory.
pub(super) fn append<T: Copy, const N: usize>(
    bytes: &mut Vec<u8>,
    numbers: &[T],
    to_bytes: impl Fn(T) -> [u8; N],
) {
    let old = bytes.len();
    bytes.resize(old + N * numbers.len(), 0);
    for (place, &number) in bytes[old..].chunks_exact_mut(N).zip(numbers) {
        place.copy_from_slice(&to_bytes(number));
    }
}

/// The bytes of a block in a piece.
pub(super) fn bytes(block: &Block<'_>, degrees: Degrees) -> u64 {
    let (words, ranks, counts) = stored(block, degrees);
    (BLOCK + size_of_val(words) + size_of_val(ranks) + counts.len()) as u64
}

/// Puts blocks together to pieces.
#[derive(Default)]
pub(super) struct Pieces {
    blocks: Vec<u8>,
    words: Vec<u8>,
    ranks: Vec<u8>,
    counts: Vec<u8>,
    piece: Vec<u8>,
}

impl Pieces {
    /// Adds a block; returns a piece if it is complete.
    pub(super) fn add(&mut self, block: &Block<'_>, degrees: Degrees) -> Option<&[u8]> {
        let (words, ranks, counts) = stored(block, degrees);
        self.blocks.extend(degrees.to_le_bytes());
        self.blocks.extend([code(block.at.form), block.at.width]);
        self.blocks.extend(block.at.len.to_le_bytes());
        append(&mut self.words, words, u64::to_le_bytes);
        append(&mut self.ranks, ranks, u32::to_le_bytes);
        self.counts.extend_from_slice(counts);
        let lengths = [&self.blocks, &self.words, &self.ranks, &self.counts];
        let bytes: usize = lengths.iter().map(|bytes| bytes.len()).sum();
        if (bytes as u64) < PIECE {
            return None;
        }
        self.rest()
    }

    /// The last piece, if blocks are left.
    pub(super) fn rest(&mut self) -> Option<&[u8]> {
        if self.blocks.is_empty() {
            return None;
        }
        let numbers = [
            self.blocks.len() / BLOCK,
            self.words.len() / 8,
            self.ranks.len() / 4,
        ];
        self.piece.clear();
        for number in numbers {
            self.piece.extend((number as u32).to_le_bytes());
        }
        let parts = [
            &mut self.blocks,
            &mut self.words,
            &mut self.ranks,
            &mut self.counts,
        ];
        for part in parts {
            self.piece.append(part);
        }
        Some(&self.piece)
    }
}

/// The blocks of a piece, of a frontier of `slots` slots, for a chunk with a number.
pub(super) fn read(
    piece: &[u8],
    slots: usize,
    number: u32,
) -> Result<(Chunk, Vec<(Degrees, BlockRef)>), FrontierError> {
    parse(piece, slots, number).ok_or(FrontierError::ForeignPiece)
}

fn parse(piece: &[u8], slots: usize, number: u32) -> Option<(Chunk, Vec<(Degrees, BlockRef)>)> {
    let (header, rest) = piece.split_at_checked(HEADER)?;
    let (header, _) = header.as_chunks::<4>();
    let [blocks, words, ranks] = [0, 1, 2].map(|i| u32::from_le_bytes(header[i]) as usize);
    let (blocks, rest) = rest.split_at_checked(blocks.checked_mul(BLOCK)?)?;
    let (words, rest) = rest.split_at_checked(words.checked_mul(8)?)?;
    let (ranks, counts) = rest.split_at_checked(ranks.checked_mul(4)?)?;
    let chunk = Chunk {
        bits: numbers(words, u64::from_le_bytes),
        ranks: numbers(ranks, u32::from_le_bytes),
        counts: counts.to_vec(),
    };
    let (mut word, mut rank, mut count) = (0, 0, 0);
    let mut list = Vec::with_capacity(blocks.len() / BLOCK);
    let (blocks, _) = blocks.as_chunks::<BLOCK>();
    for &[a, b, c, d, form, width, e, f, g, h] in blocks {
        let degrees = Degrees::from_le_bytes([a, b, c, d]);
        let len = u32::from_le_bytes([e, f, g, h]);
        let matchings = (degrees < POW3[slots]).then(|| matchings_of(degrees))??;
        let (form, keys) = match form {
            0 if len as usize == matchings => (Form::Dense, 0),
            1 => (Form::Bitmap, word),
            2 => (Form::Sparse, rank),
            _ => return None,
        };
        let block = BlockRef {
            chunk: number,
            keys: keys as u32,
            counts: count as u32,
            len,
            form,
            width,
        };
        match form {
            Form::Dense => {}
            Form::Bitmap => {
                let bitmap = chunk.bits.get(word..)?.get(..words_of(degrees))?;
                let set: u32 = bitmap.iter().map(|word| word.count_ones()).sum();
                let beyond = bitmap.last().map_or(0, |last| 64 - last.leading_zeros());
                let last = matchings - 64 * (bitmap.len() - 1);
                if set != len || beyond as usize > last {
                    return None;
                }
                word += bitmap.len();
            }
            Form::Sparse => {
                let own = chunk.ranks.get(rank..)?.get(..len as usize)?;
                let ascends = own.windows(2).all(|pair| pair[0] < pair[1]);
                if !ascends || own.last().is_some_and(|&last| last as usize >= matchings) {
                    return None;
                }
                rank += own.len();
            }
        }
        let follows = list.last().is_none_or(|&(last, _)| last < degrees);
        if !follows || !block.fits(&chunk) {
            return None;
        }
        count += len as usize * usize::from(width);
        list.push((degrees, block));
    }
    let is_whole = (word, rank, count) == (chunk.bits.len(), chunk.ranks.len(), counts.len());
    is_whole.then_some((chunk, list))
}

/// Numbers of `N` bytes each.
fn numbers<T, const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> T) -> Vec<T> {
    let (numbers, _) = bytes.as_chunks::<N>();
    numbers.iter().map(|&bytes| number(bytes)).collect()
}
