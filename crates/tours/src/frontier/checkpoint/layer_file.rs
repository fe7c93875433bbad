//! A layer as a block file. `docs/formats.md` has the bytes.

use std::sync::Arc;

use everymove_kernel::files::{BlockReader, BlockWriter, FileError, Format, Storage};
use everymove_kernel::run::Ram;

use crate::frontier::FrontierError;
use crate::frontier::block::{Block, BlockRef, Chunk, Form, Layer};
use crate::frontier::degrees::Degrees;

pub(super) const LAYER: Format = Format {
    magic: *b"EMTLAYER",
    version: 1,
    what: "a layer of a tours count",
};

/// Payload bytes of one checked block: small enough to buffer, large enough to make headers cheap.
const PART: usize = 1 << 20;

/// Tags of the checked blocks.
const HEAD: u32 = 1;
const PLACES: u32 = 2;
const BITS: u32 = 3;
const RANKS: u32 = 4;
const COUNTS: u32 = 5;
const CHUNK_ENDS: u32 = 6;

pub(super) fn write(writer: &mut BlockWriter<'_>, layer: &Layer) -> Result<(), FileError> {
    let mut head = Vec::new();
    head.extend((layer.blocks.len() as u64).to_le_bytes());
    head.extend((layer.chunks.len() as u64).to_le_bytes());
    head.extend(layer.states.to_le_bytes());
    head.extend(layer.sum.to_le_bytes());
    writer.write(HEAD, &head)?;
    let mut blocks = layer.blocks.as_slice();
    for (number, chunk) in layer.chunks.iter().enumerate() {
        let here = blocks
            .iter()
            .take_while(|b| b.chunk as usize == number)
            .count();
        let (of_chunk, rest) = blocks.split_at(here);
        blocks = rest;
        put(writer, PLACES, of_chunk, |b| {
            let mut place = [0; 14];
            place[..4].copy_from_slice(&b.keys.to_le_bytes());
            place[4..8].copy_from_slice(&b.counts.to_le_bytes());
            place[8..12].copy_from_slice(&b.len.to_le_bytes());
            place[12] = match b.form {
                Form::Dense => 0,
                Form::Bitmap => 1,
                Form::Sparse => 2,
            };
            place[13] = b.width;
            place
        })?;
        put(writer, BITS, &chunk.bits, |w| w.to_le_bytes())?;
        put(writer, RANKS, &chunk.ranks, |r| r.to_le_bytes())?;
        put(writer, COUNTS, &chunk.counts, |&c| [c])?;
        writer.write(CHUNK_ENDS, &[0])?;
    }
    Ok(())
}

/// Writes items in parts of about [`PART`] bytes.
fn put<T, const N: usize>(
    writer: &mut BlockWriter<'_>,
    tag: u32,
    items: &[T],
    bytes: impl Fn(&T) -> [u8; N],
) -> Result<(), FileError> {
    for part in items.chunks(PART / N) {
        let payload: Vec<u8> = part.iter().flat_map(&bytes).collect();
        writer.write(tag, &payload)?;
    }
    Ok(())
}

/// Reads a layer, or the first blocks of one: `degrees` are the degree vectors of all its blocks.
pub(super) fn read(
    storage: &dyn Storage,
    name: &str,
    degrees: Arc<Vec<Degrees>>,
    ram: &Ram,
) -> Result<Layer, FrontierError> {
    let mut reader = BlockReader::open(storage, name, LAYER)?;
    let mut payload = Vec::new();
    let head = reader.read(&mut payload)?;
    let (Some(HEAD), Ok(head)) = (head, <[u8; 40]>::try_from(payload.as_slice())) else {
        return Err(reader.damaged("it should be the head of a layer").into());
    };
    let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("8 bytes"));
    let mut layer = Layer::empty(degrees);
    layer.states = number(16);
    layer.sum = u128::from(number(24)) | u128::from(number(32)) << 64;
    if number(0) > layer.degrees.len() as u64 {
        return Err(reader
            .damaged("the layer has more blocks than this count")
            .into());
    }
    let (mut states, mut sum) = (0u64, Some(0u128));
    for _ in 0..number(8) {
        let first = layer.blocks.len();
        let mut chunk = Chunk::default();
        loop {
            match reader.read(&mut payload)? {
                Some(PLACES) => take(&payload, |place: [u8; 14]| {
                    let number = |at: usize| {
                        u32::from_le_bytes(place[at..at + 4].try_into().expect("4 bytes"))
                    };
                    layer.blocks.push(BlockRef {
                        chunk: layer.chunks.len() as u32,
                        keys: number(0),
                        counts: number(4),
                        len: number(8),
                        form: match place[12] {
                            0 => Form::Dense,
                            1 => Form::Bitmap,
                            _ => Form::Sparse,
                        },
                        width: place[13],
                    });
                }),
                Some(BITS) => take(&payload, |b| chunk.bits.push(u64::from_le_bytes(b))),
                Some(RANKS) => take(&payload, |b| chunk.ranks.push(u32::from_le_bytes(b))),
                Some(COUNTS) => chunk.counts.extend_from_slice(&payload),
                Some(CHUNK_ENDS) => break,
                _ => return Err(reader.damaged("a chunk of counts is not complete").into()),
            }
        }
        if !layer.blocks[first..].iter().all(|block| block.fits(&chunk)) {
            return Err(reader.damaged("a block lies outside its chunk").into());
        }
        if layer.blocks.len() > layer.degrees.len() {
            return Err(reader
                .damaged("the layer has more blocks than this count")
                .into());
        }
        for (&at, &degrees) in layer.blocks[first..].iter().zip(&layer.degrees[first..]) {
            let block = Block { at, chunk: &chunk };
            let Some(totals) = block.checked_totals(degrees) else {
                return Err(reader
                    .damaged("a block is not one of its degree vector")
                    .into());
            };
            states = states.saturating_add(totals.0);
            sum = sum.and_then(|sum| sum.checked_add(totals.1));
        }
        chunk.bits.shrink_to_fit();
        chunk.ranks.shrink_to_fit();
        chunk.counts.shrink_to_fit();
        let places = (layer.blocks.len() - first) * size_of::<BlockRef>();
        let bytes = chunk.bytes() + places as u64;
        layer
            .held
            .push(ram.reserve("counting: the counts of a saved layer", bytes)?);
        layer.chunks.push(chunk);
    }
    if reader.read(&mut payload)?.is_some() || layer.blocks.len() as u64 != number(0) {
        return Err(reader
            .damaged("the layer does not end where it says")
            .into());
    }
    if (states, sum) != (layer.states, Some(layer.sum)) {
        return Err(reader
            .damaged("its states or counts are not as many as it says")
            .into());
    }
    Ok(layer)
}

/// Calls `each` with every whole item of a payload.
fn take<const N: usize>(payload: &[u8], mut each: impl FnMut([u8; N])) {
    for item in payload.chunks_exact(N) {
        each(item.try_into().expect("chunks of N bytes"));
    }
}
