//! Consecutive blocks of a layer as bytes:
//!
//! ```text
//! u32 each   numbers of degree vectors, of words of bitmaps, of listed ranks, of bytes of counts
//! u8 each    by vector: bytes of a count, plus 32 times the form: 0 a count for every rank,
//!            1 a bitmap of ranks, 2 a list of ranks
//! varints    by vector: the number of its counts
//! varints    by vector with a bitmap: the number of its words
//! u64 each   the words of the bitmaps
//! varints    by vector with a list: the first rank, then the difference of each to the one before
//!            the counts, vector after vector
//! ```

use everymove_kernel::files::{push_varint, take_varint};

use crate::frontier::states::block::{BlockRef, Builder, Chunk, Form};

/// Some blocks in memory.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    pub(crate) blocks: Vec<BlockRef>,
    pub(crate) chunk: Chunk,
}

impl Segment {
    /// Bytes on the heap.
    pub(crate) fn bytes(&self) -> u64 {
        self.chunk.bytes() + (self.blocks.len() * size_of::<BlockRef>()) as u64
    }
}

/// Appends the bytes of blocks to `bytes`.
pub(crate) fn encode(builder: &Builder, bytes: &mut Vec<u8>) {
    let (blocks, chunk) = (&builder.blocks, &builder.chunk);
    let lengths = [
        blocks.len(),
        chunk.bits.len(),
        chunk.ranks.len(),
        chunk.counts.len(),
    ];
    for length in lengths {
        bytes.extend((length as u32).to_le_bytes());
    }
    bytes.extend(blocks.iter().map(|block| {
        let form = match block.form {
            Form::Dense => 0,
            Form::Bitmap => 0x20,
            Form::Sparse => 0x40,
        };
        form | block.width
    }));
    for block in blocks {
        push_varint(bytes, block.len.into());
    }
    let mut bitmaps = blocks.iter().filter(|block| block.form == Form::Bitmap);
    let mut from = bitmaps.next().map(|block| block.keys);
    while let Some(at) = from {
        from = bitmaps.next().map(|block| block.keys);
        let end = from.unwrap_or(chunk.bits.len() as u32);
        push_varint(bytes, (end - at).into());
    }
    for word in &chunk.bits {
        bytes.extend(word.to_le_bytes());
    }
    for block in blocks.iter().filter(|block| block.form == Form::Sparse) {
        let mut before = 0;
        for &rank in &chunk.ranks[block.keys as usize..][..block.len as usize] {
            push_varint(bytes, (rank - before).into());
            before = rank;
        }
    }
    bytes.extend(&chunk.counts);
}

/// The blocks of a segment; `None` if the bytes are not those of one.
pub(crate) fn decode(bytes: &[u8]) -> Option<Segment> {
    let mut left = bytes;
    let mut lengths = [0; 4];
    for length in &mut lengths {
        let (number, rest) = left.split_first_chunk::<4>()?;
        *length = u32::from_le_bytes(*number) as usize;
        left = rest;
    }
    let [blocks, bits, ranks, counts] = lengths;
    let (forms, mut left) = left.split_at_checked(blocks)?;
    let mut blocks = Vec::with_capacity(blocks);
    for form in forms {
        blocks.push(BlockRef {
            len: number(&mut left)?,
            form: match form >> 5 {
                0 => Form::Dense,
                1 => Form::Bitmap,
                2 => Form::Sparse,
                _ => return None,
            },
            width: form & 0x1f,
            ..BlockRef::default()
        });
    }
    let mut at = 0u32;
    for block in blocks.iter_mut().filter(|b| b.form == Form::Bitmap) {
        block.keys = at;
        at = at.checked_add(number(&mut left)?)?;
    }
    if at as usize != bits {
        return None;
    }
    let bits = items(&mut left, bits)?.map(u64::from_le_bytes).collect();
    // A rank takes a byte at least.
    let mut chunk = Chunk {
        bits,
        ranks: Vec::with_capacity(ranks.min(left.len())),
        counts: vec![],
    };
    for block in blocks.iter_mut().filter(|b| b.form == Form::Sparse) {
        block.keys = chunk.ranks.len() as u32;
        let mut rank = 0u32;
        for _ in 0..block.len {
            rank = rank.checked_add(number(&mut left)?)?;
            chunk.ranks.push(rank);
        }
    }
    if chunk.ranks.len() != ranks || left.len() != counts {
        return None;
    }
    chunk.counts.extend_from_slice(left);
    let mut at = 0u32;
    for block in &mut blocks {
        block.counts = at;
        at = at.checked_add(block.len.checked_mul(block.width.into())?)?;
    }
    let fit = at as usize == counts && blocks.iter().all(|block| block.fits(&chunk));
    fit.then_some(Segment { blocks, chunk })
}

/// Takes a varint of at most 32 bits from the front.
fn number(bytes: &mut &[u8]) -> Option<u32> {
    take_varint(bytes)?.try_into().ok()
}

/// Takes items of `N` bytes from the front.
fn items<'a, const N: usize>(
    bytes: &mut &'a [u8],
    count: usize,
) -> Option<impl Iterator<Item = [u8; N]> + 'a> {
    let (taken, rest) = bytes.split_at_checked(count.checked_mul(N)?)?;
    *bytes = rest;
    let item = |item: &[u8]| item.try_into().expect("chunks of N bytes");
    Some(taken.chunks_exact(N).map(item))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::states::block::Block;

    #[test]
    fn segments_come_back_and_damage_does_not_pass() {
        let mut builder = Builder::default();
        let mut vectors = [
            vec![7u64, 0, 300],
            vec![0; 105],
            (0..945).map(|i| u64::from(i % 50 == 3)).collect(),
            (0..945).map(|i| u64::from(i % 3 == 0) << 40).collect(),
        ];
        let wanted = vectors.clone();
        for counts in &mut vectors {
            builder.take(counts, &mut Vec::new()).unwrap();
        }
        let mut bytes = Vec::new();
        encode(&builder, &mut bytes);
        let segment = decode(&bytes).unwrap();
        for (at, counts) in segment.blocks.iter().zip(&wanted) {
            let mut found = vec![0u64; counts.len()];
            let block = Block {
                at: *at,
                chunk: &segment.chunk,
            };
            block.for_each(|r, c: u64| found[r as usize] = c);
            assert_eq!(&found, counts);
        }
        for len in 0..bytes.len() {
            assert!(decode(&bytes[..len]).is_none(), "{len} bytes");
        }
    }
}
