//! Consecutive blocks of a layer as bytes. `docs/formats.md` has the layout.

use super::super::block::{BlockRef, Builder, Chunk, Form};

/// Some blocks in memory.
#[derive(Debug, Default)]
pub(super) struct Segment {
    pub(super) blocks: Vec<BlockRef>,
    pub(super) chunk: Chunk,
}

impl Segment {
    /// Bytes on the heap.
    pub(super) fn bytes(&self) -> u64 {
        self.chunk.bytes() + (self.blocks.len() * size_of::<BlockRef>()) as u64
    }
}

/// Appends the bytes of blocks to `bytes`.
pub(super) fn encode(builder: &Builder, bytes: &mut Vec<u8>) {
    let chunk = &builder.chunk;
    let lengths = [
        builder.blocks.len(),
        chunk.bits.len(),
        chunk.ranks.len(),
        chunk.counts.len(),
    ];
    for length in lengths {
        bytes.extend((length as u32).to_le_bytes());
    }
    for block in &builder.blocks {
        bytes.extend(block.keys.to_le_bytes());
    }
    for block in &builder.blocks {
        bytes.extend(block.len.to_le_bytes());
    }
    bytes.extend(builder.blocks.iter().map(|block| {
        let form = match block.form {
            Form::Dense => 0,
            Form::Bitmap => 0x20,
            Form::Sparse => 0x40,
        };
        form | block.width
    }));
    for word in &chunk.bits {
        bytes.extend(word.to_le_bytes());
    }
    for rank in &chunk.ranks {
        bytes.extend(rank.to_le_bytes());
    }
    bytes.extend(&chunk.counts);
}

/// The blocks of a segment; `None` if the bytes are not those of one.
pub(super) fn decode(bytes: &[u8]) -> Option<Segment> {
    let mut left = bytes;
    let mut lengths = [0; 4];
    for length in &mut lengths {
        let (number, rest) = left.split_first_chunk::<4>()?;
        *length = u32::from_le_bytes(*number) as usize;
        left = rest;
    }
    let [blocks, bits, ranks, counts] = lengths;
    let keys = numbers(&mut left, blocks)?;
    let lens = numbers(&mut left, blocks)?;
    let (forms, mut left) = left.split_at_checked(blocks)?;
    let bits: Vec<u64> = items(&mut left, bits)?.map(u64::from_le_bytes).collect();
    let ranks = numbers(&mut left, ranks)?;
    if left.len() != counts {
        return None;
    }
    let chunk = Chunk {
        bits,
        ranks,
        counts: left.to_vec(),
    };
    let mut at = 0;
    let place = |((keys, len), form): ((u32, u32), &u8)| {
        let block = BlockRef {
            chunk: 0,
            keys,
            counts: at,
            len,
            form: match form >> 5 {
                0 => Form::Dense,
                1 => Form::Bitmap,
                2 => Form::Sparse,
                _ => return None,
            },
            width: form & 0x1f,
        };
        at = at.checked_add(len.checked_mul(u32::from(block.width))?)?;
        block.fits(&chunk).then_some(block)
    };
    let blocks: Option<Vec<BlockRef>> = keys.into_iter().zip(lens).zip(forms).map(place).collect();
    Some(Segment {
        blocks: blocks?,
        chunk,
    })
}

fn numbers(bytes: &mut &[u8], count: usize) -> Option<Vec<u32>> {
    Some(items(bytes, count)?.map(u32::from_le_bytes).collect())
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
    use super::super::super::block::Block;
    use super::*;

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
