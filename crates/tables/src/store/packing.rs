//! How the codes of a block are compressed: as a frame of zstd, or as rows.

use everymove_kernel::files::compress;
use xxhash_rust::xxh3::xxh3_64;

use crate::store::row_model::RowModel;
use crate::store::rows::RowEncoder;

/// Positions of a block.
pub(crate) const BLOCK: usize = 1 << 15;
/// Smaller sections are frames: all their codes together fit a cache.
pub(super) const LEAST_ROWS: u64 = 1 << 22;
/// The blocks of which the statistics of a section of rows are taken.
const SAMPLE: usize = 64;
/// Level of zstd: higher ones shrink files little and take much longer.
const EFFORT: i32 = 3;

/// A compressed block.
#[derive(Debug)]
pub(crate) struct Packed {
    pub(super) bytes: Vec<u8>,
    /// Length in bytes, or 0 for a block whose positions all have one value.
    pub(super) length: u32,
    /// A checksum of the bytes, or the one value.
    pub(super) check: u32,
}

/// How the blocks of a section are compressed.
#[derive(Clone, Debug)]
pub(crate) enum Packing {
    /// Frames of zstd with codes of one or two bytes.
    Frames(u8),
    /// Rows.
    Rows(Box<RowEncoder>),
}

impl Packing {
    /// Returns the packing of a section of `positions` codes of at most `max`. `sample` is called
    /// with ascending numbers of blocks, if statistics are needed, and returns their codes.
    ///
    /// # Errors
    /// Those of `sample`.
    pub(crate) fn new<E>(
        positions: u64,
        max: u16,
        sample: impl FnOnce(&[usize]) -> Result<Vec<Vec<u16>>, E>,
    ) -> Result<Self, E> {
        if positions < LEAST_ROWS || width(max) > 1 || max == 0 {
            return Ok(Self::Frames(width(max)));
        }
        let blocks = (positions / BLOCK as u64) as usize;
        let numbers: Vec<usize> = (0..SAMPLE)
            .map(|i| (2 * i + 1) * blocks / (2 * SAMPLE))
            .collect();
        Ok(Self::rows(&sample(&numbers)?))
    }

    /// Returns the packing in rows with the statistics of some blocks.
    pub(crate) fn rows(sample: &[Vec<u16>]) -> Self {
        Self::Rows(Box::new(RowEncoder::new(RowModel::of(sample))))
    }

    /// Compresses the codes of a block.
    pub(crate) fn pack(&self, codes: &[u16]) -> Packed {
        let first = codes.first().copied().unwrap_or(0);
        if codes.iter().all(|&code| code == first) {
            return Packed {
                bytes: Vec::new(),
                length: 0,
                check: u32::from(first),
            };
        }
        Packed::new(match self {
            Self::Rows(encoder) => encoder.encode(codes),
            Self::Frames(width) => {
                let raw: Vec<u8> = match width {
                    1 => codes.iter().map(|&code| code as u8).collect(),
                    _ => codes.iter().flat_map(|code| code.to_le_bytes()).collect(),
                };
                compress(&raw, EFFORT)
            }
        })
    }
}

impl Packed {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self {
            length: bytes.len() as u32,
            check: xxh3_64(&bytes) as u32,
            bytes,
        }
    }
}

/// Returns the bytes of an encoded distance that is at most `max`.
pub(crate) fn width(max: u16) -> u8 {
    if max < 255 { 1 } else { 2 }
}
